/* Room for large requests: the collections that are requested to make it, and those that are not. */
#define _GNU_SOURCE
#include "../../main/c/clock.h"

static uint64_t planted_now(void);

#define now_monotonic planted_now
#include "../../main/c/heap_room.c"
#undef now_monotonic

#include "check.h"

#include <string.h>

#define MIB (1ll << 20)
#define MILLI 1000000ull

/* Doubles: a heap of 100 MiB. A collection frees the bytes in `garbage` and takes the time in `pause`, ns. */
static int64_t unused;
static int64_t garbage;
static enum way way;
static bool collects;
static int collections;
static uint64_t now;
static uint64_t pause;
static uint64_t learnt;
static struct record record;

static uint64_t planted_now(void) {
    return now;
}

bool heap_read(JNIEnv *env, struct heap *into) {
    (void)env;
    *into = (struct heap){.committed = 100 * MIB, .unused = unused, .max = 100 * MIB};
    return true;
}

void cost_predict(JNIEnv *env, struct cost *into) {
    (void)env;
    into->way = way;
}

void cost_learn(struct cost *into, uint64_t nanos) {
    (void)into;
    learnt = nanos;
}

bool events_collect(JNIEnv *env) {
    (void)env;
    collections++;
    unused += garbage;
    garbage = 0;
    now += pause;
    return collects;
}

static void begin(enum way with, int64_t free_bytes, int64_t garbage_bytes) {
    host.record = &record;
    memset(&record, 0, sizeof record);
    way = with;
    unused = free_bytes;
    garbage = garbage_bytes;
    collects = true;
    collections = 0;
    pause = 50 * MILLI;
    learnt = 0;
    heap_room_next = now;
}

static void aRequestForWhichThereIsRoomCostsNoCollection(void) {
    begin(FORCED, 40 * MIB, 50 * MIB);
    CHECK(heap_make_room(NULL, 10 * MIB) == FAILURE_NONE && collections == 0);
    begin(FORCED, 0, 50 * MIB);
    CHECK(heap_make_room(NULL, MIB - 1) == FAILURE_NONE && collections == 0);
}

static void aShortCollectionMakesRoomAndIsCounted(void) {
    begin(FORCED, 39 * MIB, 50 * MIB);
    CHECK(heap_make_room(NULL, 10 * MIB) == FAILURE_NONE && collections == 1);
    CHECK(record.collections == 1 && record.collecting == 50 * MILLI && learnt == 50 * MILLI);
    begin(CONCURRENT, 39 * MIB, 50 * MIB);
    CHECK(heap_make_room(NULL, 10 * MIB) == FAILURE_NONE && record.collections == 1 && learnt == 0);
}

static void noLongCollectionIsForcedForARequest(void) {
    begin(WAITING, 39 * MIB, 50 * MIB);
    CHECK(heap_make_room(NULL, 10 * MIB) == FAILURE_NOT_COLLECTED && collections == 0 && record.collections == 0);
}

static void requestsForWhichThereIsNeverRoomDoNotRepeatTheCollection(void) {
    begin(FORCED, 10 * MIB, 0);
    CHECK(heap_make_room(NULL, 10 * MIB) == FAILURE_NO_ROOM && collections == 1);
    now += 100 * pause - 1;
    CHECK(heap_make_room(NULL, 10 * MIB) == FAILURE_NOT_COLLECTED && collections == 1);
    now += 1;
    CHECK(heap_make_room(NULL, 10 * MIB) == FAILURE_NO_ROOM && collections == 2 && record.collections == 2);
}

static void aCollectionThatTheJvmDidNotMakeIsNotCounted(void) {
    begin(FORCED, 10 * MIB, 0);
    collects = false;
    CHECK(heap_make_room(NULL, 10 * MIB) == FAILURE_NO_ROOM && record.collections == 0 && record.collecting == 0);
}

int main(void) {
    RUN(aRequestForWhichThereIsRoomCostsNoCollection);
    RUN(aShortCollectionMakesRoomAndIsCounted);
    RUN(noLongCollectionIsForcedForARequest);
    RUN(requestsForWhichThereIsNeverRoomDoNotRepeatTheCollection);
    RUN(aCollectionThatTheJvmDidNotMakeIsNotCounted);
}
