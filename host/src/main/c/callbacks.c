/*
 * Tracks the threads that run a callback of the profiler. Entry and refusal exclude each other: a callback increments
 * the count first and then checks for refusal; a refusal is set first and then reads the count. All threads see both in
 * one order.
 */
#define _GNU_SOURCE
#include "host.h"
#include "old-glibc.h"

#include <sys/syscall.h>
#include <unistd.h>

static atomic_bool refusing = true;
static pthread_key_t inside;    /* not null on a thread that runs a callback */

/* Returns an errno or 0. */
int callbacks_open(void) {
    return pthread_key_create(&inside, NULL);
}

void callbacks_close(void) {
    pthread_key_delete(inside);
}

/*
 * Returns true if this thread already runs a callback. The callback itself causes the events that occur meanwhile; they
 * are delivered to it later.
 */
bool callback_is_inside(void) {
    return pthread_getspecific(inside) != NULL;
}

/* Takes a slot in the record, so that other processes see which callback runs; -1 if all are taken. */
int callback_show(enum upcall_kind kind) {
    pthread_setspecific(inside, &host);
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    for (unsigned i = 0; i < HOST_RECORD_FILE_SLOTS; i++) {
        struct running *at = &host.record->running[(tid + i) % HOST_RECORD_FILE_SLOTS];
        uint32_t nobody = 0;
        if (atomic_load(&at->tid) == 0 && atomic_compare_exchange_strong(&at->tid, &nobody, tid)) {
            atomic_store(&at->kind, (uint32_t)kind);
            atomic_store(&at->since, now_boottime());
            return (int)((tid + i) % HOST_RECORD_FILE_SLOTS);
        }
    }
    return -1;
}

void callback_hide(int slot) {
    pthread_setspecific(inside, NULL);
    if (slot >= 0) {
        atomic_store(&host.record->running[slot].since, 0);
        atomic_store(&host.record->running[slot].tid, 0);
    }
}

static void callback_count_down(void) {
    if (atomic_fetch_sub(&host.record->callbacks, 1) == 1 && atomic_load(&refusing)) {
        pthread_mutex_lock(&host.lock);
        pthread_cond_broadcast(&host.changed);
        pthread_mutex_unlock(&host.lock);
    }
}

/* Returns false if callbacks are refused. */
bool callback_enter(enum upcall_kind kind, int *slot) {
    *slot = -1;
    atomic_fetch_add(&host.record->callbacks, 1);
    if (atomic_load(&refusing)) {
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

void callbacks_admit(void) {
    atomic_store(&refusing, false);
}

void callbacks_refuse(void) {
    atomic_store(&refusing, true);
}
