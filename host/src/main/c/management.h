/* The functions by which the JDK's management reads a JVM. */
#ifndef MAYFLY_MANAGEMENT_H
#define MAYFLY_MANAGEMENT_H

#include <jni.h>
#include <stdbool.h>

#include "wire.h"

bool management_is_known(JNIEnv *env);
bool management_allocated(JNIEnv *env, jlongArray numbers, jlongArray bytes);
bool management_is_loaded(void);
bool management_would_call_program(JNIEnv *env, jobjectArray live);
jobjectArray management_thread_infos(JNIEnv *env, jlongArray numbers);
enum management_state management_state(JNIEnv *env, jobjectArray live, bool may_load);
jobjectArray management_dump(JNIEnv *env, jlongArray numbers);

#endif
