/*
 * The host's thread: starts the Java half, delivers requests from the channel and events from the JVM to it, and
 * finally releases everything in an order that leaves nothing behind. Its last instruction closes the library.
 */
#define _GNU_SOURCE
#include "worker.h"
#include "attach.h"
#include "bytes.h"
#include "callbacks.h"
#include "channel.h"
#include "classes.h"
#include "clock.h"
#include "events.h"
#include "failures.h"
#include "heap_room.h"
#include "host.h"
#include "java.h"
#include "jobs.h"
#include "life.h"
#include "listener.h"
#include "log.h"
#include "natives.h"
#include "proof.h"
#include "queue.h"
#include "record.h"
#include "retainers.h"
#include "suspensions.h"
#include "wake.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#if defined(__has_attribute) && __has_attribute(no_stack_protector)
#define NO_STACK_CHECK __attribute__((no_stack_protector))
#else
#define NO_STACK_CHECK __attribute__((optimize("no-stack-protector")))
#endif

/* The first and the longest delay between two searches for retainers. */
enum { FIRST_LOOK_MILLIS = 20, MAX_LOOK_MILLIS = 2000, MAX_LOOK_UNCOLLECTED_MILLIS = 300000 };
enum { LOOKS_FOR_CALLERS = 5 };

/* Requires the lock. Waits for a change. Returns false if the time has been reached. */
static bool worker_wait_until(uint64_t monotonic_nanos) {
    struct timespec until = {
        .tv_sec = (time_t)(monotonic_nanos / 1000000000u), .tv_nsec = (long)(monotonic_nanos % 1000000000u)};
    return pthread_cond_timedwait(&host.changed, &host.lock, &until) != ETIMEDOUT;
}

static void worker_refuse(struct job *job, enum status status, const char *why) {
    channel_result(job->client, job->serial, status, why);
    job_free(job);
}

/*
 * Returns the trigger's own request, or NULL if it did not arrive in time. Requests from other clients are refused
 * meanwhile.
 */
static struct job *worker_await_attach(void) {
    uint64_t left = host.deadline > now_boottime() ? host.deadline - now_boottime() : 0;
    uint64_t until = now_monotonic() + left;
    for (bool in_time = true; in_time;) {
        pthread_mutex_lock(&host.lock);
        while (host.first == NULL && in_time && !host.lease_ended) {
            in_time = worker_wait_until(until);
        }
        struct job *job = host.lease_ended ? NULL : job_take();
        in_time = in_time && !host.lease_ended;
        pthread_mutex_unlock(&host.lock);
        if (job == NULL) {
            continue;
        }
        if (job->type != MESSAGE_TYPE_ATTACH || job->payload.length < ATTACH_OFFSET_BLOBS
                || memcmp(job->payload.at, host.request, sizeof host.request) != 0) {
            worker_refuse(job, job->type == MESSAGE_TYPE_ATTACH ? STATUS_ATTACH_REFUSED : STATUS_NO_PROFILER,
                   "another process is attaching a profiler");
        } else if (now_boottime() >= host.deadline) {
            worker_refuse(job, STATUS_TIMEOUT, "the request came after its deadline");
            return NULL;
        } else {
            return job;
        }
    }
    return NULL;
}

/* Returns true if a request to detach permits full collections, and records that permission. */
static bool worker_allows_collection(const struct job *job) {
    const uint8_t *at = job->payload.at;
    bool allows = job->type == MESSAGE_TYPE_DETACH && job->payload.length >= 4 && (at[0] & DETACH_FLAG_COLLECT) != 0;
    if (allows) {
        pthread_mutex_lock(&host.lock);
        host.collect = true;
        pthread_mutex_unlock(&host.lock);
    }
    return allows;
}

static void worker_answer_failure(const struct job *job, enum failure failure) {
    struct answer answer = failure_answer(failure, job->type);
    channel_result(job->client, job->serial, answer.status, answer.message);
}

