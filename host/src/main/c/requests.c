/*
 * Requests of clients, as the host's thread executes and answers them: by a call to the Java half, or by a status of
 * the host itself.
 */
#define _GNU_SOURCE
#include "requests.h"
#include "bytes.h"
#include "channel.h"
#include "classes.h"
#include "failures.h"
#include "heap_room.h"
#include "host.h"
#include "java.h"
#include "jobs.h"

#include <stdbool.h>

/* Answers a request with a status and frees it. */
void request_refuse(struct job *job, enum status status, const char *why) {
    channel_result(job->client, job->serial, status, why);
    job_free(job);
}

/* Returns true if a request to detach permits full collections, and records that permission. */
static bool request_allows_collection(const struct job *job) {
    const uint8_t *at = job->payload.at;
    bool allows = job->type == MESSAGE_TYPE_DETACH && job->payload.length >= MESSAGE_SIZE_FLAGS
            && (at[0] & DETACH_FLAG_COLLECT) != 0;
    if (allows) {
        pthread_mutex_lock(&host.lock);
        host.collect = true;
        pthread_mutex_unlock(&host.lock);
    }
    return allows;
}

/* Answers a request that failed in the host itself. */
void request_fail(const struct job *job, enum failure failure) {
    struct answer answer = failure_answer(failure, job->type);
    channel_result(job->client, job->serial, answer.status, answer.message);
}

/* The Java half answers with a frame's type and content, or with a string if it could not start. */
void request_answer(JNIEnv *env, struct job *job, jobject reply) {
    if (class_is(env, reply, "java/lang/String")) {
        const char *text = (*env)->GetStringUTFChars(env, reply, NULL);
        if (text != NULL) {
            channel_result(job->client, job->serial, STATUS_FAILED, text);
            (*env)->ReleaseStringUTFChars(env, reply, text);
        } else {
            (*env)->ExceptionClear(env);
            request_fail(job, FAILURE_NO_MEMORY);
        }
        return;
    }
    jsize length = class_is(env, reply, "[B") ? (*env)->GetArrayLength(env, reply) : 0;
    if (length == 0) {
        request_fail(job, FAILURE_CALL);
    } else {
        jbyte *at = (*env)->GetByteArrayElements(env, reply, NULL);
        if (at != NULL) {
            struct bytes part = {(uint8_t *)at + 1, (size_t)length - 1};
            channel_send(job->client, job->serial, (enum message_type)(uint8_t)at[0], &part, 1);
            (*env)->ReleaseByteArrayElements(env, reply, at, JNI_ABORT);
        } else {
            (*env)->ExceptionClear(env);
            request_fail(job, FAILURE_NO_MEMORY);
        }
    }
}

/* Begins a forced detach in the Java half. Omits the reason, for which a full heap may have no room. */
jobject request_force(JNIEnv *env) {
    locals_reserve(env, 1);
    return java_ask(env, UPCALL_KIND_DETACH_FORCED, NULL);
}

/* Passes a request to the Java half, answers it and frees it. */
void request_run(JNIEnv *env, struct job *job) {
    if (job->type == MESSAGE_TYPE_ATTACH) {
        request_refuse(job, STATUS_ATTACH_REFUSED, "a profiler is active");
        return;
    }
    bool forced = job->type == MESSAGE_TYPE_DETACH && job->payload.length >= MESSAGE_SIZE_FLAGS
            && (job->payload.at[0] & DETACH_FLAG_FORCE) != 0;
    enum upcall_kind kind = job->type == MESSAGE_TYPE_COMMAND ? UPCALL_KIND_COMMAND : UPCALL_KIND_DETACH_REQUESTED;
    size_t skipped = job->type == MESSAGE_TYPE_DETACH ? MESSAGE_SIZE_FLAGS : 0;
    request_allows_collection(job);
    enum failure failure = forced ? FAILURE_NONE : heap_make_room(env, job->payload.length);
    if (forced) {
        jobject reply = request_force(env);
        request_answer(env, job, reply);
        (*env)->DeleteLocalRef(env, reply);
    } else if (failure != FAILURE_NONE) {
        request_fail(job, failure);
    } else if (job->payload.length < skipped) {
        request_fail(job, FAILURE_MALFORMED_REQUEST);
    } else if ((*env)->PushLocalFrame(env, 16) != 0) {
        (*env)->ExceptionClear(env);
        request_fail(job, FAILURE_NO_MEMORY);
    } else {
        jsize length = (jsize)(job->payload.length - skipped);
        jbyteArray bytes = (*env)->NewByteArray(env, length);
        if (bytes != NULL) {
            (*env)->SetByteArrayRegion(env, bytes, 0, length, (jbyte *)job->payload.at + skipped);
        }
        (*env)->ExceptionClear(env);
        if (bytes == NULL) {
            request_fail(job, FAILURE_NO_MEMORY);
        } else {
            request_answer(env, job, java_ask(env, kind, bytes));
        }
        (*env)->PopLocalFrame(env, NULL);
    }
    job_free(job);
}

/*
 * Answers a request while a detach waits. A command still reaches the profiler, which may use it to end the cause of
 * the wait; a request to detach may permit full collections. All other requests are refused.
 */
void request_run_late(struct job *job) {
    JNIEnv *env;
    bool is_command = job->type == MESSAGE_TYPE_COMMAND && host.was_active;
    if (is_command && (*host.vm)->GetEnv(host.vm, (void **)&env, JNI_VERSION_10) == 0 && java_takes_commands(env)) {
        request_run(env, job);
    } else if (request_allows_collection(job)) {
        request_refuse(job, 0, "");
    } else {
        request_refuse(job, STATUS_PROFILER_DETACHING, is_command
                ? "the profiler is being detached, and its command handler has been unloaded"
                : "the profiler is being detached");
    }
}
