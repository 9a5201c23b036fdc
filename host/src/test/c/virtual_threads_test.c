/* Virtual threads: the kind of each call, and the JVMs that know the events. */
#include "../../main/c/virtual_threads.c"

#include "check.h"

static bool is_inside;
static int delivered;
static enum upcall_kind delivered_kind;
static jobject delivered_object;

bool callback_is_inside(void) {
    return is_inside;
}

void java_deliver(JNIEnv *env, enum upcall_kind kind, jobject argument) {
    (void)env;
    delivered++;
    delivered_kind = kind;
    delivered_object = argument;
}

static bool has_capability;
static jvmtiEvent failing;
static int enabled;
static int calls;

static jvmtiError JNICALL get_capabilities(jvmtiEnv *env, jvmtiCapabilities *held) {
    (void)env;
    *held = (jvmtiCapabilities){.can_support_virtual_threads = has_capability};
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_mode(jvmtiEnv *env, jvmtiEventMode mode, jvmtiEvent event, jthread thread, ...) {
    (void)env;
    CHECK(thread == NULL);
    CHECK(event == JVMTI_EVENT_VIRTUAL_THREAD_START || event == JVMTI_EVENT_VIRTUAL_THREAD_END);
    calls++;
    if (event == failing) {
        return JVMTI_ERROR_INTERNAL;
    }
    enabled += mode == JVMTI_ENABLE ? 1 : -1;
    return JVMTI_ERROR_NONE;
}

static const struct jvmtiInterface_1_ functions = {
    .GetCapabilities = get_capabilities, .SetEventNotificationMode = set_mode};
static jvmtiEnv jvmti = &functions;

static void eachEventIsDeliveredWithItsThread(void) {
    static int thread;
    jvmtiEventCallbacks callbacks = {0};
    virtual_threads_add_callbacks(&callbacks);
    callbacks.VirtualThreadStart(NULL, NULL, (jthread)&thread);
    CHECK(delivered == 1 && delivered_kind == UPCALL_KIND_VIRTUAL_THREAD_STARTED);
    CHECK((void *)delivered_object == &thread);
    callbacks.VirtualThreadEnd(NULL, NULL, (jthread)&thread);
    CHECK(delivered == 2 && delivered_kind == UPCALL_KIND_VIRTUAL_THREAD_ENDED);
    is_inside = true;
    callbacks.VirtualThreadStart(NULL, NULL, (jthread)&thread);
    callbacks.VirtualThreadEnd(NULL, NULL, (jthread)&thread);
    CHECK(delivered == 2);
}

static void jvmWithoutTheCapabilityIsNotAskedForTheEvents(void) {
    has_capability = false;
    CHECK(virtual_threads_switch(&jvmti, false) == 0 && calls == 0);
    CHECK(virtual_threads_switch(&jvmti, true) == JVMTI_ERROR_NOT_AVAILABLE && calls == 0);
}

static void bothEventsAreSwitchedTogether(void) {
    has_capability = true;
    CHECK(virtual_threads_switch(&jvmti, true) == 0 && enabled == 2);
    CHECK(virtual_threads_switch(&jvmti, false) == 0 && enabled == 0);
}

static void errorOfEitherEventIsReturned(void) {
    has_capability = true;
    failing = JVMTI_EVENT_VIRTUAL_THREAD_START;
    CHECK(virtual_threads_switch(&jvmti, true) == JVMTI_ERROR_INTERNAL);
    failing = JVMTI_EVENT_VIRTUAL_THREAD_END;
    CHECK(virtual_threads_switch(&jvmti, true) == JVMTI_ERROR_INTERNAL);
}

int main(void) {
    RUN(eachEventIsDeliveredWithItsThread);
    RUN(jvmWithoutTheCapabilityIsNotAskedForTheEvents);
    RUN(bothEventsAreSwitchedTogether);
    RUN(errorOfEitherEventIsReturned);
}