/* The Java half answers with a frame's type and content, or with a string if it could not start. */
static void worker_answer(JNIEnv *env, struct job *job, jobject reply) {
    if (class_is(env, reply, "java/lang/String")) {
        const char *text = (*env)->GetStringUTFChars(env, reply, NULL);
        if (text != NULL) {
            channel_result(job->client, job->serial, STATUS_FAILED, text);
            (*env)->ReleaseStringUTFChars(env, reply, text);
        } else {
            (*env)->ExceptionClear(env);
            worker_answer_failure(job, FAILURE_NO_MEMORY);
        }
        return;
    }
    jsize length = class_is(env, reply, "[B") ? (*env)->GetArrayLength(env, reply) : 0;
    if (length == 0) {
        worker_answer_failure(job, FAILURE_CALL);
    } else {
        jbyte *at = (*env)->GetByteArrayElements(env, reply, NULL);
        if (at != NULL) {
            struct bytes part = {(uint8_t *)at + 1, (size_t)length - 1};
            channel_send(job->client, job->serial, (enum message_type)(uint8_t)at[0], &part, 1);
            (*env)->ReleaseByteArrayElements(env, reply, at, JNI_ABORT);
        } else {
            (*env)->ExceptionClear(env);
            worker_answer_failure(job, FAILURE_NO_MEMORY);
        }
    }
}

/* Begins a forced detach in the Java half. Omits the reason, for which a full heap may have no room. */
static jobject worker_force(JNIEnv *env) {
    locals_reserve(env, 1);
    return java_ask(env, UPCALL_KIND_DETACH_FORCED, NULL);
}

static void worker_run_job(JNIEnv *env, struct job *job) {
    if (job->type == MESSAGE_TYPE_ATTACH) {
        worker_refuse(job, STATUS_ATTACH_REFUSED, "a profiler is active");
        return;
    }
    bool forced = job->type == MESSAGE_TYPE_DETACH && job->payload.length >= 4
            && (job->payload.at[0] & DETACH_FLAG_FORCE) != 0;
    enum upcall_kind kind = job->type == MESSAGE_TYPE_COMMAND ? UPCALL_KIND_COMMAND : UPCALL_KIND_DETACH_REQUESTED;
    size_t skipped = job->type == MESSAGE_TYPE_DETACH ? 4 : 0;
    worker_allows_collection(job);
    enum failure failure = forced ? FAILURE_NONE : heap_make_room(env, job->payload.length);
    if (forced) {
        jobject reply = worker_force(env);
        worker_answer(env, job, reply);
        (*env)->DeleteLocalRef(env, reply);
    } else if (failure != FAILURE_NONE) {
        worker_answer_failure(job, failure);
    } else if (job->payload.length < skipped) {
        worker_answer_failure(job, FAILURE_MALFORMED_REQUEST);
    } else if ((*env)->PushLocalFrame(env, 16) != 0) {
        (*env)->ExceptionClear(env);
        worker_answer_failure(job, FAILURE_NO_MEMORY);
    } else {
        jsize length = (jsize)(job->payload.length - skipped);
        jbyteArray bytes = (*env)->NewByteArray(env, length);
        if (bytes != NULL) {
            (*env)->SetByteArrayRegion(env, bytes, 0, length, (jbyte *)job->payload.at + skipped);
        }
        (*env)->ExceptionClear(env);
        if (bytes == NULL) {
            worker_answer_failure(job, FAILURE_NO_MEMORY);
        } else {
            worker_answer(env, job, java_ask(env, kind, bytes));
        }
        (*env)->PopLocalFrame(env, NULL);
    }
    job_free(job);
}

/*
 * Answers a request while a detach waits. A command still reaches the profiler, which may use it to end the cause of
 * the wait; a request to detach may permit full collections. All other requests are refused.
 */
static void worker_answer_late(struct job *job) {
    JNIEnv *env;
    bool is_command = job->type == MESSAGE_TYPE_COMMAND && host.was_active;
    if (is_command && (*host.vm)->GetEnv(host.vm, (void **)&env, JNI_VERSION_10) == 0 && java_takes_commands(env)) {
        worker_run_job(env, job);
    } else if (worker_allows_collection(job)) {
        worker_refuse(job, 0, "");
    } else {
        worker_refuse(job, STATUS_PROFILER_DETACHING, is_command
                ? "the profiler is being detached, and its command handler has been unloaded"
                : "the profiler is being detached");
    }
}

/*
 * Requests the detach at the end of a lease, as a client does that does not wait. Returns false if the request may not
 * have reached the profiler, for example because the program's heap is full.
 */
