/* The functions by which the JDK's management reads a JVM. */
#ifndef MAYFLY_MANAGEMENT_H
#define MAYFLY_MANAGEMENT_H

#include <jni.h>
#include <stdbool.h>

bool management_is_known(JNIEnv *env);
bool management_allocated(JNIEnv *env, jlongArray numbers, jlongArray bytes);
bool management_is_loaded(void);
jobjectArray management_thread_infos(JNIEnv *env, jlongArray numbers);

#endif
