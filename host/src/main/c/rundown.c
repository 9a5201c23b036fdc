/*
 * The end of a detach: waits until no code of the profiler runs or can be called, releases everything in an order that
 * leaves nothing behind, and answers requests while it waits.
 */
#define _GNU_SOURCE
#include "rundown.h"
#include "channel.h"
#include "clock.h"
#include "events.h"
#include "host.h"
#include "java.h"
#include "jobs.h"
#include "life.h"
#include "proof.h"
#include "queue.h"
#include "record.h"
#include "requests.h"
#include "retainers.h"
#include "vmlog.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The first and the longest delay between two searches for retainers. */
enum { FIRST_LOOK_MILLIS = 20, MAX_LOOK_MILLIS = 2000, MAX_LOOK_UNCOLLECTED_MILLIS = 300000 };
enum { LOOKS_FOR_CALLERS = 5 };

/* Waits for a request, up to the given time, and answers it. */
static void rundown_look_later(int millis) {
    uint64_t until = now_monotonic() + (uint64_t)millis * 1000000u;
    pthread_mutex_lock(&host.lock);
    struct job *job;
    while ((job = job_take()) == NULL && host_wait_until(until)) {
    }
    pthread_mutex_unlock(&host.lock);
    if (job != NULL) {
        request_run_late(job);
    }
}

/*
 * Returns the next delay. An inspection uses some of the program's heap, so inspections become rarer in a JVM that
 * never collects.
 */
static int rundown_longer_delay(int millis) {
    int last = host.never_collects ? MAX_LOOK_UNCOLLECTED_MILLIS : MAX_LOOK_MILLIS;
    return millis * 2 > last ? last : millis * 2;
}

/* Describes a thread that has a frame of the profiler. Returns false if there is none. */
static bool rundown_find_pinning_thread(JNIEnv *env, char *text, size_t size) {
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
static void rundown_await_no_pinning_thread(JNIEnv *env) {
    char text[sizeof host.record->pinned_by];
    int millis = FIRST_LOOK_MILLIS;
    while (rundown_find_pinning_thread(env, text, sizeof text)) {
        life_pinned(text);
        rundown_look_later(millis);
        millis = rundown_longer_delay(millis);
    }
    life_not_pinned();
}

/*
 * Where classes are never unloaded, no collection can prove that the profiler will not be called again, so the usual
 * places are inspected instead. Code that calls the profiler periodically is on a stack or in a queue only briefly, so
 * the places are inspected several times.
 */
static void rundown_await_no_caller(JNIEnv *env) {
    char text[sizeof host.record->pinned_by];
    int millis = FIRST_LOOK_MILLIS;
    for (int looks = 0; looks < LOOKS_FOR_CALLERS;) {
        if (retainers_find(env, text, sizeof text, true)
                || (java_is_started() && rundown_find_pinning_thread(env, text, sizeof text))) {
            looks = 0;
            life_pinned(text);
            rundown_look_later(millis);
            millis = rundown_longer_delay(millis);
        } else {
            looks++;
            rundown_look_later(FIRST_LOOK_MILLIS);
        }
    }
    life_not_pinned();
}

/* Refuses all requests that have arrived meanwhile. */
static void rundown_refuse_all(void) {
    for (bool more = true; more;) {
        pthread_mutex_lock(&host.lock);
        struct job *job = job_take();
        pthread_mutex_unlock(&host.lock);
        more = job != NULL;
        if (more) {
            request_refuse(job, STATUS_PROFILER_DETACHING, "the profiler is being detached");
        }
    }
}

/* Waits until the JVM has accepted the command to stop logging. */
static void rundown_await_log_off(void) {
    for (int millis = FIRST_LOOK_MILLIS; !vmlog_end(); millis = rundown_longer_delay(millis)) {
        life_pinned("the JVM, which still logs for it: its attach listener does not answer");
        rundown_look_later(millis);
    }
    life_not_pinned();
}

/*
 * Returns true if the profiler's classes have been unloaded. Where they never are, an earlier step has shown that no
 * code calls them.
 */
static bool rundown_is_released(JNIEnv *env) {
    return host.remaining_classes || java_is_gone(env);
}

static bool rundown_is_gone(JNIEnv *env) {
    return rundown_is_released(env) && events_are_gone();
}

/* Waits until a collection has shown that nothing of the profiler remains. */
static void rundown_await_gone(JNIEnv *env) {
    char text[sizeof host.record->pinned_by];
    struct proof proof = {0};
    for (int millis = FIRST_LOOK_MILLIS; !rundown_is_gone(env); millis = rundown_longer_delay(millis)) {
        proof_ask(env, &proof, rundown_is_released(env));
        if (rundown_is_gone(env)) {
            break;
        }
        if (proof.settled) {
            proof_say(env, &proof, rundown_is_released(env), text, sizeof text);
            life_pinned(text);
        }
        rundown_look_later(millis);
    }
    rundown_refuse_all();
    queue_clear(env);
    host.unseen = !channel_gone(proof.spent, proof.collections);
}

/* Detaches the profiler and waits until nothing of it remains. Only for the host's thread. */
void rundown_run(JNIEnv *env) {
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
        request_run_late(job);
        pthread_mutex_lock(&host.lock);
    }
    pthread_mutex_unlock(&host.lock);
    if (java_is_started()) {
        rundown_await_no_pinning_thread(env);
        if (host.was_active) {
            java_ask(env, UPCALL_KIND_DETACH_SUCCEEDED, NULL);
            rundown_await_no_pinning_thread(env);
        }
    }
    if (host.remaining_classes) {
        rundown_await_no_caller(env);
    }
    if (host.remaining_classes && java_is_started()) {
        java_ask(env, UPCALL_KIND_FORGET, NULL);
    }
    rundown_await_log_off();
    java_drop(env);
    life_to(HOST_LIFE_RELEASED);
    events_close(env);
    rundown_await_gone(env);
    java_forget(env);
}
