/*
 * The profiler's timer, which the host's thread serves between requests and events. Ticks are due at multiples of the
 * interval. If the thread is late, the ticks that are due become one.
 */
#define _GNU_SOURCE
#include "timer.h"
#include "clock.h"
#include "host.h"

/* ns, by CLOCK_MONOTONIC; host.lock protects both. */
static uint64_t timer_interval;     /* 0: off */
static uint64_t timer_due;

/* Sets the interval; the first tick is due after it. An interval of 0 switches the timer off. */
void timer_set(uint64_t interval_nanos) {
    pthread_mutex_lock(&host.lock);
    timer_interval = interval_nanos;
    timer_due = now_monotonic() + interval_nanos;
    pthread_cond_broadcast(&host.changed);
    pthread_mutex_unlock(&host.lock);
}

/* Requires the lock. */
bool timer_is_due_locked(void) {
    return timer_interval != 0 && now_monotonic() >= timer_due;
}

/* Requires the lock. Waits until something has changed, at most until a tick is due. */
void timer_wait_locked(void) {
    if (timer_interval == 0) {
        pthread_cond_wait(&host.changed, &host.lock);
    } else {
        host_wait_until(timer_due);
    }
}

/* Takes the ticks that are due. Returns false if none is; otherwise the number of those that this one replaces. */
bool timer_take(jlong *missed) {
    pthread_mutex_lock(&host.lock);
    bool due = timer_is_due_locked();
    if (due) {
        *missed = (jlong)((now_monotonic() - timer_due) / timer_interval);
        timer_due += ((uint64_t)*missed + 1) * timer_interval;
    }
    pthread_mutex_unlock(&host.lock);
    return due;
}
