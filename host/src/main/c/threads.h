/* Threads of the JVM and their stacks. */
#ifndef MAYFLY_THREADS_H
#define MAYFLY_THREADS_H

#include <jni.h>

jlong thread_id(JNIEnv *env, jobject thread);
jlongArray threads_os_ids(JNIEnv *env, jobjectArray threads);
jobjectArray threads_live(JNIEnv *env);
jobjectArray threads_stacks(JNIEnv *env, jobjectArray threads);
jobjectArray thread_stack(JNIEnv *env, jobject thread);
jstring saved_property(JNIEnv *env, jstring name);

#endif
