/* Threads that wait for a monitor, or wait in Object.wait. */
#ifndef MAYFLY_MONITORS_H
#define MAYFLY_MONITORS_H

#include <jvmti.h>

enum { NO_MONITOR = -1 };

void monitors_add_callbacks(jvmtiEventCallbacks *callbacks);
jobject monitors_owner(jvmtiEnv *env, JNIEnv *jni, jint *failed);

#endif
