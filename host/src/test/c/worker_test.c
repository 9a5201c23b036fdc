/* Requests to the host's thread that fail in the host itself: each answer has its own reason. */
#include "../../main/c/jobs.c"
#include "../../main/c/requests.c"
#include "../../main/c/rundown.c"
#include "../../main/c/worker.c"

#include "check.h"

#include <unistd.h>

/* Doubles: a JVM without memory, in which a call to the profiler returns no answer. */
static enum upcall_kind asked;
static bool with_argument;
static int calls;
static bool profiler_detaches;     /* the profiler detaches when it is asked to */
static int forced;
static int vain_calls;      /* that do not begin the forced detach */
static enum failure room_fails_by;
static enum failure start_fails_by;
static int results;
static struct answer result;
static const char *reply_class;     /* the class of the answer; NULL if there is none */

static enum message_type request_type;      /* of the last request */

static bool is_result(enum failure failure) {
    struct answer expected = failure_answer(failure, request_type);
    return results == 1 && result.status == expected.status && strcmp(result.message, expected.message) == 0;
}

static jbyteArray JNICALL an_array(JNIEnv *env, jsize length) {
    (void)env;
    (void)length;
    return (jbyteArray)&results;
}

static void JNICALL fill(JNIEnv *env, jbyteArray array, jsize from, jsize length, const jbyte *bytes) {
    (void)env;
    (void)array;
    (void)from;
    (void)length;
    (void)bytes;
}

static jint JNICALL a_frame(JNIEnv *env, jint capacity) {
    (void)env;
    (void)capacity;
    return 0;
}

static jobject JNICALL pop_frame(JNIEnv *env, jobject result) {
    (void)env;
    return result;
}

static jbyteArray JNICALL no_array(JNIEnv *env, jsize length) {
    (void)env;
    (void)length;
    return NULL;
}

static jint JNICALL no_frame(JNIEnv *env, jint capacity) {
    (void)env;
    (void)capacity;
    return JNI_ENOMEM;
}

static bool cleared;

static void JNICALL clear(JNIEnv *env) {
    (void)env;
    cleared = true;
}

static jsize JNICALL one_byte(JNIEnv *env, jarray array) {
    (void)env;
    (void)array;
    return 1;
}

static const char *JNICALL no_text(JNIEnv *env, jstring text, jboolean *copied) {
    (void)env;
    (void)text;
    (void)copied;
    return NULL;
}

static jbyte *JNICALL no_bytes(JNIEnv *env, jbyteArray bytes, jboolean *copied) {
    (void)env;
    (void)bytes;
    (void)copied;
    return NULL;
}

static void JNICALL forget(JNIEnv *env, jobject object) {
    (void)env;
    (void)object;
}

jobject java_ask(JNIEnv *env, enum upcall_kind kind, jobject argument) {
    (void)env;
    asked = kind;
    with_argument = argument != NULL;
    calls++;
    if (kind == UPCALL_KIND_DETACH_REQUESTED && profiler_detaches && calls > vain_calls) {
        host.life = HOST_LIFE_DETACHING;
    }
    if (kind == UPCALL_KIND_DETACH_FORCED && calls > vain_calls) {
        host.life = HOST_LIFE_DETACHING;
    }
    return reply_class == NULL ? NULL : (jobject)&reply_class;
}

bool life_force_locked(void) {
    CHECK(host.life == HOST_LIFE_ACTIVE);
    host.life = HOST_LIFE_FORCED;
    forced++;
    return true;
}

enum failure heap_make_room(JNIEnv *env, size_t bytes) {
    (void)env;
    (void)bytes;
    return room_fails_by;
}

/* Doubles of the steps of a start. */
static enum failure attach_fails_by;
static enum failure natives_fail_by;
static bool refuses;        /* the Java half refuses the profiler */
static int registrations;

enum failure attach_read(const struct bytes *payload, struct attach *attach) {
    (void)payload;
    *attach = (struct attach){0};
    return attach_fails_by;
}

