/* The Java half, and the calls to it. */
#ifndef MAYFLY_JAVA_H
#define MAYFLY_JAVA_H

#include <jni.h>
#include <stdbool.h>

#include "attach.h"
#include "failures.h"
#include "wire.h"

jobject java_start(JNIEnv *env, const struct attach *attach, jclass *natives, enum failure *failure);
bool java_is_started(void);
bool java_takes_commands(JNIEnv *env);
jobject java_ask(JNIEnv *env, enum upcall_kind kind, jobject argument);
void java_deliver(JNIEnv *env, enum upcall_kind kind, jobject argument);
jobject java_redefine(JNIEnv *env, jobject argument);
void java_drop(JNIEnv *env);
bool java_is_gone(JNIEnv *env);
jobject java_loader(JNIEnv *env);
jobject java_profilers_loader(JNIEnv *env);
void java_know_probes_loader(JNIEnv *env, jobject loader);
jobject java_probes_loader(JNIEnv *env);
void java_forget(JNIEnv *env);

#endif
