/* The objects for whose monitors threads wait. */
#ifndef MAYFLY_POLLING_H
#define MAYFLY_POLLING_H

#include <jni.h>

void polling_monitors(JNIEnv *env, jobjectArray live, jobjectArray blocked, jlongArray numbers, jobjectArray found,
        jlongArray values);

#endif
