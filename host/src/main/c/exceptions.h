/* The events of JVMTI for exceptions. */
#ifndef MAYFLY_EXCEPTIONS_H
#define MAYFLY_EXCEPTIONS_H

#include <jvmti.h>
#include <stdbool.h>

jint exceptions_prepare(jvmtiEnv *anchor);
jint exceptions_switch(bool on);
jint exceptions_report(bool on);
void exceptions_clear(void);

#endif
