/* The CPU time of a thread. */
#ifndef MAYFLY_THREAD_CPU_H
#define MAYFLY_THREAD_CPU_H

#include <jni.h>

jlongArray threads_numbers(JNIEnv *env, jobjectArray threads);
void threads_statuses(JNIEnv *env, jobjectArray threads, jlongArray numbers, jlongArray statuses);

#endif