jobject java_start(JNIEnv *env, const struct attach *attach, jclass *natives, enum failure *failure) {
    (void)env;
    (void)attach;
    *failure = start_fails_by;
    *natives = start_fails_by != FAILURE_NONE || refuses ? NULL : (jclass)&registrations;
    return refuses ? (jobject)&reply_class : NULL;
}

enum failure natives_register(JNIEnv *env, jclass vm) {
    (void)env;
    CHECK((void *)vm == &registrations);
    registrations++;
    return natives_fail_by;
}

void locals_reserve(JNIEnv *env, jint count) {
    (void)env;
    (void)count;
}

bool class_is(JNIEnv *env, jobject object, const char *name) {
    (void)env;
    return object != NULL && strcmp(name, reply_class) == 0;
}

void channel_result(int client, uint64_t serial, uint32_t status, const char *message) {
    (void)client;
    (void)serial;
    result = (struct answer){(enum status)status, message};
    results++;
}

static void add(struct job *job) {
    CHECK(job_add(job->type, job->client, job->serial, job->payload) == FAILURE_NONE);
    free(job);
}

/* A request that arrives when the host's thread begins to wait. */
static struct job *later;

static bool queue_has_events;    /* the thread does not wait */

bool queue_is_waiting(void) {
    if (queue_has_events) {
        return true;
    }
    if (later != NULL) {
        add(later);
        later = NULL;
        return true;
    }
    return false;
}

