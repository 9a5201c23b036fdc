/* Events that wait for the host's thread. */
#ifndef MAYFLY_QUEUE_H
#define MAYFLY_QUEUE_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

#include "wire.h"

enum { EVENT_NUMBERS = 5, EVENT_TEXTS = 3 };

/* An event queued for the host's thread. */
struct event {
    struct event *next;
    enum upcall_kind kind;
    jlong numbers[EVENT_NUMBERS];   /* time (CLOCK_MONOTONIC, ns), two of this kind, sequence, a link to others */
    char *text[EVENT_TEXTS];
    jobject object;                 /* a global reference: a class loaded during a callback, or a loader; or NULL */
    char **more;                    /* further texts */
    int more_count;
};

jlong event_next_sequence(void);
struct event *event_new(enum upcall_kind kind, jlong second, jlong third);
void event_free(JNIEnv *env, struct event *event);
size_t event_bytes(const struct event *event);
jobject event_to_java(JNIEnv *env, const struct event *event);
void queue_add(JNIEnv *env, struct event *event);
bool queue_is_waiting(void);
struct event *queue_take_all(void);
void queue_clear(JNIEnv *env);

#endif
