/* The life of a profiler: the order of the states, the state in the record, and the threads that are woken. */
#include "../../main/c/life.c"

#include "check.h"

#include <string.h>

enum { STATES = HOST_LIFE_GONE + 1, WAITERS = 4 };

/* Double: the record. */
static int published;
static const char *published_cause;
static int publications;
static uint64_t expected_last;

void record_publish(enum host_state state, uint64_t detach_expected, const char *pinned_by) {
    published = state;
    published_cause = pinned_by;
    publications++;
    expected_last = detach_expected;
}

static void begin_in(enum host_life state) {
    memset(&host, 0, sizeof host);
    pthread_mutex_init(&host.lock, NULL);
    pthread_cond_init(&host.changed, NULL);
    atomic_store(&host.life, state);
    publications = 0;
}

/* The expected successors of each state, written by hand and compared with the rows. */
static const char *const follows[STATES] = {
    [HOST_LIFE_OPENED] = ".I.....G", [HOST_LIFE_INITIALIZING] = "..A..R..", [HOST_LIFE_ACTIVE] = "...FD...",
    [HOST_LIFE_FORCED] = "....D...", [HOST_LIFE_DETACHING] = ".....R..", [HOST_LIFE_RUNDOWN] = "......R.",
    [HOST_LIFE_RELEASED] = ".......G", [HOST_LIFE_GONE] = "........"};

static void onlyAPermittedStateFollows(void) {
    for (int from = 0; from < STATES; from++) {
        for (int to = 0; to < STATES; to++) {
            bool permitted = follows[from][to] != '.';
            begin_in((enum host_life)from);
            CHECK(life_to((enum host_life)to) == permitted);
            CHECK(life_is((enum host_life)(permitted ? to : from)));
            CHECK(publications == permitted);
        }
    }
}

static void onlyAnActiveProfilerGetsCallbacks(void) {
    for (int state = 0; state < STATES; state++) {
        begin_in((enum host_life)state);
        CHECK(life_admits_callbacks() == (state == HOST_LIFE_ACTIVE));
        CHECK(life_has_environment() == (state < HOST_LIFE_RELEASED));
    }
}

static void aLifeIsRememberedAsActiveOnlyIfItWas(void) {
    begin_in(HOST_LIFE_OPENED);
    CHECK(life_to(HOST_LIFE_INITIALIZING) && published == HOST_STATE_INITIALIZING);
    CHECK(life_to(HOST_LIFE_RUNDOWN) && published == HOST_STATE_DETACHING && !host.was_active);
    begin_in(HOST_LIFE_INITIALIZING);
    CHECK(life_to(HOST_LIFE_ACTIVE) && published == HOST_STATE_ACTIVE && host.was_active);
}

/* The first request sets the time of the detach; a request that follows a forced detach does not change it. */
static void aDetachBeginsWithItsFirstRequest(void) {
    begin_in(HOST_LIFE_ACTIVE);
    CHECK(life_force_locked() && expected_last == FORCED_NANOS && published == HOST_STATE_DETACHING);
    CHECK(!life_force_locked() && publications == 1);
    CHECK(life_detach_locked(7) && expected_last == 0);
    begin_in(HOST_LIFE_ACTIVE);
    CHECK(life_detach_locked(8) && expected_last == 8);
}

static void aForcedDetachIsIgnoredBeforeTheProfilerIsActive(void) {
    begin_in(HOST_LIFE_INITIALIZING);
    CHECK(!life_force_locked() && life_is(HOST_LIFE_INITIALIZING) && publications == 0);
}

static void aWaitingDetachIsPublishedAsPinnedWithItsCause(void) {
    static const enum host_life waiting[] = {HOST_LIFE_RUNDOWN, HOST_LIFE_RELEASED};
    for (size_t i = 0; i < sizeof waiting / sizeof waiting[0]; i++) {
        begin_in(waiting[i]);
        life_pinned("thread \"x\"");
        CHECK(published == HOST_STATE_PINNED && strcmp(published_cause, "thread \"x\"") == 0 && expected_last == 0);
        CHECK(life_is(waiting[i]));
        life_not_pinned();
        CHECK(published == HOST_STATE_DETACHING && published_cause[0] == 0 && expected_last == 0);
    }
    CHECK(life_to(HOST_LIFE_GONE) && published == HOST_STATE_DETACHING && published_cause[0] == 0);
}

static void aHostBeginsAsInitializing(void) {
    begin_in(HOST_LIFE_OPENED);
    CHECK(life_published() == HOST_STATE_INITIALIZING);
}

static void *wait_for_rundown(void *unused) {
    pthread_mutex_lock(&host.lock);
    while (!life_is(HOST_LIFE_RUNDOWN)) {
        pthread_cond_wait(&host.changed, &host.lock);
    }
    pthread_mutex_unlock(&host.lock);
    return unused;
}

/* If a thread were not woken, this program would not end. */
static void aChangeWakesEveryWaitingThread(void) {
    begin_in(HOST_LIFE_DETACHING);
    pthread_t threads[WAITERS];
    for (int i = 0; i < WAITERS; i++) {
        CHECK(pthread_create(&threads[i], NULL, wait_for_rundown, NULL) == 0);
    }
    CHECK(life_to(HOST_LIFE_RUNDOWN));
    for (int i = 0; i < WAITERS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
}

static void anImmutableEventPreventsAForcedDetach(void) {
    begin_in(HOST_LIFE_ACTIVE);
    atomic_store(&host.immutable, true);
    CHECK(!life_force_locked() && life_is(HOST_LIFE_ACTIVE) && publications == 0);
    atomic_store(&host.immutable, false);
    CHECK(life_force_locked() && life_is(HOST_LIFE_FORCED));
}

static void probesPreventAForcedDetachUntilTheyAreRemoved(void) {
    begin_in(HOST_LIFE_ACTIVE);
    CHECK(life_probe(true));
    CHECK(!life_force_locked() && life_is(HOST_LIFE_ACTIVE) && publications == 0);
    CHECK(life_probe(false));
    CHECK(life_force_locked() && life_is(HOST_LIFE_FORCED));
}

static void probesAreRefusedOnceADetachHasBegun(void) {
    begin_in(HOST_LIFE_ACTIVE);
    CHECK(life_force_locked() && !life_probe(true) && !atomic_load(&host.probed));
    CHECK(life_probe(false));
}

int main(void) {
    RUN(onlyAPermittedStateFollows);
    RUN(onlyAnActiveProfilerGetsCallbacks);
    RUN(aLifeIsRememberedAsActiveOnlyIfItWas);
    RUN(aDetachBeginsWithItsFirstRequest);
    RUN(aForcedDetachIsIgnoredBeforeTheProfilerIsActive);
    RUN(aWaitingDetachIsPublishedAsPinnedWithItsCause);
    RUN(aHostBeginsAsInitializing);
    RUN(aChangeWakesEveryWaitingThread);
    RUN(anImmutableEventPreventsAForcedDetach);
    RUN(probesPreventAForcedDetachUntilTheyAreRemoved);
    RUN(probesAreRefusedOnceADetachHasBegun);
}
