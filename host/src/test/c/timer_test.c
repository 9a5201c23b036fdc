/* The profiler's timer, by a clock of the test. */
#define now_monotonic planted_now
#define host_wait_until planted_wait_until
#include <stdbool.h>
#include <stdint.h>
static uint64_t now;
static uint64_t waited_until;

static inline uint64_t planted_now(void) {
    return now;
}

#define MAYFLY_CLOCK_H
#include "../../main/c/timer.c"
#undef host_wait_until

#include "check.h"

bool planted_wait_until(uint64_t monotonic_nanos) {
    waited_until = monotonic_nanos;
    return false;
}

static void begin(uint64_t interval) {
    pthread_mutex_init(&host.lock, NULL);
    pthread_cond_init(&host.changed, NULL);
    now = 1000;
    timer_set(interval);
}

static void aTimerThatIsOffIsNeverDue(void) {
    jlong missed = 42;
    begin(0);
    now = UINT64_MAX;
    CHECK(!timer_take(&missed) && missed == 42);
}

static void ticksAreDueAtMultiplesOfTheInterval(void) {
    jlong missed;
    begin(100);
    CHECK(!timer_take(&missed));
    now = 1099;
    CHECK(!timer_take(&missed));
    now = 1105;
    CHECK(timer_take(&missed) && missed == 0 && !timer_take(&missed));
    now = 1199;
    CHECK(!timer_take(&missed));
    now = 1200;
    CHECK(timer_take(&missed) && missed == 0);
}

static void lateTicksBecomeOneAndAreCounted(void) {
    jlong missed;
    begin(100);
    now = 1450;
    CHECK(timer_take(&missed) && missed == 3 && !timer_take(&missed));
    now = 1499;
    CHECK(!timer_take(&missed));
    now = 1500;
    CHECK(timer_take(&missed) && missed == 0);
}

static void theThreadWaitsUntilTheNextTickIsDue(void) {
    jlong missed;
    begin(100);
    timer_wait_locked();
    CHECK(waited_until == 1100);
    now = 1100;
    CHECK(timer_take(&missed));
    timer_wait_locked();
    CHECK(waited_until == 1200);
}

static void aNewIntervalBeginsNow(void) {
    jlong missed;
    begin(100);
    now = 1090;
    timer_set(50);
    now = 1139;
    CHECK(!timer_take(&missed));
    now = 1140;
    CHECK(timer_take(&missed) && missed == 0);
    timer_set(0);
    now = 9999;
    CHECK(!timer_take(&missed));
}

/* The wait ends at the earlier of the two times, and each look is taken once. */
static void aLookIsDueOnceAndEndsTheWait(void) {
    jlong missed;
    begin(100);
    timer_look_after(40);
    timer_wait_locked();
    CHECK(waited_until == 1040 && !timer_is_due_locked() && !timer_take_look());
    now = 1040;
    CHECK(timer_is_due_locked() && !timer_take(&missed) && timer_take_look() && !timer_take_look());
    timer_wait_locked();
    CHECK(waited_until == 1100);
    begin(0);
    timer_look_after(7);
    timer_wait_locked();
    CHECK(waited_until == 1007);
    now = 1007;
    CHECK(timer_take_look() && !timer_is_due_locked());
}

static void anAttemptToRestoreTheLogIsDueOnceAndEndsTheWait(void) {
    begin(0);
    timer_look_after(50);
    timer_log_after(40);
    timer_wait_locked();
    CHECK(waited_until == 1040 && !timer_is_due_locked() && !timer_take_log());
    now = 1040;
    CHECK(timer_is_due_locked() && !timer_take_look() && timer_take_log() && !timer_take_log());
    timer_wait_locked();
    CHECK(waited_until == 1050);
    now = 1050;
    CHECK(timer_take_look() && !timer_is_due_locked());
}

static void aRequestAfterALeaseIsDueOnceAndEndsTheWait(void) {
    begin(0);
    timer_log_after(50);
    timer_lease_after(40);
    timer_wait_locked();
    CHECK(waited_until == 1040 && !timer_is_due_locked() && !timer_take_lease());
    now = 1040;
    CHECK(timer_is_due_locked() && !timer_take_log() && timer_take_lease() && !timer_take_lease());
    now = 1050;
    CHECK(timer_take_log() && !timer_is_due_locked());
}

/* The first look is due at once. Looks that are late become one. */
static void looksAtTheThreadsAreDueAtOnceAndAtMultiplesOfTheirInterval(void) {
    jlong missed;
    begin(0);
    timer_poll_every(100);
    CHECK(timer_is_due_locked() && timer_take_poll() && !timer_take_poll() && !timer_take(&missed));
    timer_wait_locked();
    CHECK(waited_until == 1100 && !timer_is_due_locked());
    now = 1350;
    CHECK(timer_is_due_locked() && timer_take_poll() && !timer_take_poll());
    timer_wait_locked();
    CHECK(waited_until == 1400);
    timer_set(20);
    timer_wait_locked();
    CHECK(waited_until == 1370);
    timer_poll_every(0);
    now = 9999;
    CHECK(!timer_take_poll() && timer_take(&missed));
}

int main(void) {
    RUN(looksAtTheThreadsAreDueAtOnceAndAtMultiplesOfTheirInterval);
    RUN(aRequestAfterALeaseIsDueOnceAndEndsTheWait);
    RUN(anAttemptToRestoreTheLogIsDueOnceAndEndsTheWait);
    RUN(aLookIsDueOnceAndEndsTheWait);
    RUN(aTimerThatIsOffIsNeverDue);
    RUN(ticksAreDueAtMultiplesOfTheInterval);
    RUN(lateTicksBecomeOneAndAreCounted);
    RUN(theThreadWaitsUntilTheNextTickIsDue);
    RUN(aNewIntervalBeginsNow);
}