static bool worker_request_end(JNIEnv *env) {
    static const char why[] = "the process that attached it has ended";
    if ((*env)->PushLocalFrame(env, 16) != 0) {
        (*env)->ExceptionClear(env);
        return false;
    }
    jbyteArray reason = (*env)->NewByteArray(env, sizeof why - 1);
    jobject reply = NULL;
    if (reason != NULL) {
        (*env)->SetByteArrayRegion(env, reason, 0, sizeof why - 1, (const jbyte *)why);
        reply = java_ask(env, UPCALL_KIND_DETACH_REQUESTED, reason);
    }
    (*env)->ExceptionClear(env);
    (*env)->PopLocalFrame(env, NULL);
    return reply != NULL;
}

/*
 * Ends a lease. If the profiler cannot be asked, a forced detach begins, which needs no memory: no other client would
 * request the detach.
 */
static void worker_end_lease(JNIEnv *env) {
    if (!worker_request_end(env)) {
        pthread_mutex_lock(&host.lock);
        life_force_locked();
        pthread_mutex_unlock(&host.lock);
    }
}

/* Delivers the queued events. */
static void worker_deliver_events(JNIEnv *env) {
    for (struct event *event = queue_take_all(), *next; event != NULL; event = next) {
        next = event->next;
        if ((*env)->PushLocalFrame(env, 16) != 0) {
            (*env)->ExceptionClear(env);
        } else {
            jobject argument = event->class != NULL ? event->class : event_to_java(env, event);
            if (argument != NULL) {
                java_tell(env, event->kind, argument);
            }
            (*env)->PopLocalFrame(env, NULL);
        }
        event_free(env, event);
    }
}

/*
 * Delivers requests and events until a detach begins. The channel changes the state to FORCED even if its queue has no
 * place for that request, so a forced detach begins here if no request is left.
 */
static void worker_serve(JNIEnv *env) {
    bool tried = false;
    for (;;) {
        pthread_mutex_lock(&host.lock);
        while (host.first == NULL && !life_is(HOST_LIFE_DETACHING) && (tried || !life_is(HOST_LIFE_FORCED))
                && !host.lease_ended && !queue_is_waiting()) {
            pthread_cond_wait(&host.changed, &host.lock);
        }
        bool detaching = life_is(HOST_LIFE_DETACHING);
        bool forced = life_is(HOST_LIFE_FORCED);
        bool lease_ended = host.lease_ended;
        host.lease_ended = false;
        struct job *job = detaching ? NULL : job_take();
        pthread_mutex_unlock(&host.lock);
        if (detaching) {
            return;
        }
        worker_deliver_events(env);
        if (lease_ended) {
            worker_end_lease(env);
        }
        if (job != NULL) {
            worker_run_job(env, job);
        } else if (forced) {
            (*env)->DeleteLocalRef(env, worker_force(env));
        }
        tried = job == NULL && forced;
    }
}

/* Waits for a request, up to the given time, and answers it. */
static void worker_look_later(int millis) {
    uint64_t until = now_monotonic() + (uint64_t)millis * 1000000u;
    pthread_mutex_lock(&host.lock);
    struct job *job;
    while ((job = job_take()) == NULL && worker_wait_until(until)) {
    }
    pthread_mutex_unlock(&host.lock);
    if (job != NULL) {
        worker_answer_late(job);
    }
}

/*
 * Returns the next delay. An inspection uses some of the program's heap, so inspections become rarer in a JVM that
 * never collects.
 */
static int worker_longer_delay(int millis) {
    int last = host.never_collects ? MAX_LOOK_UNCOLLECTED_MILLIS : MAX_LOOK_MILLIS;
    return millis * 2 > last ? last : millis * 2;
}

/* Describes a thread that has a frame of the profiler. Returns false if there is none. */
static bool worker_find_pinning_thread(JNIEnv *env, char *text, size_t size) {
    snprintf(text, size, "a thread: there is no memory to read the stacks");
    if ((*env)->PushLocalFrame(env, 16) != 0) {
        (*env)->ExceptionClear(env);
        return true;
    }
    jstring thread = java_ask(env, UPCALL_KIND_PINNING_THREAD, NULL);
    if (thread != NULL) {
        const char *chars = (*env)->GetStringUTFChars(env, thread, NULL);
        snprintf(text, size, "%s", chars == NULL ? "a thread" : chars);
        if (chars != NULL) {
            (*env)->ReleaseStringUTFChars(env, thread, chars);
        }
        (*env)->ExceptionClear(env);
    }
    (*env)->PopLocalFrame(env, NULL);
    return thread != NULL;
}

