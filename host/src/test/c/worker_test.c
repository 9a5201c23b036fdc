/* Requests to the host's thread where the program's heap is full. */
#include "../../main/c/worker.c"

#include "check.h"

/* Doubles: a JVM that has no memory, and in which a call of the profiler answers nothing. */
static enum upcall asked;
static bool with_argument;
static int calls;

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

jobject java_ask(JNIEnv *env, enum upcall kind, jobject argument) {
    (void)env;
    asked = kind;
    with_argument = argument != NULL;
    calls++;
    return NULL;
}

bool java_has_room(JNIEnv *env, size_t bytes) {
    (void)env;
    (void)bytes;
    return false;
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
    (void)status;
    (void)message;
}

/* Never reached here. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define UNUSED(TYPE, NAME, ...) TYPE NAME(__VA_ARGS__) { abort(); }
UNUSED(void, channel_send, int a, uint64_t b, enum frame_type c, const struct bytes *d, int e)
UNUSED(bool, channel_gone, uint64_t a, uint32_t b)
UNUSED(void, log_gone, void)
UNUSED(void, log_forget, void)
UNUSED(void, proof_ask, JNIEnv *a, struct proof *b, bool c)
UNUSED(void, proof_say, JNIEnv *a, struct proof *b, bool c, char *d, size_t e)
UNUSED(bool, suspects_find, JNIEnv *a, char *b, size_t c, bool d)
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
UNUSED(jobject, java_start, JNIEnv *a, struct job *b)
UNUSED(void, record_pinned, const char *a)
UNUSED(void, record_state, enum host_state a)
UNUSED(void, listener_stop, void)
UNUSED(void, listener_await_close, void)

static void request(int kind, uint8_t flags) {
    const struct JNINativeInterface_ functions = {
        .PushLocalFrame = no_frame, .NewByteArray = no_array, .ExceptionClear = nothing, .DeleteLocalRef = forget};
    JNIEnv env = &functions;
    struct job *job = calloc(1, sizeof *job);
    job->kind = kind;
    job->payload = (struct bytes){calloc(1, 16), 16};
    job->payload.at[0] = flags;
    calls = 0;
    run_job(&env, job);
}

static void aForcedDetachNeedsNoMemoryForItsReason(void) {
    request(JOB_DETACH, FORCE_DETACH);
    CHECK(calls == 1 && asked == DETACH_FORCED && !with_argument);
}

static void otherRequestsDoNotReachTheProfilerWithoutTheirBytes(void) {
    request(JOB_DETACH, 0);
    CHECK(calls == 0);
    request(JOB_COMMAND, 0);
    CHECK(calls == 0);
}

int main(void) {
    RUN(aForcedDetachNeedsNoMemoryForItsReason);
    RUN(otherRequestsDoNotReachTheProfilerWithoutTheirBytes);
}
