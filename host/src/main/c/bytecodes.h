/* The bytecodes of a method as in its class file. */
#ifndef MAYFLY_BYTECODES_H
#define MAYFLY_BYTECODES_H

#include <jvmti.h>

jint bytecodes_read(jvmtiEnv *jvmti, jmethodID method, jint *length, unsigned char **bytes);

#endif
