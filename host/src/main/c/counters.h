/* The JVM's performance counters. */
#ifndef MAYFLY_COUNTERS_H
#define MAYFLY_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes, counts, and ticks of the JVM's clock; the frequency is the number of ticks per second. */
struct counters {
    int64_t frequency;
    int64_t old_used;
    int64_t survivor_used[2];
    int64_t young_collections;
    int64_t young_ended;            /* the last one */
    int64_t full_collections;
    int64_t full_began;             /* the last one */
    int64_t full_ended;
};
bool counters_read(struct counters *into);

#endif
