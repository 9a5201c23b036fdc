/* Threads that wait for a monitor, or wait in Object.wait. The JVM reports each start and each end on the thread. */
#define _GNU_SOURCE
#include "monitors.h"
#include "callbacks.h"
#include "java.h"
#include "wire.h"

/* A monitor for which a callback waits is the profiler's own, or the callback is the reason for the wait. */
static void deliver_monitor(JNIEnv *jni, enum upcall_kind kind, jobject object) {
    if (!callback_is_inside()) {
        callback_about(object);
        java_deliver(jni, kind, object);
        callback_about(NULL);
    }
}

static void JNICALL on_contended_enter(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object) {
    (void)env;
    (void)thread;
    deliver_monitor(jni, UPCALL_KIND_CONTENTION_STARTED, object);
}

static void JNICALL on_contended_entered(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object) {
    (void)env;
    (void)thread;
    deliver_monitor(jni, UPCALL_KIND_CONTENTION_FINISHED, object);
}

static void JNICALL on_wait(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jlong millis) {
    (void)env;
    (void)thread;
    (void)millis;
    deliver_monitor(jni, UPCALL_KIND_WAIT_STARTED, object);
}

static void JNICALL on_waited(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jboolean timed_out) {
    (void)env;
    (void)thread;
    deliver_monitor(jni, timed_out ? UPCALL_KIND_WAIT_TIMED_OUT : UPCALL_KIND_WAIT_FINISHED, object);
}

void monitors_add_callbacks(jvmtiEventCallbacks *callbacks) {
    callbacks->MonitorContendedEnter = on_contended_enter;
    callbacks->MonitorContendedEntered = on_contended_entered;
    callbacks->MonitorWait = on_wait;
    callbacks->MonitorWaited = on_waited;
}

static void release_threads(jvmtiEnv *env, JNIEnv *jni, jthread *threads, jint count) {
    for (jint i = 0; i < count && threads != NULL; i++) {
        (*jni)->DeleteLocalRef(jni, threads[i]);
    }
    (*env)->Deallocate(env, (unsigned char *)threads);
}

/*
 * Returns the thread that owns the monitor of this thread's callback; NULL if none does, or JVMTI names none. Stores 0,
 * an error of JVMTI, or NO_MONITOR if this thread runs no callback about a monitor.
 */
jobject monitors_owner(jvmtiEnv *env, JNIEnv *jni, jint *failed) {
    jobject object = callback_object();
    jvmtiMonitorUsage usage = {0};
    if (object == NULL) {
        *failed = NO_MONITOR;
        return NULL;
    }
    *failed = env == NULL ? JVMTI_ERROR_INVALID_ENVIRONMENT : (jint)(*env)->GetObjectMonitorUsage(env, object, &usage);
    if (*failed != 0) {
        return NULL;
    }
    release_threads(env, jni, usage.waiters, usage.waiter_count);
    release_threads(env, jni, usage.notify_waiters, usage.notify_waiter_count);
    return usage.owner;
}
