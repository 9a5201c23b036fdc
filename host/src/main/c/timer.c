/*
 * The profiler's timer, which the host's thread serves between requests and events. Ticks are due at multiples of the
 * interval. If the thread is late, the ticks that are due become one. The Java half has a second timer, for its next
 * look at the threads of which the JVM's log has reported the start.
 */
#define _GNU_SOURCE
#include "timer.h"
#include "clock.h"
#include "host.h"

/* ns, by CLOCK_MONOTONIC; host.lock protects both. */
static uint64_t timer_interval;     /* 0: off */
static uint64_t timer_due;
static uint64_t timer_look_due;     /* 0: no look is due */

/* Sets the interval; the first tick is due after it. An interval of 0 switches the timer off. */
void timer_set(uint64_t interval_nanos) {
    pthread_mutex_lock(&host.lock);
    timer_interval = interval_nanos;
    timer_due = now_monotonic() + interval_nanos;
    pthread_cond_broadcast(&host.changed);
    pthread_mutex_unlock(&host.lock);
}

/* Sets the time of the next look, which replaces an earlier one. */
void timer_look_after(uint64_t nanos) {
    pthread_mutex_lock(&host.lock);
    timer_look_due = now_monotonic() + nanos;
    pthread_cond_broadcast(&host.changed);
    pthread_mutex_unlock(&host.lock);
}

/* Requires the lock. */
static bool timer_tick_is_due(void) {
    return timer_interval != 0 && now_monotonic() >= timer_due;
}

/* Requires the lock. */
static bool timer_look_is_due(void) {
    return timer_look_due != 0 && now_monotonic() >= timer_look_due;
}

/* Requires the lock. */
bool timer_is_due_locked(void) {
    return timer_tick_is_due() || timer_look_is_due();
}

/* Requires the lock. Waits until something has changed, at most until a tick or a look is due. */
void timer_wait_locked(void) {
    uint64_t until = timer_interval == 0 ? UINT64_MAX : timer_due;
    until = timer_look_due != 0 && timer_look_due < until ? timer_look_due : until;
    if (until == UINT64_MAX) {
        pthread_cond_wait(&host.changed, &host.lock);
    } else {
        host_wait_until(until);
    }
}

/* Returns true once for each look that is due. */
bool timer_take_look(void) {
    pthread_mutex_lock(&host.lock);
    bool due = timer_look_is_due();
    timer_look_due = due ? 0 : timer_look_due;
    pthread_mutex_unlock(&host.lock);
    return due;
}

/* Takes the ticks that are due. Returns false if none is; otherwise the number of those that this one replaces. */
bool timer_take(jlong *missed) {
    pthread_mutex_lock(&host.lock);
    bool due = timer_tick_is_due();
    if (due) {
        *missed = (jlong)((now_monotonic() - timer_due) / timer_interval);
        timer_due += ((uint64_t)*missed + 1) * timer_interval;
    }
    pthread_mutex_unlock(&host.lock);
    return due;
}
