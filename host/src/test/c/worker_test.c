/* Requests to the host's thread that fail in the host itself: each is answered with its own reason. */
#include "../../main/c/worker.c"

#include "check.h"

/* Doubles: a JVM without memory, in which a call to the profiler returns no answer. */
static enum upcall_kind asked;
static bool with_argument;
static int calls;
static bool heap_has_room;
static enum failure start_fails_by;
static int results;
static struct answer result;

static bool is_result(enum failure failure) {
    struct answer expected = failure_answer(failure);
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

static void JNICALL nothing(JNIEnv *env) {
    (void)env;
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
    return NULL;
}

bool java_has_room(JNIEnv *env, size_t bytes) {
    (void)env;
    (void)bytes;
    return heap_has_room;
}

jobject java_start(JNIEnv *env, struct job *attach, enum failure *failure) {
    (void)env;
    (void)attach;
    *failure = start_fails_by;
    return NULL;
}

void locals_reserve(JNIEnv *env, jint count) {
    (void)env;
    (void)count;
}

bool class_is(JNIEnv *env, jobject object, const char *name) {
    (void)env;
    (void)object;
    (void)name;
    return false;
}

void channel_result(int client, uint64_t serial, uint32_t status, const char *message) {
    (void)client;
    (void)serial;
    result = (struct answer){(enum status)status, message};
    results++;
}

/* Not called here. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define UNUSED(TYPE, NAME, ...) TYPE NAME(__VA_ARGS__) { abort(); }
UNUSED(void, channel_send, int a, uint64_t b, enum message_type c, const struct bytes *d, int e)
UNUSED(bool, channel_gone, uint64_t a, uint32_t b)
UNUSED(void, log_gone, void)
UNUSED(void, log_forget, void)
UNUSED(void, proof_ask, JNIEnv *a, struct proof *b, bool c)
UNUSED(void, proof_say, JNIEnv *a, struct proof *b, bool c, char *d, size_t e)
UNUSED(bool, retainers_find, JNIEnv *a, char *b, size_t c, bool d)
UNUSED(bool, suspensions_end, void)
UNUSED(bool, queue_is_waiting, void)
UNUSED(void, queue_deliver, JNIEnv *a)
UNUSED(void, queue_clear, JNIEnv *a)
UNUSED(void, events_stop, void)
UNUSED(void, events_close, JNIEnv *a)
UNUSED(bool, events_are_gone, void)
UNUSED(bool, java_is_started, void)
UNUSED(bool, java_is_gone, JNIEnv *a)
UNUSED(bool, java_takes_commands, JNIEnv *a)
UNUSED(void, java_drop, JNIEnv *a)
UNUSED(void, java_forget, JNIEnv *a)
UNUSED(void, record_pinned, const char *a)
UNUSED(void, record_state, enum host_state a)
UNUSED(void, listener_stop, void)
UNUSED(void, listener_await_close, void)

static struct JNINativeInterface_ functions = {
    .PushLocalFrame = no_frame, .PopLocalFrame = pop_frame, .NewByteArray = no_array, .SetByteArrayRegion = fill,
    .ExceptionClear = nothing, .DeleteLocalRef = forget};

static struct job *new_job(int kind, uint8_t flags, size_t length) {
    struct job *job = calloc(1, sizeof *job);
    job->kind = kind;
    job->payload = (struct bytes){calloc(1, 16), length};
    job->payload.at[0] = flags;
    calls = results = 0;
    return job;
}

static void request_of(int kind, uint8_t flags, size_t length) {
    JNIEnv env = &functions;
    run_job(&env, new_job(kind, flags, length));
}

static void request(int kind, uint8_t flags) {
    request_of(kind, flags, 16);
}

static void aForcedDetachNeedsNoMemoryForItsReason(void) {
    request(JOB_DETACH, DETACH_FLAG_FORCE);
    CHECK(calls == 1 && asked == UPCALL_KIND_DETACH_FORCED && !with_argument);
}

static void otherRequestsDoNotReachTheProfilerWithoutTheirBytes(void) {
    request(JOB_DETACH, 0);
    CHECK(calls == 0);
    request(JOB_COMMAND, 0);
    CHECK(calls == 0);
}

static void eachFailureOfARequestHasItsReason(void) {
    heap_has_room = true;
    functions.PushLocalFrame = no_frame;
    request(JOB_COMMAND, 0);
    CHECK(calls == 0 && is_result(FAILURE_NO_MEMORY));
    functions.PushLocalFrame = a_frame;
    functions.NewByteArray = no_array;
    request(JOB_COMMAND, 0);
    CHECK(calls == 0 && is_result(FAILURE_NO_MEMORY));
    functions.NewByteArray = an_array;
    request(JOB_COMMAND, 0);
    CHECK(calls == 1 && is_result(FAILURE_CALL));
    request_of(JOB_DETACH, 0, 3);
    CHECK(calls == 0 && is_result(FAILURE_MALFORMED_REQUEST));
}

static void eachFailureOfAnAttachIsAnswered(void) {
    JNIEnv env = &functions;
    functions.PushLocalFrame = no_frame;
    struct job *job = new_job(JOB_ATTACH, 0, 16);
    CHECK(!start_profiler(&env, job) && is_result(FAILURE_NO_MEMORY));
    functions.PushLocalFrame = a_frame;
    for (int failure = FAILURE_NO_MEMORY; failure < FAILURES; failure++) {
        start_fails_by = (enum failure)failure;
        results = 0;
        CHECK(!start_profiler(&env, job) && is_result(start_fails_by));
    }
    free_job(job);
}

static void eachReasonHasItsOwnSentence(void) {
    for (int i = FAILURE_NO_MEMORY; i < FAILURES; i++) {
        struct answer answer = failure_answer((enum failure)i);
        CHECK(answer.status != STATUS_OK && answer.message != NULL && strlen(answer.message) > 10);
        for (int j = FAILURE_NO_MEMORY; j < i; j++) {
            CHECK(strcmp(answer.message, failure_answer((enum failure)j).message) != 0);
        }
    }
}

int main(void) {
    RUN(aForcedDetachNeedsNoMemoryForItsReason);
    RUN(otherRequestsDoNotReachTheProfilerWithoutTheirBytes);
    RUN(eachFailureOfARequestHasItsReason);
    RUN(eachFailureOfAnAttachIsAnswered);
    RUN(eachReasonHasItsOwnSentence);
}
