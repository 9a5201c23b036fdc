/* The events of the JVM, and its JVMTI environments. */
#ifndef MAYFLY_EVENTS_H
#define MAYFLY_EVENTS_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

jint events_prepare(uint32_t mask);
jint events_set(uint32_t mask, uint32_t logged);
bool events_have_environment(void);
void events_stop(void);
void events_close(JNIEnv *env);
bool events_are_gone(void);
bool events_collect(JNIEnv *env);
bool events_collect_as_requested(JNIEnv *env);
jvmtiEnv *events_use(void);
void events_release(void);
jvmtiEnv *events_temporary(JNIEnv *env);

#endif
