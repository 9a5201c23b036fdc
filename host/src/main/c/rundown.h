/* The end of a detach. */
#ifndef MAYFLY_RUNDOWN_H
#define MAYFLY_RUNDOWN_H

#include <jni.h>

void rundown_run(JNIEnv *env);

#endif
