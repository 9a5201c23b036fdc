/*
 * The estimated pause of a full collection, and the decision based on it: decision 0020. Each test uses a measured
 * heap.
 */
#include "../../main/c/cost.c"

#include "check.h"

#include <string.h>

#define MIB (1ll << 20)
#define GIB (1ll << 30)

/* Doubles: a test supplies the data that the estimate reads from the JVM. */
jclass class_find(JNIEnv *env, const char *name) {
    (void)env;
    (void)name;
    abort();
}

bool counters_read(struct counters *into) {
    (void)into;
    abort();
}

static const struct collector_row *row_of(const char *flag) {
    const struct collector_row *row = collector_rows;
    while (row->flag != NULL && strcmp(row->flag, flag) != 0) {
        row++;
    }
    return row;
}

static struct heap heap_of(int64_t committed, int64_t used) {
    return (struct heap){committed, committed - used, committed};
}

static struct cost cost_of(const char *flag, struct heap heap, const struct counters *counters) {
    struct cost cost = {.way = WAITING};
    cost_estimate(row_of(flag), &heap, counters, &cost);
    return cost;
}

/* Counters of a JVM that has made no collection, with a clock of one tick per nanosecond. */
static const struct counters none = {.frequency = 1000000000};

/* Counters after a full collection that took 5 ms and left this number of bytes in the old generation. */
static struct counters after_full(int64_t old) {
    return (struct counters){.frequency = 1000000000, .old_used = old, .young_collections = 1, .young_ended = 5000000,
        .full_collections = 1, .full_began = 6000000, .full_ended = 11000000};
}

/* Counters after a young collection, later than any full one. */
static struct counters after_young(int64_t old, int64_t survivors) {
    return (struct counters){.frequency = 1000000000, .old_used = old, .survivor_used = {survivors, 0},
        .young_collections = 2,
        .young_ended = 20000000, .full_collections = 1, .full_began = 6000000, .full_ended = 11000000};
}

static void newObjectsAfterAFullCollectionAreAllTakenToBeLive(void) {
    const struct counters counters = after_full(MIB);
    CHECK(cost_of("UseParallelGC", heap_of(2400 * MIB, 900 * MIB), &counters).way == WAITING);
    CHECK(cost_of("UseSerialGC", heap_of(2400 * MIB, 375 * MIB), &counters).way == WAITING);
    CHECK(cost_of("UseG1GC", heap_of(2400 * MIB, 200 * MIB), &counters).way == WAITING);
}

static void newObjectsBeforeAnyCollectionAreAllTakenToBeLive(void) {
    CHECK(cost_of("UseSerialGC", heap_of(2400 * MIB, 375 * MIB), &none).way == WAITING);
    CHECK(cost_of("UseSerialGC", heap_of(256 * MIB, 40 * MIB), &none).way == FORCED);
}

static void theCommittedSizeOfAG1HeapCounts(void) {
    const struct counters counters = after_young(4 * MIB, MIB);
    CHECK(cost_of("UseG1GC", heap_of(12 * GIB, 9 * MIB), &none).way == WAITING);
    CHECK(cost_of("UseG1GC", heap_of(12 * GIB, 9 * MIB), &counters).way == WAITING);
    CHECK(cost_of("UseSerialGC", heap_of(12 * GIB, 9 * MIB), &counters).way == FORCED);
    struct cost half = cost_of("UseG1GC", heap_of(6 * GIB, 5 * MIB), &none);
    CHECK(half.way == FORCED && half.predicted > 69 * MILLI);
}

static void survivorsOfTheLastYoungCollectionLimitTheNewBytesThatCount(void) {
    struct counters counters = after_young(10 * MIB, 2 * MIB);
    CHECK(cost_of("UseG1GC", heap_of(512 * MIB, 110 * MIB), &counters).way == FORCED);
    counters.full_ended = counters.young_ended + 1;
    CHECK(cost_of("UseG1GC", heap_of(512 * MIB, 110 * MIB), &counters).way == WAITING);
}

static void theLargestObservedSurvivorSizeCounts(void) {
    struct cost cost = {.way = WAITING};
    struct counters counters = after_young(MIB, 60 * MIB);
    struct heap heap = heap_of(512 * MIB, 121 * MIB);
    cost_estimate(row_of("UseG1GC"), &heap, &counters, &cost);
    CHECK(cost.way == WAITING && cost.survived == 60 * MIB);
    counters = after_young(20 * MIB, MIB);
    cost_estimate(row_of("UseG1GC"), &heap, &counters, &cost);
    CHECK(cost.way == WAITING && cost.survived == 60 * MIB);
}

static void aSmallHeapIsCollectedRegardlessOfItsContent(void) {
    const struct counters counters = after_full(MIB);
    CHECK(cost_of("UseG1GC", heap_of(64 * MIB, 64 * MIB), &counters).way == FORCED);
    CHECK(cost_of("UseParallelGC", heap_of(64 * MIB, 64 * MIB), NULL).way == FORCED);
    CHECK(cost_of("UseG1GC", heap_of(256 * MIB, 12 * MIB), &counters).way == FORCED);
}

static void withoutCountersAllBytesInUseCount(void) {
    CHECK(cost_of("UseSerialGC", heap_of(512 * MIB, 120 * MIB), NULL).way == WAITING);
    CHECK(cost_of("UseSerialGC", heap_of(512 * MIB, 20 * MIB), NULL).way == FORCED);
}

static void aForcedCollectionThatWasFarLongerThanPredictedIsTheLast(void) {
    const struct counters counters = after_full(MIB);
    struct heap heap = heap_of(512 * MIB, 20 * MIB);
    struct cost cost = {.way = WAITING};
    cost_estimate(row_of("UseSerialGC"), &heap, &counters, &cost);
    CHECK(cost.way == FORCED);
    cost_learn(&cost, 150 * MILLI);
    cost.way = WAITING;
    cost_estimate(row_of("UseSerialGC"), &heap, &counters, &cost);
    CHECK(cost.way == FORCED);
    cost_learn(&cost, 250 * MILLI);
    cost.way = WAITING;
    cost_estimate(row_of("UseSerialGC"), &heap, &counters, &cost);
    CHECK(cost.way == WAITING && cost.predicted == 250 * MILLI);
}

static void aSmallHeapIsNotCollectedAgainAfterACollectionThatWasFarTooLong(void) {
    const struct counters counters = after_full(MIB);
    struct heap heap = heap_of(64 * MIB, 20 * MIB);
    struct cost cost = {.way = WAITING};
    cost_estimate(row_of("UseSerialGC"), &heap, &counters, &cost);
    CHECK(cost.way == FORCED);
    cost_learn(&cost, 250 * MILLI);
    cost.way = WAITING;
    cost_estimate(row_of("UseSerialGC"), &heap, &counters, &cost);
    CHECK(cost.way == WAITING);
}

int main(void) {
    RUN(newObjectsAfterAFullCollectionAreAllTakenToBeLive);
    RUN(newObjectsBeforeAnyCollectionAreAllTakenToBeLive);
    RUN(theCommittedSizeOfAG1HeapCounts);
    RUN(survivorsOfTheLastYoungCollectionLimitTheNewBytesThatCount);
    RUN(theLargestObservedSurvivorSizeCounts);
    RUN(aSmallHeapIsCollectedRegardlessOfItsContent);
    RUN(withoutCountersAllBytesInUseCount);
    RUN(aForcedCollectionThatWasFarLongerThanPredictedIsTheLast);
    RUN(aSmallHeapIsNotCollectedAgainAfterACollectionThatWasFarTooLong);
}
