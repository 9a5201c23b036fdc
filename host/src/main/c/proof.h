/* The proof that nothing of a profiler remains, and its cost to the program: decision 0020. */
#ifndef MAYFLY_PROOF_H
#define MAYFLY_PROOF_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cost.h"

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
    uint64_t compiles_since;    /* the first of the searches that have found a running compilation; 0 if it has ended */
    uint64_t next_compilation;  /* the next of these searches */
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
