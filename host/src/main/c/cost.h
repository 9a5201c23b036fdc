/* The pause of a garbage collection that the host requests: decision 0020. */
#ifndef MAYFLY_COST_H
#define MAYFLY_COST_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* The way to obtain a collection that unloads classes. */
enum way {
    CONCURRENT,     /* requested; it runs concurrently with the program */
    FORCED,         /* requested; it stops the program */
    WAITING,        /* not requested; the program's own collection unloads the profiler */
};

struct cost {
    enum way way;
    const char *ignoring;   /* the flag that makes the garbage collector ignore requests, or NULL */
    uint64_t predicted;     /* estimated pause of a forced collection, ns */
    uint64_t measured;      /* pause of a forced collection that far exceeded its prediction, ns; otherwise 0 */
    int64_t survived;       /* the largest number of bytes seen among the survivors after a young collection */
};

struct heap {
    int64_t committed;
    int64_t unused;         /* part of the committed bytes */
    int64_t max;            /* the upper bound on the committed bytes */
};

bool heap_read(JNIEnv *env, struct heap *into);
void cost_predict(JNIEnv *env, struct cost *cost);
void cost_learn(struct cost *cost, uint64_t nanos);

#endif
