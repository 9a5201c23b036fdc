/* The wait for a change of the host's state. */
#include "../../main/c/host.c"
#include "../../main/c/clock.h"

#include "check.h"

static bool changed;

static void begin(void) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&host.lock, NULL);
    pthread_cond_init(&host.changed, &monotonic);
    changed = false;
}

static void aWaitEndsAtItsTime(void) {
    begin();
    pthread_mutex_lock(&host.lock);
    CHECK(!host_wait_until(now_monotonic()));
    uint64_t until = now_monotonic() + 1000000;
    while (host_wait_until(until)) {
    }
    CHECK(now_monotonic() >= until);
    pthread_mutex_unlock(&host.lock);
}

static void *change(void *unused) {
    pthread_mutex_lock(&host.lock);
    changed = true;
    pthread_cond_broadcast(&host.changed);
    pthread_mutex_unlock(&host.lock);
    return unused;
}

/* Without the wake-up, the wait would end at its time. */
static void aChangeEndsAWait(void) {
    pthread_t thread;
    begin();
    bool in_time = true;
    pthread_mutex_lock(&host.lock);
    CHECK(pthread_create(&thread, NULL, change, NULL) == 0);
    while (!changed && in_time) {
        in_time = host_wait_until(now_monotonic() + 60000000000);
    }
    CHECK(changed && in_time);
    pthread_mutex_unlock(&host.lock);
    CHECK(pthread_join(thread, NULL) == 0);
}

int main(void) {
    RUN(aWaitEndsAtItsTime);
    RUN(aChangeEndsAWait);
}
