/* The host's thread with doubles: a JVM without memory, in which a call to the profiler returns no answer. */
#ifndef MAYFLY_WORKER_DOUBLES_H
#define MAYFLY_WORKER_DOUBLES_H

#include "../../main/c/jobs.c"
#include "../../main/c/requests.c"
#include "../../main/c/rundown.c"
#include "../../main/c/worker.c"

#include "check.h"

#include <unistd.h>

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

static void JNICALL get_status(JNIEnv *env, jbyteArray array, jsize from, jsize length, jbyte *to) {
    (void)env;
    (void)array;
    CHECK(from == 1 && length == 1);
    *to = reply_status;
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

#endif
