/*
 * How long a forced collection would stop the program, and whether that may be. The estimate is the live heap times a rate that
 * was measured for each collector (decision 0020); the last full collection of the program itself counts where it was longer.
 */
#define _GNU_SOURCE
#include "proof.h"

#define MILLI 1000000ull

/* The shortest pause of a full collection, with nearly nothing alive. */
#define LEAST_NANOS (3 * MILLI)

/* Up to this estimate no permission is needed. */
#define LONGEST_PAUSE (100 * MILLI)

/* The pause of the last full collection counts only above this estimate: the heap may have been larger then. */
#define SHORT_PAUSE (10 * MILLI)

/* A heap of this size or less is always collected by force: with all of it alive the estimate is below the limit. */
#define SMALL_HEAP (64 << 20)

/* One part in this many of what was allocated since the last young collection is taken to be live. */
enum { EDEN_LIVES = 4 };

/*
 * A collector, by its flag; its way without a long pause; a flag without which a collection that is asked for stops
 * the program all the same; picoseconds of pause for each live byte; true if the counters have its generations.
 */
static const struct row {
    const char *flag;
    enum way gentle;
    const char *unless;
    uint64_t rate;
    bool generations;
} rows[] = {
    {"UseG1GC", WAITING, NULL, 1300, true},
    {"UseZGC", CONCURRENT, NULL, 0, false},
    {"UseShenandoahGC", CONCURRENT, "ExplicitGCInvokesConcurrent", 1300, false},
    {"UseSerialGC", WAITING, NULL, 900, true},
    {"UseParallelGC", WAITING, NULL, 1300, true},
    {NULL, WAITING, NULL, 1300, false},
};

/* The heap's size, as java.lang.Runtime has it. False if that could not be read. */
bool heap_read(JNIEnv *env, struct heap *into) {
    static const char *const names[] = {"totalMemory", "freeMemory"};
    int64_t *const values[] = {&into->committed, &into->unused};
    if ((*env)->PushLocalFrame(env, 8) != 0) {
        (*env)->ExceptionClear(env);
        return false;
    }
    jclass class = class_find(env, "java/lang/Runtime");
    jmethodID get = class == NULL ? NULL : (*env)->GetStaticMethodID(env, class, "getRuntime", "()Ljava/lang/Runtime;");
    jobject runtime = get == NULL ? NULL : (*env)->CallStaticObjectMethod(env, class, get);
    bool read = !(*env)->ExceptionCheck(env) && runtime != NULL;
    for (int i = 0; i < 2 && read; i++) {
        jmethodID method = (*env)->GetMethodID(env, class, names[i], "()J");
        *values[i] = method == NULL ? 0 : (*env)->CallLongMethod(env, runtime, method);
        read = method != NULL && !(*env)->ExceptionCheck(env);
    }
    (*env)->ExceptionClear(env);
    (*env)->PopLocalFrame(env, NULL);
    return read;
}

static uint64_t nanos(const struct counters *in, int64_t ticks) {
    return ticks <= 0 ? 0 : (uint64_t)((double)ticks * 1e9 / (double)in->frequency);
}

/* Bytes that a full collection would have to visit, as far as the JVM's counters tell; all that is in use if it has none. */
static uint64_t live_bytes(const struct heap *heap, const struct counters *counters) {
    int64_t used = heap->committed - heap->unused;
    if (counters->frequency == 0) {
        return (uint64_t)used;
    }
    int64_t survivors = counters->survivor_used[0] + counters->survivor_used[1];
    int64_t eden = used - counters->old_used - survivors;
    int64_t lives = eden < 0 ? 0 : eden / EDEN_LIVES;
    bool collected = counters->young_collections + counters->full_collections > 0;
    lives = collected && survivors < lives ? survivors : lives;
    return (uint64_t)(counters->old_used + survivors + lives);
}

static const struct row *current(void) {
    const struct row *row = rows;
    while (row->flag != NULL && !flag_is_set(row->flag, false)) {
        row++;
    }
    return row;
}

static enum way way_of(const struct row *row) {
    bool stops = row->unless != NULL && !flag_is_set(row->unless, false);
    return stops ? WAITING : row->gentle;
}

/* Estimates what a collection costs now, and with that chooses the way. */
void cost_predict(JNIEnv *env, struct cost *cost) {
    const struct row *row = current();
    struct counters counters = {0};
    struct heap heap = {0};
    bool counted = row->generations && counters_read(&counters);
    *cost = (struct cost){.way = way_of(row)};
    if (cost->way == CONCURRENT || !heap_read(env, &heap)) {
        return;
    }
    cost->predicted = LEAST_NANOS + live_bytes(&heap, &counters) * row->rate / 1000;
    if (counted && cost->predicted > SHORT_PAUSE && counters.full_collections > 0) {
        uint64_t last = nanos(&counters, counters.full_ended - counters.full_began);
        cost->predicted = last > cost->predicted ? last : cost->predicted;
    }
    if (cost->predicted <= LONGEST_PAUSE || heap.committed <= SMALL_HEAP) {
        cost->way = FORCED;
    }
}