/* Waits until no thread has a frame of the profiler. */
static void worker_await_no_pinning_thread(JNIEnv *env) {
    char text[sizeof host.record->pinned_by];
    int millis = FIRST_LOOK_MILLIS;
    while (worker_find_pinning_thread(env, text, sizeof text)) {
        life_pinned(text);
        worker_look_later(millis);
        millis = worker_longer_delay(millis);
    }
    life_not_pinned();
}

/*
 * Where classes are never unloaded, no collection can prove that the profiler will not be called again, so the usual
 * places are inspected instead. Code that calls the profiler periodically is on a stack or in a queue only briefly, so
 * the places are inspected several times.
 */
static void worker_await_no_caller(JNIEnv *env) {
    char text[sizeof host.record->pinned_by];
    int millis = FIRST_LOOK_MILLIS;
    for (int looks = 0; looks < LOOKS_FOR_CALLERS;) {
        if (retainers_find(env, text, sizeof text, true)
                || (java_is_started() && worker_find_pinning_thread(env, text, sizeof text))) {
            looks = 0;
            life_pinned(text);
            worker_look_later(millis);
            millis = worker_longer_delay(millis);
        } else {
            looks++;
            worker_look_later(FIRST_LOOK_MILLIS);
        }
    }
    life_not_pinned();
}

/* Refuses all requests that have arrived meanwhile. */
static void worker_refuse_all(void) {
    for (bool more = true; more;) {
        pthread_mutex_lock(&host.lock);
        struct job *job = job_take();
        pthread_mutex_unlock(&host.lock);
        more = job != NULL;
        if (more) {
            worker_refuse(job, STATUS_PROFILER_DETACHING, "the profiler is being detached");
        }
    }
}

/* Waits until the JVM has accepted the command to stop logging. */
static void worker_await_log_off(void) {
    for (int millis = FIRST_LOOK_MILLIS; !suspensions_end(); millis = worker_longer_delay(millis)) {
        life_pinned("the JVM, which still logs safepoints for it: its attach listener does not answer");
        worker_look_later(millis);
    }
    life_not_pinned();
}

/*
 * Returns true if the profiler's classes have been unloaded. Where they never are, an earlier step has shown that no
 * code calls them.
 */
static bool worker_is_released(JNIEnv *env) {
    return host.dormant || java_is_gone(env);
}

static bool worker_is_gone(JNIEnv *env) {
    return worker_is_released(env) && events_are_gone();
}

/* Waits until a collection has shown that nothing of the profiler remains. */
static void worker_await_gone(JNIEnv *env) {
    char text[sizeof host.record->pinned_by];
    struct proof proof = {0};
    for (int millis = FIRST_LOOK_MILLIS; !worker_is_gone(env); millis = worker_longer_delay(millis)) {
        proof_ask(env, &proof, worker_is_released(env));
        if (worker_is_gone(env)) {
            break;
        }
        if (proof.settled) {
            proof_say(env, &proof, worker_is_released(env), text, sizeof text);
            life_pinned(text);
        }
        worker_look_later(millis);
    }
    worker_refuse_all();
    queue_clear(env);
    host.unseen = !channel_gone(proof.spent, proof.collections);
}

static void worker_run_down(JNIEnv *env) {
    life_to(HOST_LIFE_RUNDOWN);
    events_stop();
    pthread_mutex_lock(&host.lock);
    while (atomic_load(&host.record->callbacks) != 0) {
        struct job *job = job_take();
        if (job == NULL) {
            pthread_cond_wait(&host.changed, &host.lock);
            continue;
        }
        pthread_mutex_unlock(&host.lock);
        worker_answer_late(job);
        pthread_mutex_lock(&host.lock);
    }
    pthread_mutex_unlock(&host.lock);
    if (java_is_started()) {
        worker_await_no_pinning_thread(env);
        if (host.was_active) {
            java_ask(env, UPCALL_KIND_DETACH_SUCCEEDED, NULL);
            worker_await_no_pinning_thread(env);
        }
    }
    if (host.dormant) {
        worker_await_no_caller(env);
    }
    if (host.dormant && java_is_started()) {
        java_ask(env, UPCALL_KIND_FORGET, NULL);
    }
    worker_await_log_off();
    java_drop(env);
    life_to(HOST_LIFE_RELEASED);
    events_close(env);
    worker_await_gone(env);
    java_forget(env);
}

