/*
 * How it is proven that nothing of a profiler is left, and what that costs the program: decision 0020.
 */
#ifndef MAYFLY_PROOF_H
#define MAYFLY_PROOF_H

#include "host.h"

/* counters.c */
/* Bytes, counts, and ticks of the JVM's clock, of which a second has as many as the frequency says. */
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
/* How the JVM is brought to a collection that unloads classes. */
enum way {
    CONCURRENT,     /* asked for, it runs beside the program */
    FORCED,         /* asked for, it stops the program */
    WAITING,        /* none is asked for: the program's own unloads the profiler */
};
struct cost {
    enum way way;
    const char *ignoring;   /* the flag by which the collector does nothing when a collection is asked for; or NULL */
    uint64_t predicted;     /* how long a forced collection would stop the program, ns */
    uint64_t measured;      /* how long one did that was far longer than predicted, ns; else 0 */
    int64_t survived;       /* the most bytes that any young collection was seen to leave among the survivors */
};
struct heap {
    int64_t committed;
    int64_t unused;         /* of what is committed */
};
bool heap_read(JNIEnv *env, struct heap *into);
void cost_predict(JNIEnv *env, struct cost *cost);
void cost_learn(struct cost *cost, uint64_t nanos);

/* proof.c */
/* How far the proof is that nothing of the profiler is left. */
struct proof {
    struct cost cost;
    uint64_t spent;             /* in collections that were asked for, ns */
    uint32_t collections;
    uint32_t tries;
    uint32_t allowed;           /* collections that may still be forced whatever they cost */
    uint64_t interval;
    uint64_t next;
    uint64_t look_interval;     /* between two looks at the usual places while the host waits for the program */
    uint64_t next_look;
    uint64_t walk_interval;     /* between two walks over the heap */
    uint64_t next_walk;
    bool walk;                  /* the heap may be walked once, whatever it costs */
    bool collected;             /* the last one that was asked for came */
    bool kept;                  /* something is known to keep the profiler */
    char keeper[1024];          /* and what */
    bool walks_are_long;        /* a walk has stopped the program for longer than is allowed without permission */
    bool found;                 /* a walk has found the path by which it is kept */
    bool looked;                /* the usual places were looked at in this step */
    bool settled;               /* there is something to say about the wait */
};
void proof_ask(JNIEnv *env, struct proof *proof, bool released);
void proof_say(JNIEnv *env, struct proof *proof, bool released, char *text, size_t size);

#endif
