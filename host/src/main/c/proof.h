/* The proof that nothing of a profiler remains, and its cost to the program: decision 0020. */
#ifndef MAYFLY_PROOF_H
#define MAYFLY_PROOF_H

#include "host.h"

/* counters.c */
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

/* cost.c */
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
    int64_t most;           /* the upper bound on the committed bytes */
};
bool heap_read(JNIEnv *env, struct heap *into);
void cost_predict(JNIEnv *env, struct cost *cost);
void cost_learn(struct cost *cost, uint64_t nanos);

/* proof.c */
/* The progress of the proof that nothing of the profiler remains. */
struct proof {
    struct cost cost;
    uint64_t spent;             /* in requested collections, ns */
    uint32_t collections;
    uint32_t tries;
    uint32_t allowed;           /* collections that may still be forced regardless of cost */
    uint64_t interval;
    uint64_t next;
    uint64_t look_interval;     /* between two inspections of the usual places while the host waits for the program */
    uint64_t next_look;
    uint64_t walk_interval;     /* between two heap walks */
    uint64_t next_walk;
    bool walk;                  /* one heap walk is permitted regardless of cost */
    bool collected;             /* the last requested collection happened */
    bool kept;                  /* a retainer of the profiler is known */
    char keeper[1024];          /* and its description */
    bool walks_are_long;        /* a walk stopped the program for longer than is allowed without permission */
    bool found;                 /* a walk found the retaining path */
    bool looked;                /* the usual places were inspected in this step */
    bool settled;               /* the reason for the wait can be reported */
};
void proof_ask(JNIEnv *env, struct proof *proof, bool released);
void proof_say(JNIEnv *env, struct proof *proof, bool released, char *text, size_t size);

#endif
