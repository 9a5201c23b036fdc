/*
 * The profiler's timer and that of the looks for polled events, which the host's thread serves between requests and
 * events. Ticks are due at multiples of the interval. If the thread is late, the ticks that are due become one. Further
 * timers are due once: for the Java half's next look at the threads of which the JVM's log has reported the start, for
 * the next attempt to restore that log, and for the next request to detach after the end of a lease.
 */
#define _GNU_SOURCE
#include "timer.h"
#include "clock.h"
#include "host.h"

/* ns, by CLOCK_MONOTONIC; host.lock protects all of them. */
static struct ticks {
    uint64_t interval;              /* 0: off */
    uint64_t due;
} timer_ticks, timer_polls;
static uint64_t timer_look_due;     /* 0: no look is due */
static uint64_t timer_log_due;      /* 0: no attempt is due */
static uint64_t timer_lease_due;    /* 0: no request is due */

static void ticks_set(struct ticks *ticks, uint64_t interval_nanos, uint64_t first_after_nanos) {
    pthread_mutex_lock(&host.lock);
    *ticks = (struct ticks){interval_nanos, now_monotonic() + first_after_nanos};
    pthread_cond_broadcast(&host.changed);
    pthread_mutex_unlock(&host.lock);
}

/* Sets the interval; the first tick is due after it. An interval of 0 switches the timer off. */
void timer_set(uint64_t interval_nanos) {
    ticks_set(&timer_ticks, interval_nanos, interval_nanos);
}

/* Sets the interval of the looks, the first of which is due at once. An interval of 0 switches them off. */
void timer_poll_every(uint64_t interval_nanos) {
    ticks_set(&timer_polls, interval_nanos, 0);
}

static void timer_set_once(uint64_t *due, uint64_t nanos) {
    pthread_mutex_lock(&host.lock);
    *due = now_monotonic() + nanos;
    pthread_cond_broadcast(&host.changed);
    pthread_mutex_unlock(&host.lock);
}

/* Sets the time of the next look, which replaces an earlier one. */
void timer_look_after(uint64_t nanos) {
    timer_set_once(&timer_look_due, nanos);
}

/* Sets the time of the next attempt to restore the log, which replaces an earlier one. */
void timer_log_after(uint64_t nanos) {
    timer_set_once(&timer_log_due, nanos);
}

/* Sets the time of the next request to detach, which replaces an earlier one. */
void timer_lease_after(uint64_t nanos) {
    timer_set_once(&timer_lease_due, nanos);
}

/* Requires the lock. */
static bool ticks_are_due(const struct ticks *ticks) {
    return ticks->interval != 0 && now_monotonic() >= ticks->due;
}

/* Requires the lock. */
static bool timer_once_is_due(uint64_t due) {
    return due != 0 && now_monotonic() >= due;
}

/* Requires the lock. */
bool timer_is_due_locked(void) {
    return ticks_are_due(&timer_ticks) || ticks_are_due(&timer_polls) || timer_once_is_due(timer_look_due)
            || timer_once_is_due(timer_log_due) || timer_once_is_due(timer_lease_due);
}

static uint64_t timer_earlier(uint64_t until, uint64_t due) {
    return due != 0 && due < until ? due : until;
}

/* Requires the lock. Waits until something has changed, at most until a timer is due. */
void timer_wait_locked(void) {
    uint64_t until = timer_ticks.interval == 0 ? UINT64_MAX : timer_ticks.due;
    until = timer_polls.interval != 0 && timer_polls.due < until ? timer_polls.due : until;
    until = timer_earlier(timer_earlier(timer_earlier(until, timer_look_due), timer_log_due), timer_lease_due);
    if (until == UINT64_MAX) {
        pthread_cond_wait(&host.changed, &host.lock);
    } else {
        host_wait_until(until);
    }
}

static bool timer_take_once(uint64_t *due) {
    pthread_mutex_lock(&host.lock);
    bool is_due = timer_once_is_due(*due);
    *due = is_due ? 0 : *due;
    pthread_mutex_unlock(&host.lock);
    return is_due;
}

/* Returns true once for each look that is due. */
bool timer_take_look(void) {
    return timer_take_once(&timer_look_due);
}

/* Returns true once for each attempt to restore the log that is due. */
bool timer_take_log(void) {
    return timer_take_once(&timer_log_due);
}

/* Returns true once for each request to detach that is due. */
bool timer_take_lease(void) {
    return timer_take_once(&timer_lease_due);
}

static bool ticks_take(struct ticks *ticks, jlong *missed) {
    pthread_mutex_lock(&host.lock);
    bool due = ticks_are_due(ticks);
    if (due) {
        *missed = (jlong)((now_monotonic() - ticks->due) / ticks->interval);
        ticks->due += ((uint64_t)*missed + 1) * ticks->interval;
    }
    pthread_mutex_unlock(&host.lock);
    return due;
}

/* Takes the ticks that are due. Returns false if none is; otherwise the number of those that this one replaces. */
bool timer_take(jlong *missed) {
    return ticks_take(&timer_ticks, missed);
}

/* Returns true once for the looks that are due. */
bool timer_take_poll(void) {
    jlong missed;
    return ticks_take(&timer_polls, &missed);
}
