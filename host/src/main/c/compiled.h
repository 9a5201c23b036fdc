/* The code that the JVM has compiled. */
#ifndef MAYFLY_COMPILED_H
#define MAYFLY_COMPILED_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

void compiled_add_callbacks(jvmtiEventCallbacks *callbacks);
bool compiled_generate(jvmtiEnv *environment);
jobjectArray compiled_take(JNIEnv *env);

#endif