/* No test calls these functions. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define UNUSED(TYPE, NAME, ...) TYPE NAME(__VA_ARGS__) { abort(); }
UNUSED(void, channel_send, int a, uint64_t b, enum message_type c, const struct bytes *d, int e)
UNUSED(bool, channel_gone, uint64_t a, uint32_t b)
UNUSED(void, log_gone, void)
UNUSED(void, log_forget, void)
UNUSED(void, proof_ask, JNIEnv *a, struct proof *b, bool c)
UNUSED(void, proof_say, JNIEnv *a, struct proof *b, bool c, char *d, size_t e)
UNUSED(bool, retainers_find, JNIEnv *a, char *b, size_t c, bool d)
UNUSED(bool, vmlog_end, void)
struct event *queue_take_all(void) { return NULL; }
UNUSED(void, event_free, JNIEnv *a, struct event *b)
UNUSED(jobject, event_to_java, JNIEnv *a, const struct event *b)
UNUSED(void, java_deliver, JNIEnv *a, enum upcall_kind b, jobject c)
UNUSED(void, queue_clear, JNIEnv *a)
UNUSED(void, events_stop, void)
UNUSED(void, events_close, JNIEnv *a)
UNUSED(bool, events_are_gone, void)
UNUSED(bool, java_is_started, void)
UNUSED(bool, java_is_gone, JNIEnv *a)
UNUSED(bool, java_takes_commands, JNIEnv *a)
UNUSED(void, java_drop, JNIEnv *a)
UNUSED(void, java_forget, JNIEnv *a)
UNUSED(void, life_pinned, const char *a)
UNUSED(void, life_not_pinned, void)
UNUSED(void, listener_stop, void)
UNUSED(void, listener_await_close, void)

static bool log_is_due;
static int restored_logs;

bool timer_take_log(void) {
    bool due = log_is_due;
    log_is_due = false;
    return due;
}

static bool lease_is_due;
static uint64_t lease_delays[8];
static int lease_delay_count;

bool timer_take_lease(void) {
    bool due = lease_is_due;
    lease_is_due = false;
    return due;
}

void timer_lease_after(uint64_t nanos) {
    lease_delays[lease_delay_count++] = nanos;
    lease_is_due = true;
}

static jbyte reply_status;
static jsize reply_length = 1;

static void JNICALL get_status(JNIEnv *env, jbyteArray array, jsize from, jsize length, jbyte *to) {
    (void)env;
    (void)array;
    CHECK(from == 1 && length == 1);
    *to = reply_status;
}

static jsize JNICALL length_of_reply(JNIEnv *env, jarray array) {
    (void)env;
    (void)array;
    return reply_length;
}

void vmlog_restore_again(void) {
    restored_logs++;
}

static struct JNINativeInterface_ functions = {
    .PushLocalFrame = no_frame, .PopLocalFrame = pop_frame, .NewByteArray = no_array, .SetByteArrayRegion = fill,
    .ExceptionClear = clear, .DeleteLocalRef = forget, .GetArrayLength = one_byte, .GetStringUTFChars = no_text,
    .GetByteArrayElements = no_bytes, .GetByteArrayRegion = get_status};

static struct job *new_job(enum message_type type, uint8_t flags, size_t length) {
    struct job *job = calloc(1, sizeof *job);
    job->type = request_type = type;
    job->payload = (struct bytes){calloc(1, 16), length};
    job->payload.at[0] = flags;
    calls = results = 0;
    return job;
}

static void request_of(enum message_type type, uint8_t flags, size_t length) {
    JNIEnv env = &functions;
    request_run(&env, new_job(type, flags, length));
}

static void request(enum message_type type, uint8_t flags) {
    request_of(type, flags, 16);
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

static void otherRequestsDoNotReachTheProfilerWithoutTheirBytes(void) {
    room_fails_by = FAILURE_NO_ROOM;
    request(MESSAGE_TYPE_DETACH, 0);
    CHECK(calls == 0);
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 0);
}

static void aCommandWithoutRoomFailsWithAdviceToCollect(void) {
    room_fails_by = FAILURE_NOT_COLLECTED;
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 0 && is_result(FAILURE_NOT_COLLECTED));
    CHECK(result.status == STATUS_FAILED && strstr(result.message, "GC.run") != NULL);
}

static void eachFailureOfARequestHasItsReason(void) {
    room_fails_by = FAILURE_NONE;
    functions.PushLocalFrame = no_frame;
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 0 && is_result(FAILURE_NO_MEMORY));
    functions.PushLocalFrame = a_frame;
    functions.NewByteArray = no_array;
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 0 && is_result(FAILURE_NO_MEMORY));
    functions.NewByteArray = an_array;
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 1 && is_result(FAILURE_CALL));
    request_of(MESSAGE_TYPE_DETACH, 0, 3);
    CHECK(calls == 0 && is_result(FAILURE_MALFORMED_REQUEST));
}

/* The class of the answer may not be found either: it is then neither a string nor bytes. */
static void anAnswerThatCannotBeReadHasItsReason(void) {
    room_fails_by = FAILURE_NONE;
    functions.PushLocalFrame = a_frame;
    functions.NewByteArray = an_array;
    reply_class = "java/lang/Integer";
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 1 && is_result(FAILURE_CALL));
    reply_class = "[B";
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 1 && is_result(FAILURE_NO_MEMORY));
    reply_class = "java/lang/String";
    cleared = false;
    request(MESSAGE_TYPE_COMMAND, 0);
    CHECK(calls == 1 && is_result(FAILURE_NO_MEMORY) && cleared);
    reply_class = NULL;
}

/* Starts the profiler with the planted failures; returns true if the answer is that of the failure. */
static bool start_fails_with(enum failure failure) {
    JNIEnv env = &functions;
    struct job *job = new_job(MESSAGE_TYPE_ATTACH, 0, 16);
    registrations = 0;
    worker_start_profiler(&env, job);
    job_free(job);
    return is_result(failure);
}