/*
 * Starts the Java half and lets it initialise the profiler. Returns the answer to the trigger as a frame's type and
 * content; a string if the Java half failed; NULL and a failure otherwise.
 */
static jobject worker_initialize(JNIEnv *env, const struct bytes *payload, enum failure *failure) {
    struct attach attach;
    jclass natives = NULL;
    *failure = attach_read(payload, &attach);
    if (*failure == FAILURE_NONE) {
        *failure = heap_make_room(env, payload->length);
    }
    jobject reply = *failure == FAILURE_NONE ? java_start(env, &attach, &natives, failure) : NULL;
    if (natives == NULL) {
        return reply;   /* a failure or a refusal, before the profiler's initialisation */
    }
    *failure = natives_register(env, natives);
    if (*failure == FAILURE_NONE) {
        reply = java_ask(env, UPCALL_KIND_INITIALIZE, NULL);
        *failure = reply == NULL ? FAILURE_CALL : FAILURE_NONE;
    }
    return reply;
}

/* Starts the profiler and answers the trigger, even on failure. */
static void worker_start_profiler(JNIEnv *env, struct job *attach) {
    if ((*env)->PushLocalFrame(env, 32) != 0) {
        (*env)->ExceptionClear(env);
        worker_answer_failure(attach, FAILURE_NO_MEMORY);
        return;
    }
    enum failure failure;
    jobject reply = worker_initialize(env, &attach->payload, &failure);
    if (failure != FAILURE_NONE) {
        worker_answer_failure(attach, failure);
    } else {
        worker_answer(env, attach, reply);
    }
    (*env)->PopLocalFrame(env, NULL);
}

static void worker_host_profiler(struct job *attach) {
    JNIEnv *env;
    JavaVMAttachArgs arguments = {JNI_VERSION_10, "Mayfly host", NULL};
    if ((*host.vm)->AttachCurrentThreadAsDaemon(host.vm, (void **)&env, &arguments) != 0) {
        worker_refuse(attach, STATUS_ATTACH_REFUSED, "the JVM does not accept another thread");
        return;
    }
    life_to(HOST_LIFE_INITIALIZING);
    worker_start_profiler(env, attach);
    job_free(attach);
    if (host.was_active) {
        worker_serve(env);
    }
    worker_run_down(env);
    (*host.vm)->DetachCurrentThread(host.vm);
}

/* Ends the channel's thread and releases all resources that were opened. */
static void worker_close(void) {
    life_to(HOST_LIFE_GONE);    /* has an effect only if no profiler was started */
    wake_channel();
    pthread_join(host.channel, NULL);
    for (struct job *job; (job = job_take()) != NULL;) {
        job_free(job);
    }
    channel_close_files();
    if (host.was_active && host.unseen) {
        log_gone();
    }
    log_forget();
    if (host.stop_listener) {
        listener_stop();
    }
    record_close();
    callbacks_close();
}

static void worker_run_host(void) {
    struct job *attach = worker_await_attach();
    if (attach != NULL) {
        worker_host_profiler(attach);
    }
    worker_close();
}

__attribute__((noinline)) static void worker_do(enum work work) {
    prctl(PR_SET_NAME, "Mayfly host");
    switch (work) {
        case HOST_A_PROFILER:
            worker_run_host();
            break;
        case STOP_LISTENER:
            listener_stop();
            listener_await_close();
            break;
        case AWAIT_CLOSE:
            listener_await_close();
            break;
    }
}

/*
 * The library is unmapped when this thread leaves it: a jump to dlclose replaces the return, so that no instruction of
 * this library runs afterwards. A stack protector check in the caller of such a jump would be such an instruction:
 * there is none here, whatever the compiler options. HostLibraryTest checks for the jump.
 */
NO_STACK_CHECK void *worker_run(void *work) {
    worker_do(*(const enum work *)work);
    int (*volatile close_library)(void *) = dlclose;
    void *(*leave)(void *) = (void *(*)(void *))(uintptr_t)close_library;
    return leave(host.self);
}
