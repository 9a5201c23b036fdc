/*
 * A collection that unloads the profiler's classes proves that nothing of the profiler remains. The kind and time of
 * the requested collection depend on its cost to the program (cost.c): a collection with a long pause is forced only
 * with permission; otherwise the host waits for the program's own. While a retainer of the profiler is known, no
 * collection is requested.
 */
#define _GNU_SOURCE
#include "proof.h"
#include "clock.h"
#include "compilations.h"
#include "cost.h"
#include "events.h"
#include "host.h"
#include "references.h"
#include "retainers.h"

#include <stdio.h>
#include <string.h>

/*
 * This many collections follow each other immediately; later ones follow at doubling intervals. More than one is
 * needed, because a returning thread may still have a frame of the profiler during the first.
 */
enum { MAX_AT_ONCE = 3 };
/*
 * The number of immediate collections if only the JVMTI environment remains. It is larger, because a collection frees
 * the environment only if no thread is iterating over the environments, as each thread does when it begins and ends.
 */
enum { MAX_AT_ONCE_FOR_ENVIRONMENT = 12 };

/* The first interval is at least this long, and at least TIMES_COST times as long as the previous collection. */
#define FIRST_INTERVAL_NANOS 1000000000ull
enum { TIMES_COST = 100 };
#define MAX_INTERVAL_NANOS 600000000000ull
/* After a walk with a longer pause than this, further walks need permission. */
#define MAX_WALK_NANOS 10000000ull
#define FIRST_LOOK_INTERVAL_NANOS 10000000000ull
/* The end of a compilation is noticed at most a quarter of its duration later. */
enum { COMPILATION_FRACTION = 4 };

static uint64_t proof_twice(uint64_t nanos) {
    return nanos * 2 > MAX_INTERVAL_NANOS ? MAX_INTERVAL_NANOS : nanos * 2;
}

/* Requests a collection. Returns its duration, ns. */
static uint64_t proof_collect(JNIEnv *env, struct proof *proof) {
    uint64_t began = now_monotonic();
    proof->collected = events_collect(env);
    uint64_t took = now_monotonic() - began;
    proof->spent += took;
    proof->collections += proof->collected;
    proof->tries++;
    if (proof->interval < took * TIMES_COST) {
        proof->interval = took * TIMES_COST > MAX_INTERVAL_NANOS ? MAX_INTERVAL_NANOS : took * TIMES_COST;
    }
    return took;
}

static void proof_pause(struct proof *proof, uint64_t min) {
    proof->interval = proof->interval < min ? min : proof->interval;
    proof->next = now_monotonic() + proof->interval;
    proof->interval = proof_twice(proof->interval);
    proof->settled = true;
}

/* Requests a collection. After several attempts in succession, sets a delay before the next one. */
static uint64_t proof_collect_again(JNIEnv *env, struct proof *proof, bool released) {
    uint64_t took = proof_collect(env, proof);
    if (proof->tries >= (released ? MAX_AT_ONCE_FOR_ENVIRONMENT : MAX_AT_ONCE)) {
        proof_pause(proof, FIRST_INTERVAL_NANOS);
    }
    return took;
}

/* A request with permission to stop the program allows a few forced collections and one long heap walk. */
static void proof_take_permission(struct proof *proof) {
    pthread_mutex_lock(&host.lock);
    bool now = host.collect;
    host.collect = false;
    pthread_mutex_unlock(&host.lock);
    if (now) {
        proof->allowed = MAX_AT_ONCE;
        proof->tries = 0;
        proof->walk = true;
    }
}

/*
 * Returns true if the usual places (retainers.c) are to be inspected. An inspection takes a reference to the class
 * loader, which makes the loader live for a concurrent cycle in progress. Inspections therefore become rarer while the
 * host waits for such a cycle, unless they find something.
 */
static bool proof_is_time_to_look(struct proof *proof) {
    bool time = proof->cost.way != WAITING || proof->kept || now_monotonic() >= proof->next_look;
    if (time && proof->cost.way == WAITING) {
        proof->look_interval = proof->look_interval == 0 ? FIRST_LOOK_INTERVAL_NANOS
                : proof_twice(proof->look_interval);
        proof->next_look = now_monotonic() + proof->look_interval;
    }
    return time;
}

/*
 * Searches for a running compilation. The next search follows after a fraction of the time since the first that found
 * one, because native code of the program may have such a reference for a long time.
 */
static void proof_search_compilations(JNIEnv *env, struct proof *proof) {
    bool found = compilations_retain(env);
    uint64_t now = now_monotonic();
    proof->compiles_since = !found ? 0 : proof->compiles_since == 0 ? now : proof->compiles_since;
    uint64_t interval = (now - proof->compiles_since) / COMPILATION_FRACTION;
    proof->next_compilation = now + (interval > MAX_INTERVAL_NANOS ? MAX_INTERVAL_NANOS : interval);
}

/*
 * Returns true if a running compilation retains the profiler. The search may acquire JVMTI, so it precedes only the
 * last of the collections that follow each other immediately, and later ones.
 */
static bool proof_find_compilation(JNIEnv *env, struct proof *proof) {
    if (proof->tries < MAX_AT_ONCE - 1) {
        return false;
    }
    if (proof->compiles_since == 0 || now_monotonic() >= proof->next_compilation) {
        proof_search_compilations(env, proof);
    }
    if (proof->compiles_since != 0) {
        snprintf(proof->keeper, sizeof proof->keeper,
                 "a running compilation of its code, or native code: a global reference to its class loader");
    }
    return proof->compiles_since != 0;
}