static void eachFailureOfAnAttachIsAnswered(void) {
    functions.PushLocalFrame = no_frame;
    CHECK(start_fails_with(FAILURE_NO_MEMORY));
    functions.PushLocalFrame = a_frame;
    attach_fails_by = FAILURE_MALFORMED_ATTACH;
    CHECK(start_fails_with(FAILURE_MALFORMED_ATTACH));
    attach_fails_by = FAILURE_NONE;
    room_fails_by = FAILURE_NO_ROOM;
    CHECK(start_fails_with(FAILURE_NO_ROOM));
    room_fails_by = FAILURE_NONE;
    for (int failure = FAILURE_NO_MEMORY; failure < FAILURES; failure++) {
        start_fails_by = (enum failure)failure;
        CHECK(start_fails_with(start_fails_by) && registrations == 0);
    }
    start_fails_by = FAILURE_NONE;
}

static void theProfilerIsInitialisedOnlyAfterTheNativeMethodsAreRegistered(void) {
    natives_fail_by = FAILURE_NATIVES;
    CHECK(start_fails_with(FAILURE_NATIVES) && registrations == 1 && calls == 0);
    natives_fail_by = FAILURE_NONE;
    CHECK(start_fails_with(FAILURE_CALL) && registrations == 1 && calls == 1 && asked == UPCALL_KIND_INITIALIZE);
}

static void aRefusalOfTheJavaHalfIsTheAnswer(void) {
    refuses = true;
    reply_class = "java/lang/String";
    CHECK(start_fails_with(FAILURE_NO_MEMORY) && registrations == 0 && calls == 0);     /* the text cannot be read */
    reply_class = NULL;
    refuses = false;
}

static void requestsWhileAnotherAttachIsPendingAreRefusedByTheirKind(void) {
    static const struct {
        enum message_type type;
        enum status status;
    } refused[] = {{MESSAGE_TYPE_ATTACH, STATUS_ATTACH_REFUSED}, {MESSAGE_TYPE_DETACH, STATUS_NO_PROFILER},
        {MESSAGE_TYPE_COMMAND, STATUS_NO_PROFILER}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        add(new_job(refused[i].type, 0, 16));
        CHECK(worker_await_attach() == NULL && results == 1 && result.status == refused[i].status);
    }
}

static void eachReasonHasItsOwnSentence(void) {
    for (int i = FAILURE_NO_MEMORY; i < FAILURES; i++) {
        struct answer answer = failure_answer((enum failure)i, MESSAGE_TYPE_ATTACH);
        CHECK(answer.status != STATUS_OK && answer.message != NULL && strlen(answer.message) > 10);
        for (int j = FAILURE_NO_MEMORY; j < i; j++) {
            CHECK(strcmp(answer.message, failure_answer((enum failure)j, MESSAGE_TYPE_ATTACH).message) != 0);
        }
    }
}

int main(void) {
    RUN(aForcedDetachNeedsNoMemoryForItsReason);
    RUN(aForcedDetachWithoutAQueuedRequestBeginsAfterTheQueuedOnes);
    RUN(theLogIsRestoredBetweenRequestsWhenThatIsDue);
    RUN(aFailedForcedDetachIsRepeatedOnlyByAnotherRequest);
    RUN(theEndOfALeaseIsARequestToDetach);
    RUN(theEndOfALeaseIsRequestedAgainAfterGrowingDelaysIfItIsRefused);
    RUN(theEndOfALeaseIsForcedIfTheProfilerCannotBeAsked);
    RUN(otherRequestsDoNotReachTheProfilerWithoutTheirBytes);
    RUN(aCommandWithoutRoomFailsWithAdviceToCollect);
    RUN(eachFailureOfARequestHasItsReason);
    RUN(anAnswerThatCannotBeReadHasItsReason);
    RUN(eachFailureOfAnAttachIsAnswered);
    RUN(theProfilerIsInitialisedOnlyAfterTheNativeMethodsAreRegistered);
    RUN(aRefusalOfTheJavaHalfIsTheAnswer);
    RUN(requestsWhileAnotherAttachIsPendingAreRefusedByTheirKind);
    RUN(eachReasonHasItsOwnSentence);
}
