/* Detaches by the host's thread: by force, and after the end of a lease. */
#include "worker_doubles.h"

static jsize reply_length = 1;

static jsize JNICALL length_of_reply(JNIEnv *env, jarray array) {
    (void)env;
    (void)array;
    return reply_length;
}

static void aForcedDetachNeedsNoMemoryForItsReason(void) {
    request(MESSAGE_TYPE_DETACH, DETACH_FLAG_FORCE);
    CHECK(calls == 1 && asked == UPCALL_KIND_DETACH_FORCED && !with_argument);
}

static void begin_forced(void) {
    pthread_mutex_init(&host.lock, NULL);
    pthread_cond_init(&host.changed, NULL);
    host.life = HOST_LIFE_FORCED;
    alarm(60);      /* ends a test that waits for a request */
}

static void aForcedDetachWithoutAQueuedRequestBeginsAfterTheQueuedOnes(void) {
    JNIEnv env = &functions;
    begin_forced();
    add(new_job(MESSAGE_TYPE_COMMAND, 0, 16));
    add(new_job(MESSAGE_TYPE_COMMAND, 0, 16));
    worker_serve(&env);
    CHECK(results == 2 && host.jobs == 0);
    CHECK(calls == 1 && asked == UPCALL_KIND_DETACH_FORCED && !with_argument);
}

static void theLogIsRestoredBetweenRequestsWhenThatIsDue(void) {
    JNIEnv env = &functions;
    for (int due = 0; due <= 1; due++) {
        begin_forced();
        log_is_due = due;
        restored_logs = 0;
        add(new_job(MESSAGE_TYPE_COMMAND, 0, 16));
        worker_serve(&env);
        CHECK(restored_logs == due && !log_is_due);
    }
}

/* The Java half may lack memory or stack for the call. */
static void aFailedForcedDetachIsRepeatedOnlyByAnotherRequest(void) {
    JNIEnv env = &functions;
    begin_forced();
    later = new_job(MESSAGE_TYPE_DETACH, DETACH_FLAG_FORCE, 4);
    vain_calls = 1;
    worker_serve(&env);
    CHECK(calls == 2 && results == 1 && later == NULL);
}

/* Serves an active profiler whose lease has ended, until the detach begins. */
static void serve_after_a_lease(void) {
    JNIEnv env = &functions;
    begin_forced();
    host.life = HOST_LIFE_ACTIVE;
    host.lease_ended = true;
    calls = forced = 0;
    vain_calls = 0;
    cleared = false;
    worker_serve(&env);
    CHECK(!host.lease_ended && host.life == HOST_LIFE_DETACHING);
}

static void theEndOfALeaseIsARequestToDetach(void) {
    functions.PushLocalFrame = a_frame;
    functions.NewByteArray = an_array;
    reply_class = "[B";
    profiler_detaches = true;
    serve_after_a_lease();
    CHECK(calls == 1 && asked == UPCALL_KIND_DETACH_REQUESTED && with_argument && forced == 0);
    profiler_detaches = false;
    reply_class = NULL;
}

/* The probes cannot be removed now: the detach is requested until it begins. */
static void theEndOfALeaseIsRequestedAgainAfterGrowingDelaysIfItIsRefused(void) {
    JNIEnv env = &functions;
    functions.PushLocalFrame = a_frame;
    functions.NewByteArray = an_array;
    functions.GetArrayLength = length_of_reply;
    reply_class = "[B";
    reply_length = 13;
    reply_status = STATUS_IRREVERSIBLE_INSTRUMENTATION;
    profiler_detaches = true;
    lease_delay_count = 0;
    worker_lease_delay = 0;
    begin_forced();
    host.life = HOST_LIFE_ACTIVE;
    host.lease_ended = true;
    calls = forced = 0;
    vain_calls = 7;
    queue_has_events = true;
    worker_serve(&env);
    CHECK(calls == 8 && forced == 0 && lease_delay_count == 8);
    CHECK(lease_delays[0] == 1000000000 && lease_delays[1] == 2000000000 && lease_delays[7] == 60000000000);
    reply_status = STATUS_IMMUTABLE_FLAGS;      /* refused until the JVM ends */
    worker_end_lease(&env);
    CHECK(lease_delay_count == 8);
    lease_is_due = queue_has_events = false;
    vain_calls = 0;
    functions.PushLocalFrame = no_frame;
    functions.NewByteArray = no_array;
    functions.GetArrayLength = one_byte;
    profiler_detaches = false;
    reply_class = NULL;
}

static void theEndOfALeaseIsForcedIfTheProfilerCannotBeAsked(void) {
    functions.PushLocalFrame = no_frame;
    serve_after_a_lease();
    CHECK(forced == 1 && calls == 1 && asked == UPCALL_KIND_DETACH_FORCED && cleared);
    functions.PushLocalFrame = a_frame;
    functions.NewByteArray = no_array;
    serve_after_a_lease();
    CHECK(forced == 1 && calls == 1 && asked == UPCALL_KIND_DETACH_FORCED && cleared);
    functions.NewByteArray = an_array;      /* the call itself fails */
    serve_after_a_lease();
    CHECK(forced == 1 && calls == 2 && asked == UPCALL_KIND_DETACH_FORCED && cleared);
    functions.PushLocalFrame = no_frame;
    functions.NewByteArray = no_array;
}

int main(void) {
    RUN(aForcedDetachNeedsNoMemoryForItsReason);
    RUN(aForcedDetachWithoutAQueuedRequestBeginsAfterTheQueuedOnes);
    RUN(theLogIsRestoredBetweenRequestsWhenThatIsDue);
    RUN(aFailedForcedDetachIsRepeatedOnlyByAnotherRequest);
    RUN(theEndOfALeaseIsARequestToDetach);
    RUN(theEndOfALeaseIsRequestedAgainAfterGrowingDelaysIfItIsRefused);
    RUN(theEndOfALeaseIsForcedIfTheProfilerCannotBeAsked);
}
