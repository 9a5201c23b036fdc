/* The code that the JVM has compiled. */
#ifndef MAYFLY_COMPILED_H
#define MAYFLY_COMPILED_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

void compiled_add_callbacks(jvmtiEventCallbacks *callbacks);
bool compiled_generate(jvmtiEnv *environment, bool inlined);
size_t compiled_size(void);
jobjectArray compiled_take(JNIEnv *env, bool has_room);

#endif
