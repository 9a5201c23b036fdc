/*
 * The events of JVMTI for exceptions. The JVM offers them only to an environment that requested them at the JVM's
 * start: the launch library has requested them for the anchor, which is never disposed.
 */
#define _GNU_SOURCE
#include "exceptions.h"
#include "callbacks.h"
#include "java.h"
#include "wire.h"

#include <stdbool.h>
#include <stddef.h>

/* The anchor while it has the host's callbacks; otherwise NULL. */
static jvmtiEnv *exceptions_anchor;

static bool exceptions_subscribed;
static bool exceptions_stopped;     /* the profiler has stopped the reports; the subscription continues */

/*
 * The exceptions of a callback are the profiler's own. The check comes first, because a callback may itself throw and
 * catch exceptions.
 */
static void deliver_exception(JNIEnv *jni, enum upcall_kind kind, jobject exception) {
    if (!callback_is_inside()) {
        java_deliver(jni, kind, exception);
    }
}

static void JNICALL on_exception(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method, jlocation location,
        jobject exception, jmethodID catch_method, jlocation catch_location) {
    (void)env;
    (void)thread;
    (void)method;
    (void)location;
    (void)catch_method;
    (void)catch_location;
    deliver_exception(jni, UPCALL_KIND_EXCEPTION_THROWN, exception);
}

static void JNICALL on_exception_catch(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
        jlocation location, jobject exception) {
    (void)env;
    (void)thread;
    (void)method;
    (void)location;
    deliver_exception(jni, UPCALL_KIND_EXCEPTION_CAUGHT, exception);
}

/*
 * Sets the callbacks, and enables no event. Returns 0 or an error of JVMTI: NOT_AVAILABLE if the capability was not
 * requested at the JVM's start.
 */
jint exceptions_prepare(jvmtiEnv *anchor) {
    jvmtiCapabilities held = {0};
    jint failed = (*anchor)->GetCapabilities(anchor, &held);
    if (failed == 0 && !held.can_generate_exception_events) {
        failed = JVMTI_ERROR_NOT_AVAILABLE;
    }
    if (failed == 0 && exceptions_anchor == NULL) {
        jvmtiEventCallbacks callbacks = {.Exception = on_exception, .ExceptionCatch = on_exception_catch};
        failed = (*anchor)->SetEventCallbacks(anchor, &callbacks, sizeof callbacks);
        exceptions_anchor = failed == 0 ? anchor : NULL;
    }
    return failed;
}

static jint exceptions_enable(bool on) {
    jvmtiEnv *anchor = exceptions_anchor;
    jvmtiEventMode mode = on ? JVMTI_ENABLE : JVMTI_DISABLE;
    jint failed = (*anchor)->SetEventNotificationMode(anchor, mode, JVMTI_EVENT_EXCEPTION, NULL);
    if (failed == 0) {
        failed = (*anchor)->SetEventNotificationMode(anchor, mode, JVMTI_EVENT_EXCEPTION_CATCH, NULL);
    }
    return failed;
}

/* Subscribes to the events or unsubscribes. Returns 0 or an error of JVMTI. */
jint exceptions_switch(bool on) {
    if (exceptions_anchor == NULL) {
        return on ? JVMTI_ERROR_NOT_AVAILABLE : 0;
    }
    jint failed = exceptions_enable(on && !exceptions_stopped);
    exceptions_subscribed = failed == 0 ? on : exceptions_subscribed;
    return failed;
}

/* Stops the events of a subscription, present or later, or starts them again. Returns 0 or an error of JVMTI. */
jint exceptions_report(bool on) {
    jint failed = exceptions_subscribed ? exceptions_enable(on) : 0;
    exceptions_stopped = failed == 0 ? !on : exceptions_stopped;
    return failed;
}

/* Disables the events, and removes the host's callbacks. */
void exceptions_clear(void) {
    if (exceptions_anchor != NULL) {
        exceptions_enable(false);
        (*exceptions_anchor)->SetEventCallbacks(exceptions_anchor, NULL, 0);
        exceptions_anchor = NULL;
    }
    exceptions_subscribed = false;
    exceptions_stopped = false;
}
