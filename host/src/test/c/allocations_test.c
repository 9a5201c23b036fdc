/* Sampled allocations: the capability and the interval, which belong to the whole JVM, and the callback. */
#include "../../main/c/allocations.c"

#include "check.h"

#include <string.h>

/* Doubles: a JVM in which one environment can hold the capability, and the Java half. */
static bool is_held_by_other;
static bool holds;
static bool enabled;
static jint interval = INITIAL_INTERVAL;        /* the JVM's */
static jvmtiError failure_of_interval;
static int delivered;
static bool is_inside;

static jvmtiError JNICALL add_capabilities(jvmtiEnv *env, const jvmtiCapabilities *wanted) {
    (void)env;
    CHECK(wanted->can_generate_sampled_object_alloc_events);
    holds = !is_held_by_other;
    return holds ? JVMTI_ERROR_NONE : JVMTI_ERROR_NOT_AVAILABLE;
}

static jvmtiError JNICALL relinquish_capabilities(jvmtiEnv *env, const jvmtiCapabilities *released) {
    static const jvmtiCapabilities expected = {.can_generate_sampled_object_alloc_events = 1};
    (void)env;
    CHECK(memcmp(released, &expected, sizeof expected) == 0 && !enabled);
    holds = false;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_capabilities(jvmtiEnv *env, jvmtiCapabilities *held) {
    (void)env;
    memset(held, 0, sizeof *held);
    held->can_generate_sampled_object_alloc_events = holds;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_interval(jvmtiEnv *env, jint bytes) {
    (void)env;
    CHECK(holds);
    interval = failure_of_interval == 0 ? bytes : interval;
    return failure_of_interval;
}

static jvmtiError JNICALL set_mode(jvmtiEnv *env, jvmtiEventMode mode, jvmtiEvent event, jthread thread, ...) {
    (void)env;
    CHECK(holds && thread == NULL && event == JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
    enabled = mode == JVMTI_ENABLE;
    return JVMTI_ERROR_NONE;
}

static struct jvmtiInterface_1_ functions = {
    .AddCapabilities = add_capabilities, .RelinquishCapabilities = relinquish_capabilities,
    .GetCapabilities = get_capabilities, .SetHeapSamplingInterval = set_interval, .SetEventNotificationMode = set_mode};
static jvmtiEnv environment = &functions;

bool callback_is_inside(void) {
    return is_inside;
}

void java_deliver(JNIEnv *env, enum upcall_kind kind, jobject argument) {
    (void)env;
    CHECK(kind == UPCALL_KIND_ALLOCATION_SAMPLED && argument != NULL);
    delivered++;
}

static void anEndedSubscriptionRestoresTheIntervalAndReleasesTheCapability(void) {
    CHECK(allocations_set_interval(NULL, 4096) == 0);
    CHECK(allocations_prepare(&environment) == 0 && holds && !enabled && interval == INITIAL_INTERVAL);
    CHECK(allocations_switch(&environment, true) == 0 && enabled && interval == 4096);
    CHECK(allocations_switch(&environment, false) == 0 && !enabled && interval == INITIAL_INTERVAL && !holds);
    CHECK(allocations_switch(&environment, false) == 0);
}

static void aLaterSubscriptionHasTheSameInterval(void) {
    CHECK(allocations_set_interval(NULL, 8192) == 0);
    CHECK(allocations_prepare(&environment) == 0 && allocations_switch(&environment, true) == 0 && interval == 8192);
    CHECK(allocations_switch(&environment, false) == 0 && allocations_prepare(&environment) == 0);
    CHECK(allocations_switch(&environment, true) == 0 && interval == 8192);
    CHECK(allocations_switch(&environment, false) == 0);
}

static void anIntervalIsSetAtOnceDuringASubscriptionOnly(void) {
    CHECK(allocations_set_interval(&environment, 4096) == 0 && interval == INITIAL_INTERVAL);
    CHECK(allocations_prepare(&environment) == 0 && allocations_set_interval(&environment, 2048) == 0);
    CHECK(interval == INITIAL_INTERVAL);
    CHECK(allocations_switch(&environment, true) == 0 && interval == 2048);
    CHECK(allocations_set_interval(&environment, 16384) == 0 && interval == 16384);
    CHECK(allocations_switch(&environment, false) == 0);
}

static void aRefusedIntervalIsNotKept(void) {
    CHECK(allocations_set_interval(NULL, 4096) == 0 && allocations_prepare(&environment) == 0);
    CHECK(allocations_switch(&environment, true) == 0);
    failure_of_interval = JVMTI_ERROR_INTERNAL;
    CHECK(allocations_set_interval(&environment, 2048) == JVMTI_ERROR_INTERNAL);
    failure_of_interval = 0;
    CHECK(allocations_switch(&environment, true) == 0 && interval == 4096);
    CHECK(allocations_switch(&environment, false) == 0);
}

static void aCapabilityOfAnotherAgentIsAnErrorOfItsOwn(void) {
    is_held_by_other = true;
    CHECK(allocations_prepare(&environment) == EVENT_ERROR_SAMPLING_HELD);
    CHECK(allocations_switch(&environment, true) == JVMTI_ERROR_NOT_AVAILABLE && !enabled);
    CHECK(allocations_switch(&environment, false) == 0 && interval == INITIAL_INTERVAL);
    is_held_by_other = false;
}

static void allocationsOfACallbackAndOfAThreadWithoutAnObjectAreNotDelivered(void) {
    jvmtiEventCallbacks callbacks = {0};
    allocations_add_callbacks(&callbacks);
    int object;
    callbacks.SampledObjectAlloc(&environment, NULL, (jthread)&object, (jobject)&object, NULL, 16);
    CHECK(delivered == 1);
    callbacks.SampledObjectAlloc(&environment, NULL, NULL, (jobject)&object, NULL, 16);
    is_inside = true;
    callbacks.SampledObjectAlloc(&environment, NULL, (jthread)&object, (jobject)&object, NULL, 16);
    CHECK(delivered == 1);
    is_inside = false;
}

int main(void) {
    RUN(anEndedSubscriptionRestoresTheIntervalAndReleasesTheCapability);
    RUN(aLaterSubscriptionHasTheSameInterval);
    RUN(anIntervalIsSetAtOnceDuringASubscriptionOnly);
    RUN(aRefusedIntervalIsNotKept);
    RUN(aCapabilityOfAnotherAgentIsAnErrorOfItsOwn);
    RUN(allocationsOfACallbackAndOfAThreadWithoutAnObjectAreNotDelivered);
}
