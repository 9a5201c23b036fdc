/*
 * Room in the program's heap for a large request. Without it an OutOfMemoryError would be thrown, which may make a JVM
 * exit or write a heap dump, depending on its flags. A collection for a request follows the same rule as one for a
 * detach (decision 0020), and is counted in the record.
 */
#define _GNU_SOURCE
#include "heap_room.h"
#include "clock.h"
#include "cost.h"
#include "events.h"
#include "failures.h"
#include "host.h"
#include "record.h"

/* A request up to this size fits in every heap; a larger one needs several times its size, for copies and classes. */
enum { MAX_SMALL_REQUEST = 1 << 20, ROOM_PER_BYTE = 4 };

/* The next collection may follow after at least this time, and after this multiple of the last one's duration. */
#define MIN_INTERVAL_NANOS 1000000000ull
enum { TIMES_COST = 100 };

static struct cost heap_room_cost;
static uint64_t heap_room_next;   /* no collection before this time: CLOCK_MONOTONIC, ns */

static bool heap_has_room(JNIEnv *env, size_t bytes) {
    struct heap heap;
    return heap_read(env, &heap) && heap.max - heap.committed + heap.unused >= (int64_t)bytes * ROOM_PER_BYTE;
}

static void heap_room_collect(JNIEnv *env) {
    uint64_t began = now_monotonic();
    bool collected = events_collect(env);
    uint64_t took = now_monotonic() - began;
    if (heap_room_cost.way == FORCED) {
        cost_learn(&heap_room_cost, took);
    }
    if (collected) {
        atomic_fetch_add(&host.record->collections, 1);
        atomic_fetch_add(&host.record->collecting, took);
    }
    uint64_t interval = took * TIMES_COST;
    heap_room_next = now_monotonic() + (interval < MIN_INTERVAL_NANOS ? MIN_INTERVAL_NANOS : interval);
}

/*
 * Returns FAILURE_NONE if the heap has room for a request of this size and the objects created from it; garbage counts
 * as used. If it has none, requests a collection, unless that may stop the program for long or would follow another too
 * soon.
 */
enum failure heap_make_room(JNIEnv *env, size_t bytes) {
    if (bytes < MAX_SMALL_REQUEST || heap_has_room(env, bytes)) {
        return FAILURE_NONE;
    }
    cost_predict(env, &heap_room_cost);
    if (heap_room_cost.way == WAITING || now_monotonic() < heap_room_next) {
        return FAILURE_NOT_COLLECTED;
    }
    heap_room_collect(env);
    return heap_has_room(env, bytes) ? FAILURE_NONE : FAILURE_NO_ROOM;
}
