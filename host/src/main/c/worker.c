/*
 * The host's thread: starts the Java half, delivers requests from the channel and events from the JVM to it, and
 * finally releases everything. Its last instruction closes the library.
 */
#define _GNU_SOURCE
#include "worker.h"
#include "attach.h"
#include "bytes.h"
#include "callbacks.h"
#include "channel.h"
#include "classes.h"
#include "clock.h"
#include "failures.h"
#include "heap_room.h"
#include "host.h"
#include "java.h"
#include "jobs.h"
#include "life.h"
#include "listener.h"
#include "log.h"
#include "natives.h"
#include "queue.h"
#include "record.h"
#include "requests.h"
#include "rundown.h"
#include "timer.h"
#include "vmlog.h"
#include "wake.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/prctl.h>

#if defined(__has_attribute) && __has_attribute(no_stack_protector)
#define NO_STACK_CHECK __attribute__((no_stack_protector))
#else
#define NO_STACK_CHECK __attribute__((optimize("no-stack-protector")))
#endif

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
            in_time = host_wait_until(until);
        }
        struct job *job = host.lease_ended ? NULL : job_take();
        in_time = in_time && !host.lease_ended;
        pthread_mutex_unlock(&host.lock);
        if (job == NULL) {
            continue;
        }
        if (job->type != MESSAGE_TYPE_ATTACH || job->payload.length < ATTACH_OFFSET_BLOBS
                || memcmp(job->payload.at, host.request, sizeof host.request) != 0) {
            request_refuse(job, job->type == MESSAGE_TYPE_ATTACH ? STATUS_ATTACH_REFUSED : STATUS_NO_PROFILER,
                   "another process is attaching a profiler");
        } else if (now_boottime() >= host.deadline) {
            request_refuse(job, STATUS_TIMEOUT, "the request came after its deadline");
            return NULL;
        } else {
            return job;
        }
    }
    return NULL;
}

/* The delays of further requests to detach after the end of a lease: each is twice the last one. */
#define WORKER_FIRST_DELAY_NANOS 1000000000ull
#define WORKER_LAST_DELAY_NANOS 60000000000ull

static uint64_t worker_lease_delay;     /* of the last further request; 0 before the first */

/* Returns the status in a reply of the Java half; FAILED if there is none. */
static enum status worker_status(JNIEnv *env, jobject reply) {
    jbyte status = STATUS_FAILED;
    if (class_is(env, reply, "[B") && (*env)->GetArrayLength(env, reply) > 1 + RESULT_OFFSET_MESSAGE) {
        (*env)->GetByteArrayRegion(env, reply, 1 + RESULT_OFFSET_STATUS, 1, &status);   /* each is less than 128 */
    }
    return (enum status)status;
}

static bool worker_may_succeed_later(enum status status) {
    return status == STATUS_FAILED || status == STATUS_IRREVERSIBLE_INSTRUMENTATION;
}

/* The outcome of a request to detach at the end of a lease. */
enum asked { NOT_ASKED, REFUSED_NOW, OVER };

/*
 * Requests the detach at the end of a lease, as a client without DETACH_FLAG_WAIT does. Without an answer the request
 * may not have reached the profiler, for example because the program's heap is full.
 */
static enum asked worker_request_end(JNIEnv *env) {
    static const char why[] = "the process that attached it has ended";
    if ((*env)->PushLocalFrame(env, 16) != 0) {
        (*env)->ExceptionClear(env);
        return NOT_ASKED;
    }
    jbyteArray reason = (*env)->NewByteArray(env, sizeof why - 1);
    jobject reply = NULL;
    if (reason != NULL) {
        (*env)->SetByteArrayRegion(env, reason, 0, sizeof why - 1, (const jbyte *)why);
        reply = java_ask(env, UPCALL_KIND_DETACH_REQUESTED, reason);
    }
    (*env)->ExceptionClear(env);
    enum asked answered = worker_may_succeed_later(worker_status(env, reply)) ? REFUSED_NOW : OVER;
    enum asked outcome = reply == NULL ? NOT_ASKED : answered;
    (*env)->PopLocalFrame(env, NULL);
    return outcome;
}

/* Begins a forced detach, which needs no memory. Without probes it is not refused; worker_serve continues it. */
static enum asked worker_force_end(JNIEnv *env) {
    pthread_mutex_lock(&host.lock);
    life_force_locked();
    pthread_mutex_unlock(&host.lock);
    if (!atomic_load(&host.probed)) {
        return OVER;
    }
    jobject reply = request_force(env);
    enum asked outcome = worker_may_succeed_later(worker_status(env, reply)) ? REFUSED_NOW : OVER;
    (*env)->DeleteLocalRef(env, reply);
    return outcome;
}

/*
 * Ends a lease: requests the detach, and forces it if the profiler cannot be asked. No other client would request it
 * again, so a refusal, for example because a probe cannot be removed now, is followed by further requests.
 */
