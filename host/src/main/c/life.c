/*
 * The state of the hosted profiler: its life. host.life is the only variable, mayfly.wire.life.HostLife is the table of
 * the states, and life_change() is the only function that assigns the variable. This file alone publishes the state in
 * the record, and also publishes there that a detach waits (PINNED).
 *
 * Every change happens under host.lock and wakes every thread that waits for one. The state is also read without the
 * lock where the lock could deadlock or would be too slow. Each such reader first adds to a counter and then reads the
 * state; the state is changed first and the counter is read afterwards. All of these accesses are sequentially
 * consistent, so that either the reader sees the new state or the other thread sees the count:
 *
 *     reader                      counter              waits after the change
 *     callback_enter              record->callbacks    rundown of the host's thread (rundown.c), for zero
 *     enter_environment           environment_users    events_close, for zero
 */
#define _GNU_SOURCE
#include "life.h"
#include "host.h"
#include "record.h"

/* The expected duration of a forced detach. A detach for which the profiler announces no duration has the same. */
#define FORCED_NANOS 5000000000ull

struct life_row {
    enum host_state published;
    bool admits_callbacks;
    bool has_environment;
    unsigned next;              /* a bit for each state that may follow */
};

static const struct life_row life_rows[] = {
#include "life_rows.h"
};

static const struct life_row *life_row_now(void) {
    return &life_rows[atomic_load(&host.life)];
}

/* Returns the state that the record shows, unless the profiler is pinned. */
enum host_state life_published(void) {
    return life_row_now()->published;
}

/*
 * Requires the lock. Returns false, and changes nothing, if the state may not follow the present one. For the
 * first request to detach, detach_expected is the expected duration, ns; otherwise it is 0.
 */
static bool life_change(enum host_life next, uint64_t detach_expected) {
    if ((life_row_now()->next & 1u << next) == 0) {
        return false;
    }
    host.was_active = host.was_active || next == HOST_LIFE_ACTIVE;
    atomic_store(&host.life, next);
    record_publish(life_published(), detach_expected, "");
    pthread_cond_broadcast(&host.changed);
    return true;
}

bool life_to_locked(enum host_life next) {
    return life_change(next, 0);
}

bool life_to(enum host_life next) {
    pthread_mutex_lock(&host.lock);
    bool changed = life_change(next, 0);
    pthread_mutex_unlock(&host.lock);
    return changed;
}

/* Requires the lock. Begins a detach. After a forced one, the record keeps the first request's time and duration. */
bool life_detach_locked(uint64_t expected_nanos) {
    return life_change(HOST_LIFE_DETACHING, life_published() == HOST_STATE_DETACHING ? 0 : expected_nanos);
}

/*
 * Requires the lock. Begins a forced detach. Has no effect in a state other than ACTIVE, if an event is enabled that
 * prevents a detach, and if methods have probes: their removal may fail, and then no detach begins.
 */
bool life_force_locked(void) {
    return !atomic_load(&host.immutable) && !atomic_load(&host.probed) && life_change(HOST_LIFE_FORCED, FORCED_NANOS);
}

/* Records if methods have probes. Returns false if they are to have probes and a detach has begun. */
bool life_probe(bool probed) {
    pthread_mutex_lock(&host.lock);
    bool permitted = !probed || life_is(HOST_LIFE_ACTIVE);
    if (permitted) {
        atomic_store(&host.probed, probed);
    }
    pthread_mutex_unlock(&host.lock);
    return permitted;
}

/* Publishes the reason why a detach waits. The state itself does not change. */
void life_pinned(const char *by) {
    pthread_mutex_lock(&host.lock);
    record_publish(HOST_STATE_PINNED, 0, by);
    pthread_mutex_unlock(&host.lock);
}

/* Undoes life_pinned: publishes the state again. */
void life_not_pinned(void) {
    pthread_mutex_lock(&host.lock);
    record_publish(life_published(), 0, "");
    pthread_mutex_unlock(&host.lock);
}

bool life_is(enum host_life state) {
    return atomic_load(&host.life) == state;
}

bool life_admits_callbacks(void) {
    return life_row_now()->admits_callbacks;
}

bool life_has_environment(void) {
    return life_row_now()->has_environment;
}
