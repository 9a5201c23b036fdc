/*
 * Estimates the pause of a forced collection and decides if it is permitted. The estimate is the live heap multiplied
 * by rates measured for each garbage collector (decision 0020); if the program's own last full collection took longer,
 * that time is used.
 */
#define _GNU_SOURCE
#include "cost.h"
#include "classes.h"
#include "counters.h"
#include "flags.h"

#define MILLI 1000000ull

/* The shortest pause of a full collection, with an almost empty live set. */
#define MIN_PAUSE (3 * MILLI)

/* The longest estimated pause for which no permission is needed. */
#define MAX_PAUSE (100 * MILLI)

/*
 * The pause of the last full collection is used only if the estimate is longer than this: the heap may have been larger
 * at that time.
 */
#define SHORT_PAUSE (10 * MILLI)

/*
 * A heap of at most this size is collected by force whatever the estimate, until such a collection has taken far longer
 * than predicted. If all of it is live, the estimate is 90 ms, and 137 ms with Parallel.
 */
#define SMALL_HEAP (64 << 20)

/*
 * At least 1/EDEN_LIVES of the bytes allocated since the last young collection is assumed live. If no young collection
 * has shown the survivors, all of these bytes are assumed live.
 */
enum { EDEN_LIVES = 4 };

/*
 * A pause longer than both the limit and the prediction, each multiplied by its factor, shows that the estimate is
 * wrong for this program.
 */
enum { FAR_ABOVE_LIMIT = 2, FAR_ABOVE_PREDICTED = 3 };

/*
 * A garbage collector, identified by its flag; the way of collecting without a long pause; a flag without which a
 * requested collection still stops the program; a flag that makes the collector ignore every request; picoseconds of
 * pause for each live byte of the old generation and the survivors, for each new live byte, and for each committed
 * byte; true if the counters describe its generations.
 */
static const struct collector_row {
    const char *flag;
    enum way gentle;
    const char *unless;
    const char *ignoring;
    uint64_t old;
    uint64_t young;
    uint64_t committed;
    bool generations;
} collector_rows[] = {
    {"UseG1GC", WAITING, NULL, NULL, 1300, 1300, 13, true},
    {"UseZGC", CONCURRENT, NULL, NULL, 0, 0, 0, false},
    {"UseShenandoahGC", CONCURRENT, "ExplicitGCInvokesConcurrent", "DisableExplicitGC", 1300, 1300, 0, false},
    {"UseSerialGC", WAITING, NULL, NULL, 900, 1300, 0, true},
    {"UseParallelGC", WAITING, NULL, NULL, 1300, 2000, 0, true},
    {NULL, WAITING, NULL, NULL, 1300, 1300, 13, false},
};

/* Reads the heap's size as java.lang.Runtime reports it. Returns false if it could not be read. */
bool heap_read(JNIEnv *env, struct heap *into) {
    static const char *const names[] = {"totalMemory", "freeMemory", "maxMemory"};
    int64_t *const values[] = {&into->committed, &into->unused, &into->max};
    if ((*env)->PushLocalFrame(env, 8) != 0) {
        (*env)->ExceptionClear(env);
        return false;
    }
    jclass class = class_find(env, "java/lang/Runtime");
    jmethodID get = class == NULL ? NULL : (*env)->GetStaticMethodID(env, class, "getRuntime", "()Ljava/lang/Runtime;");
    jobject runtime = get == NULL ? NULL : (*env)->CallStaticObjectMethod(env, class, get);
    bool read = !(*env)->ExceptionCheck(env) && runtime != NULL;
    for (int i = 0; i < 3 && read; i++) {
        jmethodID method = (*env)->GetMethodID(env, class, names[i], "()J");
        *values[i] = method == NULL ? 0 : (*env)->CallLongMethod(env, runtime, method);
        read = method != NULL && !(*env)->ExceptionCheck(env);
    }
    (*env)->ExceptionClear(env);
    (*env)->PopLocalFrame(env, NULL);
    return read;
}

static uint64_t counters_nanos(const struct counters *in, int64_t ticks) {
    return ticks <= 0 ? 0 : (uint64_t)((double)ticks * 1e9 / (double)in->frequency);
}

/*
 * Returns true if the last collection was a young one, so that its survivors show how much of the new allocation lives.
 */
static bool counters_show_survivors(const struct counters *counters) {
    return counters->young_collections > 0 && counters->young_ended > counters->full_ended;
}

/*
 * Returns the picoseconds for the bytes that a full collection would visit according to the JVM's counters; without
 * counters (NULL), for all bytes in use. Bytes allocated since the last collection count as new.
 */
static uint64_t cost_visit_picos(const struct collector_row *row, const struct heap *heap,
        const struct counters *counters, struct cost *cost) {
    int64_t used = heap->committed - heap->unused;
    if (counters == NULL) {
        return (uint64_t)used * row->young;
    }
    int64_t survivors = counters->survivor_used[0] + counters->survivor_used[1];
    int64_t known = counters->old_used + survivors;
    int64_t eden = used < known ? 0 : used - known;
    int64_t lives = eden;
    if (counters_show_survivors(counters)) {
        cost->survived = survivors > cost->survived ? survivors : cost->survived;
        int64_t min = eden / EDEN_LIVES > cost->survived ? eden / EDEN_LIVES : cost->survived;
        lives = min < eden ? min : eden;
    }
    return (uint64_t)known * row->old + (uint64_t)lives * row->young;
}

static const struct collector_row *collector_row_now(void) {
    const struct collector_row *row = collector_rows;
    while (row->flag != NULL && !flag_is_set(row->flag, false)) {
        row++;
    }
    return row;
}

static enum way collector_way(const struct collector_row *row) {
    bool stops = row->unless != NULL && !flag_is_set(row->unless, false);
    return stops ? WAITING : row->gentle;
}

static void cost_estimate(const struct collector_row *row, const struct heap *heap, const struct counters *counters,
        struct cost *cost) {
    uint64_t picos = cost_visit_picos(row, heap, counters, cost) + (uint64_t)heap->committed * row->committed;
    cost->predicted = MIN_PAUSE + picos / 1000;
    if (counters != NULL && cost->predicted > SHORT_PAUSE && counters->full_collections > 0) {
        uint64_t last = counters_nanos(counters, counters->full_ended - counters->full_began);
        cost->predicted = last > cost->predicted ? last : cost->predicted;
    }
    cost->predicted = cost->measured > cost->predicted ? cost->measured : cost->predicted;
    bool small = heap->committed <= SMALL_HEAP && cost->measured == 0;
    if (cost->predicted <= MAX_PAUSE || small) {
        cost->way = FORCED;
    }
}

/* Estimates the present cost of a collection and chooses the way accordingly. */
void cost_predict(JNIEnv *env, struct cost *cost) {
    const struct collector_row *row = collector_row_now();
    struct counters counters;
    struct heap heap;
    bool ignores = row->ignoring != NULL && flag_is_set(row->ignoring, false);
    cost->ignoring = ignores ? row->ignoring : NULL;
    cost->way = ignores ? WAITING : collector_way(row);
    cost->predicted = 0;
    if (!ignores && cost->way != CONCURRENT && heap_read(env, &heap)) {
        cost_estimate(row, &heap, row->generations && counters_read(&counters) ? &counters : NULL, cost);
    }
}

/* Records the duration of a forced collection, for which cost_predict has been called. */
void cost_learn(struct cost *cost, uint64_t nanos) {
    if (nanos > FAR_ABOVE_LIMIT * MAX_PAUSE && nanos > FAR_ABOVE_PREDICTED * cost->predicted) {
        cost->measured = nanos;
    }
}