static void worker_end_lease(JNIEnv *env) {
    enum asked outcome = worker_request_end(env);
    outcome = outcome == NOT_ASKED ? worker_force_end(env) : outcome;
    if (outcome == REFUSED_NOW) {
        uint64_t next = worker_lease_delay == 0 ? WORKER_FIRST_DELAY_NANOS : worker_lease_delay * 2;
        worker_lease_delay = next < WORKER_LAST_DELAY_NANOS ? next : WORKER_LAST_DELAY_NANOS;
        timer_lease_after(worker_lease_delay);
    }
}

/* Delivers an event and frees it. */
static void worker_deliver(JNIEnv *env, struct event *event) {
    if ((*env)->PushLocalFrame(env, 16) != 0) {
        (*env)->ExceptionClear(env);
        atomic_fetch_add(&host.record->lost, 1);
    } else {
        jobject argument = event_to_java(env, event);
        if (argument != NULL) {
            java_deliver(env, event->kind, argument);
        } else {
            atomic_fetch_add(&host.record->lost, 1);    /* the program's heap is full */
        }
        (*env)->PopLocalFrame(env, NULL);
    }
    event_free(env, event);
}

/*
 * Delivers the queued events. After lines of the JVM's log, the Java half is informed that there are no more; later,
 * too, if it has requested that.
 */
static void worker_deliver_events(JNIEnv *env) {
    bool logged = timer_take_look();
    for (struct event *event = queue_take_all(), *next; event != NULL; event = next) {
        next = event->next;
        logged = logged || event->kind == UPCALL_KIND_LOG_LINE;
        worker_deliver(env, event);
    }
    if (logged) {
        java_deliver(env, UPCALL_KIND_LOG_READ, NULL);
    }
}

/* Delivers a tick of the timer if one is due. */
static void worker_deliver_tick(JNIEnv *env) {
    jlong missed;
    struct event *event = timer_take(&missed) ? event_new(UPCALL_KIND_TIMER, missed, 0) : NULL;
    if (event != NULL) {
        worker_deliver(env, event);
    }
}

/* Lets the Java half look at the threads if a look is due. */
static void worker_poll(JNIEnv *env) {
    if (timer_take_poll()) {
        java_deliver(env, UPCALL_KIND_POLL, NULL);
    }
}

/*
 * Delivers requests, events, ticks and looks until a detach begins. Between two ticks a waiting request is executed.
 * The channel changes the state to FORCED even if its queue has no place for that request, so a forced detach begins
 * here if no request is left.
 */
static void worker_serve(JNIEnv *env) {
    bool tried = false;
    for (;;) {
        pthread_mutex_lock(&host.lock);
        while (host.first == NULL && !life_is(HOST_LIFE_DETACHING) && (tried || !life_is(HOST_LIFE_FORCED))
                && !host.lease_ended && !queue_is_waiting() && !timer_is_due_locked()) {
            timer_wait_locked();
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
        if (lease_ended || timer_take_lease()) {
            worker_end_lease(env);
        }
        if (job != NULL) {
            request_run(env, job);
        } else if (forced) {
            (*env)->DeleteLocalRef(env, request_force(env));
        }
        tried = job == NULL && forced;
        worker_deliver_tick(env);
        worker_poll(env);
        if (timer_take_log()) {
            vmlog_restore_again();
        }
    }
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
        request_fail(attach, FAILURE_NO_MEMORY);
        return;
    }
    enum failure failure;
    jobject reply = worker_initialize(env, &attach->payload, &failure);
    if (failure != FAILURE_NONE) {
        request_fail(attach, failure);
    } else {
        request_answer(env, attach, reply);
    }
    (*env)->PopLocalFrame(env, NULL);
}

static void worker_host_profiler(struct job *attach) {
    JNIEnv *env;
    JavaVMAttachArgs arguments = {JNI_VERSION_10, HOST_NAME_THREAD, NULL};
    if ((*host.vm)->AttachCurrentThreadAsDaemon(host.vm, (void **)&env, &arguments) != 0) {
        request_refuse(attach, STATUS_ATTACH_REFUSED, "the JVM does not accept another thread");
        return;
    }
    life_to(HOST_LIFE_INITIALIZING);
    worker_start_profiler(env, attach);
    job_free(attach);
    if (host.was_active) {
        worker_serve(env);
    }
    rundown_run(env);
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
    bool was_asked = record_refuse_listener();
    if ((host.stop_listener || was_asked) && !record_leave_listener()) {
        listener_stop();
    }
    record_close();
    callbacks_close();
}

static void worker_run_host(void) {
    record_thread();
    struct job *attach = worker_await_attach();
    if (attach != NULL) {
        worker_host_profiler(attach);
    }
    worker_close();
}

__attribute__((noinline)) static void worker_do(enum work work) {
    prctl(PR_SET_NAME, HOST_NAME_THREAD);
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
 * this library runs afterwards. A stack protector check in this function would be such an instruction, so the function
 * has none, whatever the compiler options. HostLibraryTest checks for the jump.
 */
NO_STACK_CHECK void *worker_run(void *work) {
    worker_do(*(const enum work *)work);
    int (*volatile close_library)(void *) = dlclose;
    void *(*leave)(void *) = (void *(*)(void *))(uintptr_t)close_library;
    return leave(host.self);
}
