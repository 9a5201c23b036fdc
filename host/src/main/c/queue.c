/*
 * Events that wait for the host's thread: events that the JVM reports on its own threads, where no Java code may run,
 * and events that occur during a callback.
 */
#define _GNU_SOURCE
#include "queue.h"
#include "classes.h"
#include "clock.h"
#include "host.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>

/* Upper bounds on queued events and on their memory; further ones are counted and dropped. */
enum { MAX_QUEUED = 1 << 16, MAX_QUEUED_BYTES = 32 << 20 };

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static struct event *queue_first;
static struct event *queue_last;
static int queue_length;
static size_t queue_bytes;
/* The number of the last event or enumeration: an event has a number when it occurs, not when it is delivered. */
static _Atomic jlong event_sequence;

void event_free(JNIEnv *env, struct event *event) {
    for (int i = 0; i < EVENT_TEXTS; i++) {
        free(event->text[i]);
    }
    for (int i = 0; i < event->more_count; i++) {
        free(event->more[i]);
    }
    free(event->more);
    if (event->object != NULL) {
        (*env)->DeleteGlobalRef(env, event->object);
    }
    free(event);
}

static size_t text_bytes(const char *text) {
    return text == NULL ? 0 : strlen(text) + 1;
}

/* Returns the memory of an event with its texts. */
size_t event_bytes(const struct event *event) {
    size_t bytes = sizeof *event + (size_t)event->more_count * sizeof *event->more;
    for (int i = 0; i < EVENT_TEXTS; i++) {
        bytes += text_bytes(event->text[i]);
    }
    for (int i = 0; i < event->more_count; i++) {
        bytes += text_bytes(event->more[i]);
    }
    return bytes;
}

jlong event_next_sequence(void) {
    return atomic_fetch_add(&event_sequence, 1) + 1;
}

/* Creates an event with the present time and the next number; NULL if there is no memory. */
struct event *event_new(enum upcall_kind kind, jlong second, jlong third) {
    struct event *event = calloc(1, sizeof *event);
    if (event != NULL) {
        event->kind = kind;
        event->numbers[0] = (jlong)now_monotonic();
        event->numbers[1] = second;
        event->numbers[2] = third;
        event->numbers[3] = event_next_sequence();
    }
    return event;
}

/*
 * Queues the event or frees it. Any thread may call this, even a thread of the JVM that has stopped all others: both
 * locks that this function takes are held only briefly. The thread's environment is needed only for an event with an
 * object.
 */
void queue_add(JNIEnv *env, struct event *event) {
    size_t bytes = event == NULL ? 0 : event_bytes(event);
    pthread_mutex_lock(&queue_lock);
    bool full = event == NULL || queue_length >= MAX_QUEUED || bytes > MAX_QUEUED_BYTES - queue_bytes;
    if (!full) {
        *(queue_last == NULL ? &queue_first : &queue_last->next) = event;
        queue_last = event;
        queue_length++;
        queue_bytes += bytes;
    }
    pthread_mutex_unlock(&queue_lock);
    if (full) {
        atomic_fetch_add(&host.record->lost, 1);
        if (event != NULL) {
            event_free(env, event);
        }
        return;
    }
    pthread_mutex_lock(&host.lock);
    pthread_cond_broadcast(&host.changed);
    pthread_mutex_unlock(&host.lock);
}

bool queue_is_waiting(void) {
    pthread_mutex_lock(&queue_lock);
    bool some = queue_first != NULL;
    pthread_mutex_unlock(&queue_lock);
    return some;
}

/*
 * Removes all events from the queue. Returns the first, which the caller frees with its successors; NULL if there is
 * none.
 */
struct event *queue_take_all(void) {
    pthread_mutex_lock(&queue_lock);
    struct event *all = queue_first;
    queue_first = NULL;
    queue_last = NULL;
    queue_length = 0;
    queue_bytes = 0;
    pthread_mutex_unlock(&queue_lock);
    return all;
}

void queue_clear(JNIEnv *env) {
    for (struct event *event = queue_take_all(), *next; event != NULL; event = next) {
        next = event->next;
        event_free(env, event);
    }
}

/* Returns a String[] of the further texts; NULL, without an exception, if the program's heap is full. */
static jobjectArray texts_to_java(JNIEnv *env, const struct event *event) {
    jclass string = class_find(env, "java/lang/String");
    jobjectArray texts = string == NULL ? NULL : (*env)->NewObjectArray(env, event->more_count, string, NULL);
    for (int i = 0; i < event->more_count && texts != NULL; i++) {
        jstring text = event->more[i] == NULL ? NULL : (*env)->NewStringUTF(env, event->more[i]);
        if (text == NULL && event->more[i] != NULL) {
            texts = NULL;
        } else {
            (*env)->SetObjectArrayElement(env, texts, i, text);
            (*env)->DeleteLocalRef(env, text);
        }
    }
    if (texts == NULL) {
        (*env)->ExceptionClear(env);
    }
    return texts;
}

/*
 * Creates an object for the Java half: Object[] of a long[], three strings and a String[]. The object of an event, if
 * it has one, takes the place of the first string.
 */
jobject event_to_java(JNIEnv *env, const struct event *event) {
    jclass object = class_find(env, "java/lang/Object");
    jobjectArray result = object == NULL ? NULL : (*env)->NewObjectArray(env, 2 + EVENT_TEXTS, object, NULL);
    jlongArray numbers = result == NULL ? NULL : (*env)->NewLongArray(env, EVENT_NUMBERS);
    if (numbers == NULL) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    (*env)->SetLongArrayRegion(env, numbers, 0, EVENT_NUMBERS, event->numbers);
    (*env)->SetObjectArrayElement(env, result, 0, numbers);
    for (int i = 0; i < EVENT_TEXTS; i++) {
        jstring text = event->text[i] == NULL ? NULL : (*env)->NewStringUTF(env, event->text[i]);
        if (text == NULL && event->text[i] != NULL) {
            (*env)->ExceptionClear(env);
            return NULL;
        }
        if (text != NULL) {
            (*env)->SetObjectArrayElement(env, result, i + 1, text);
        }
    }
    if (event->object != NULL) {
        (*env)->SetObjectArrayElement(env, result, 1, event->object);
    }
    if (event->more == NULL) {
        return result;
    }
    jobjectArray texts = texts_to_java(env, event);
    if (texts == NULL) {
        return NULL;
    }
    (*env)->SetObjectArrayElement(env, result, 1 + EVENT_TEXTS, texts);
    return result;
}