/*
 * Inspects the usual places and the compilations. There may be very many virtual threads, so they are inspected only if
 * the profiler remains after a collection, or if no collection will be requested.
 */
static void proof_look(JNIEnv *env, struct proof *proof, bool released) {
    bool also_virtual = proof->collections > 0 || proof->cost.way == WAITING;
    bool was_kept = proof->kept;
    char before[sizeof proof->keeper];
    memcpy(before, proof->keeper, sizeof before);
    proof->kept = !released && (retainers_find(env, proof->keeper, sizeof proof->keeper, also_virtual)
            || proof_find_compilation(env, proof));
    proof->looked = true;
    /* A path that a walk has found is that of the retainer before. */
    proof->found = proof->found && !(was_kept && (!proof->kept || strcmp(before, proof->keeper) != 0));
}

static void proof_ask_if_due(JNIEnv *env, struct proof *proof, bool released) {
    if (proof->allowed == 0 && now_monotonic() < proof->next) {
        return;
    }
    cost_predict(env, &proof->cost);
    proof->allowed = proof->cost.ignoring == NULL ? proof->allowed : 0;
    if (proof->allowed > 0) {
        proof_look(env, proof, released);
        proof->settled = proof->kept;
        if (!proof->kept) {
            proof->allowed--;
            proof_collect(env, proof);
            proof->settled = proof->allowed == 0;
        }
        return;
    }
    if (proof_is_time_to_look(proof)) {
        proof_look(env, proof, released);
    }
    if (proof->kept) {
        proof->settled = true;
        return;
    }
    switch (proof->cost.way) {
        case CONCURRENT:
            proof_collect_again(env, proof, released);
            break;
        case FORCED:
            cost_learn(&proof->cost, proof_collect_again(env, proof, released));
            break;
        case WAITING:
            proof->settled = true;
            break;
    }
}

/* Requests a collection if one is due, and sets settled when the reason for the wait can be reported. */
void proof_ask(JNIEnv *env, struct proof *proof, bool released) {
    proof_take_permission(proof);
    proof->settled = false;
    proof->looked = false;
    proof_ask_if_due(env, proof, released);
    /* The description of a path found by a walk is kept until the next walk. */
    proof->found = proof->found && !released;
    proof->settled = proof->settled && !(proof->found && !proof->walk && now_monotonic() < proof->next_walk);
}

static void proof_say_wait(const struct proof *proof, bool released, char *text, size_t size) {
    unsigned long long millis = (proof->cost.predicted + 500000) / 1000000;
    const char *does = released ? "frees an environment of JVMTI" : "unloads classes";
    if (proof->cost.ignoring != NULL) {
        snprintf(text, size, "the program's next collection that %s, for which it waits: with -XX:+%s the garbage"
                " collector ignores requests", does, proof->cost.ignoring);
    } else if (proof->cost.way == WAITING) {
        snprintf(text, size,
                 "the program's next collection that %s, for which it waits: a full one is estimated to stop the"
                 " program for %llu ms; `mayfly detach --collect` forces it, and searches for objects that retain the"
                 " profiler",
                 does, millis);
    } else if (!proof->collected) {
        snprintf(text, size, "the JVM's next collection, for which it waits: none could be requested");
    } else if (released) {
        snprintf(text, size,
                 "a callback of an agent that has not returned: until it returns, the JVM keeps the host's"
                 " environment of JVMTI");
    } else {
        snprintf(text, size,
                 "an object or a running compilation that still refers to it and was not found%s",
                 proof->walk ? ""
                 : "; `mayfly detach --collect` searches the heap for longer, if the attach accepted the lasting cost"
                   " of JVMTI or this JVM is older than 21");
    }
}

/* Each heap walk is a pause, so the interval between walks increases too. */
static bool proof_is_time_to_walk(struct proof *proof) {
    bool time = proof->walk || now_monotonic() >= proof->next_walk;
    if (time) {
        proof->walk_interval = proof->walk ? MAX_INTERVAL_NANOS
                : proof->walk_interval == 0 ? FIRST_INTERVAL_NANOS : proof_twice(proof->walk_interval);
        proof->next_walk = now_monotonic() + proof->walk_interval;
    }
    return time;
}

/*
 * Returns true if a heap walk, which stops the program, may look for the path that retains the profiler: with
 * permission, or if the profiler remains after a collection and none of the usual places explains that.
 */
static bool proof_may_walk(struct proof *proof, bool released) {
    bool permitted = proof->walk;
    bool needed = proof->looked && !proof->kept && proof->collections > 0 && !proof->walks_are_long;
    return !released && (permitted || needed) && proof_is_time_to_walk(proof);
}

/*
 * Walks the heap. Returns false if the walk has found nothing new: before a collection, an object may remain although
 * nothing refers to it.
 */
static bool proof_walk(JNIEnv *env, struct proof *proof, char *text, size_t size) {
    uint64_t pause = 0;
    bool found = references_find(env, text, size, proof->walk, &pause);
    proof->walks_are_long = proof->walks_are_long || pause > MAX_WALK_NANOS;
    return found || (text[0] != 0 && !proof->kept && proof->collections > 0);
}

/* Describes the reason for the wait, as exactly as possible without harm to the program. */
void proof_say(JNIEnv *env, struct proof *proof, bool released, char *text, size_t size) {
    proof->found = proof_may_walk(proof, released) && proof_walk(env, proof, text, size);
    proof->walk = false;
    if (!proof->found && proof->kept && !released) {
        snprintf(text, size, "%s", proof->keeper);
    } else if (!proof->found) {
        proof_say_wait(proof, released, text, size);
    }
}
