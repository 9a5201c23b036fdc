/* The classes and methods of walked frames. */
#ifndef MAYFLY_FRAMES_H
#define MAYFLY_FRAMES_H

#include <jni.h>

jobjectArray frames_of_throwable(JNIEnv *env, jthrowable throwable, jint depth);
jobjectArray frames_classes(JNIEnv *env, jobjectArray elements);

#endif
