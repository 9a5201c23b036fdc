/* The events for exceptions: the environment that has them, and the callbacks. */
#include "../../main/c/exceptions.c"

#include "check.h"

#include <string.h>

/* Doubles: an environment that may have the capability, and the Java half. */
static bool has_capability;
static jvmtiEventCallbacks set;
static bool is_enabled[2];
static int enabled;             /* the number of enabled events */
static int delivered;
static enum upcall_kind delivered_kind;
static bool is_inside;

static jvmtiError JNICALL get_capabilities(jvmtiEnv *env, jvmtiCapabilities *held) {
    (void)env;
    memset(held, 0, sizeof *held);
    held->can_generate_exception_events = has_capability;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_callbacks(jvmtiEnv *env, const jvmtiEventCallbacks *callbacks, jint size) {
    (void)env;
    CHECK(callbacks == NULL || size == sizeof set);
    set = callbacks == NULL ? (jvmtiEventCallbacks){0} : *callbacks;
    return JVMTI_ERROR_NONE;
}

static bool refuses_mode;

static jvmtiError JNICALL set_mode(jvmtiEnv *env, jvmtiEventMode mode, jvmtiEvent event, jthread thread, ...) {
    (void)env;
    if (refuses_mode) {
        return JVMTI_ERROR_INTERNAL;
    }
    CHECK(thread == NULL && (event == JVMTI_EVENT_EXCEPTION || event == JVMTI_EVENT_EXCEPTION_CATCH));
    bool on = mode == JVMTI_ENABLE;
    enabled += on - is_enabled[event == JVMTI_EVENT_EXCEPTION];
    is_enabled[event == JVMTI_EVENT_EXCEPTION] = on;
    return JVMTI_ERROR_NONE;
}

static struct jvmtiInterface_1_ functions = {
    .GetCapabilities = get_capabilities, .SetEventCallbacks = set_callbacks, .SetEventNotificationMode = set_mode};
static jvmtiEnv anchor = &functions;

bool callback_is_inside(void) {
    return is_inside;
}

void java_deliver(JNIEnv *env, enum upcall_kind kind, jobject argument) {
    (void)env;
    (void)argument;
    delivered++;
    delivered_kind = kind;
}

static void exceptionsNeedTheCapability(void) {
    has_capability = false;
    CHECK(exceptions_prepare(&anchor) == JVMTI_ERROR_NOT_AVAILABLE && set.Exception == NULL);
    CHECK(exceptions_switch(true) == JVMTI_ERROR_NOT_AVAILABLE && exceptions_switch(false) == 0 && enabled == 0);
    exceptions_clear();
    CHECK(enabled == 0);
}

static void clearedExceptionsHaveNoCallback(void) {
    has_capability = true;
    CHECK(exceptions_prepare(&anchor) == 0 && set.Exception != NULL && enabled == 0);
    CHECK(exceptions_switch(true) == 0 && enabled == 2);
    exceptions_clear();
    CHECK(set.Exception == NULL && set.ExceptionCatch == NULL && enabled == 0);
    exceptions_clear();
    CHECK(enabled == 0);
}

static void exceptionsOfACallbackAreNotDelivered(void) {
    has_capability = true;
    CHECK(exceptions_prepare(&anchor) == 0);
    set.Exception(&anchor, NULL, NULL, NULL, 0, NULL, NULL, 0);
    CHECK(delivered == 1 && delivered_kind == UPCALL_KIND_EXCEPTION_THROWN);
    set.ExceptionCatch(&anchor, NULL, NULL, NULL, 0, NULL);
    CHECK(delivered == 2 && delivered_kind == UPCALL_KIND_EXCEPTION_CAUGHT);
    is_inside = true;
    set.Exception(&anchor, NULL, NULL, NULL, 0, NULL, NULL, 0);
    set.ExceptionCatch(&anchor, NULL, NULL, NULL, 0, NULL);
    CHECK(delivered == 2);
    exceptions_clear();
}

static void stoppedReportsStayStoppedInEachSubscription(void) {
    has_capability = true;
    CHECK(exceptions_prepare(&anchor) == 0);
    CHECK(exceptions_report(false) == 0 && enabled == 0);
    CHECK(exceptions_switch(true) == 0 && enabled == 0);
    CHECK(exceptions_report(true) == 0 && enabled == 2);
    CHECK(exceptions_report(false) == 0 && enabled == 0);
    CHECK(exceptions_switch(true) == 0 && enabled == 0);
    exceptions_clear();
    CHECK(exceptions_prepare(&anchor) == 0 && exceptions_switch(true) == 0 && enabled == 2);
    exceptions_clear();
    CHECK(exceptions_report(true) == 0 && enabled == 0);
}

/* A later report must not use the environment that is cleared. */
static void clearedExceptionsHaveNoSubscriptionEvenIfTheJvmRefusesToDisableThem(void) {
    has_capability = true;
    CHECK(exceptions_prepare(&anchor) == 0 && exceptions_switch(true) == 0 && enabled == 2);
    refuses_mode = true;
    exceptions_clear();
    refuses_mode = false;
    CHECK(set.Exception == NULL && exceptions_report(true) == 0 && exceptions_report(false) == 0);
    exceptions_clear();
    CHECK(exceptions_prepare(&anchor) == 0 && exceptions_report(true) == 0 && enabled == 2);
    exceptions_clear();
    CHECK(enabled == 0);
}

int main(void) {
    RUN(exceptionsNeedTheCapability);
    RUN(clearedExceptionsHaveNoCallback);
    RUN(exceptionsOfACallbackAreNotDelivered);
    RUN(stoppedReportsStayStoppedInEachSubscription);
    RUN(clearedExceptionsHaveNoSubscriptionEvenIfTheJvmRefusesToDisableThem);
}
