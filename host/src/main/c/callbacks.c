/*
 * Tracks the threads that run a callback of the profiler. No callback begins once the profiler is no longer active;
 * life.c explains the order of the accesses that ensures this.
 */
#define _GNU_SOURCE
#include "callbacks.h"
#include "clock.h"
#include "host.h"
#include "life.h"
#include "record.h"
#include "old-glibc.h"

#include <sys/syscall.h>
#include <unistd.h>

/* Not NULL on a thread that runs a callback: the object that the callback is about, or this host. */
static pthread_key_t callback_key;

/* Returns an errno or 0. */
int callbacks_open(void) {
    return pthread_key_create(&callback_key, NULL);
}

void callbacks_close(void) {
    pthread_key_delete(callback_key);
}

/*
 * Returns true if this thread already runs a callback. An event that then occurs on this thread is caused by the
 * callback, and is delivered later.
 */
bool callback_is_inside(void) {
    return pthread_getspecific(callback_key) != NULL;
}

/*
 * Sets the object that the next callback on this thread is about, a reference that is valid during the callback; NULL
 * after it. Not within a callback.
 */
void callback_about(jobject object) {
    pthread_setspecific(callback_key, object);
}

/* Returns the object that the callback on this thread is about; NULL if it is about none, or none runs. */
jobject callback_object(void) {
    void *about = pthread_getspecific(callback_key);
    return about == &host ? NULL : about;
}

/* Takes a slot in the record, so that other processes see which callback runs; returns -1 if all are taken. */
int callback_show(enum upcall_kind kind) {
    if (!callback_is_inside()) {
        pthread_setspecific(callback_key, &host);
    }
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    for (unsigned i = 0; i < HOST_RECORD_FILE_SLOTS; i++) {
        struct running *at = &host.record->running[(tid + i) % HOST_RECORD_FILE_SLOTS];
        uint32_t no_thread = 0;
        if (atomic_load(&at->tid) == 0 && atomic_compare_exchange_strong(&at->tid, &no_thread, tid)) {
            atomic_store(&at->kind, (uint32_t)kind);
            atomic_store(&at->since, now_boottime());
            return (int)((tid + i) % HOST_RECORD_FILE_SLOTS);
        }
    }
    return -1;
}

void callback_hide(int slot) {
    pthread_setspecific(callback_key, NULL);
    if (slot >= 0) {
        atomic_store(&host.record->running[slot].since, 0);
        atomic_store(&host.record->running[slot].tid, 0);
    }
}

static void callback_count_down(void) {
    if (atomic_fetch_sub(&host.record->callbacks, 1) == 1 && !life_admits_callbacks()) {
        pthread_mutex_lock(&host.lock);
        pthread_cond_broadcast(&host.changed);
        pthread_mutex_unlock(&host.lock);
    }
}

/* Begins a callback. Returns false if callbacks are refused. */
bool callback_enter(enum upcall_kind kind, int *slot) {
    *slot = -1;
    atomic_fetch_add(&host.record->callbacks, 1);
    if (!life_admits_callbacks()) {
        callback_count_down();
        return false;
    }
    *slot = callback_show(kind);
    return true;
}

void callback_leave(int slot) {
    callback_hide(slot);
    callback_count_down();
}
