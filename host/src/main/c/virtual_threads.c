/* The start and the end of virtual threads. JVMTI reports each on the thread itself, while it is mounted. */
#define _GNU_SOURCE
#include "virtual_threads.h"
#include "callbacks.h"
#include "java.h"
#include "wire.h"

#include <stddef.h>

/* False unless a callback on a carrier runs the tasks of the scheduler: a thread then starts or ends within it. */
static void deliver_thread(JNIEnv *jni, enum upcall_kind kind, jthread thread) {
    if (!callback_is_inside()) {
        java_deliver(jni, kind, thread);
    }
}

static void JNICALL on_start(jvmtiEnv *env, JNIEnv *jni, jthread thread) {
    (void)env;
    deliver_thread(jni, UPCALL_KIND_VIRTUAL_THREAD_STARTED, thread);
}

static void JNICALL on_end(jvmtiEnv *env, JNIEnv *jni, jthread thread) {
    (void)env;
    deliver_thread(jni, UPCALL_KIND_VIRTUAL_THREAD_ENDED, thread);
}

void virtual_threads_add_callbacks(jvmtiEventCallbacks *callbacks) {
    callbacks->VirtualThreadStart = on_start;
    callbacks->VirtualThreadEnd = on_end;
}

/*
 * Enables the events or disables them. Returns 0 or an error of JVMTI. A JVM before JDK 21 does not know the events, so
 * they are not disabled without the capability, which only a later JVM has given.
 */
jint virtual_threads_switch(jvmtiEnv *env, bool on) {
    jvmtiCapabilities held = {0};
    jint failed = (*env)->GetCapabilities(env, &held);
    if (failed != 0 || !held.can_support_virtual_threads) {
        return failed != 0 || !on ? failed : JVMTI_ERROR_NOT_AVAILABLE;
    }
    jvmtiEventMode mode = on ? JVMTI_ENABLE : JVMTI_DISABLE;
    failed = (*env)->SetEventNotificationMode(env, mode, JVMTI_EVENT_VIRTUAL_THREAD_START, NULL);
    if (failed == 0) {
        failed = (*env)->SetEventNotificationMode(env, mode, JVMTI_EVENT_VIRTUAL_THREAD_END, NULL);
    }
    return failed;
}
