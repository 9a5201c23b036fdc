/*
 * That nothing of the profiler is left is proven by a collection that unloads its classes. Which one is asked for, and when,
 * depends on what it costs the program (cost.c): one that would stop it for long is forced only if that was allowed; else the
 * host waits for the program's own. While something is known to keep the profiler, none is asked for.
 */
#define _GNU_SOURCE
#include "proof.h"

#include <stdio.h>

/*
 * This many collections follow each other; later ones come at intervals that double. At the first, a thread that just leaves may still
 * have had a frame of the profiler.
 */
enum { AT_ONCE = 3 };
/*
 * More often if only the environment of JVMTI is left: a collection frees it only if no thread is just going through the
 * environments, as each does that begins or ends.
 */
enum { AT_ONCE_FOR_ENVIRONMENT = 12 };

/* The first interval is at least this, and at least TIMES_COST times as long as the collection before. */
#define FIRST_INTERVAL_NANOS 1000000000ull
enum { TIMES_COST = 100 };
#define LAST_INTERVAL_NANOS 600000000000ull
/* After a walk whose pause was longer than this, none is made without permission. */
#define LONGEST_WALK 10000000ull
#define FIRST_LOOK_INTERVAL_NANOS 10000000000ull

static uint64_t twice(uint64_t nanos) {
    return nanos * 2 > LAST_INTERVAL_NANOS ? LAST_INTERVAL_NANOS : nanos * 2;
}

/* Returns how long it took, ns. */
static uint64_t collect(JNIEnv *env, struct proof *proof) {
    uint64_t began = now_monotonic();
    proof->collected = events_collect(env);
    uint64_t took = now_monotonic() - began;
    proof->spent += took;
    proof->collections += proof->collected;
    proof->tries++;
    if (proof->interval < took * TIMES_COST) {
        proof->interval = took * TIMES_COST > LAST_INTERVAL_NANOS ? LAST_INTERVAL_NANOS : took * TIMES_COST;
    }
    return took;
}

static void pause(struct proof *proof, uint64_t least) {
    proof->interval = proof->interval < least ? least : proof->interval;
    proof->next = now_monotonic() + proof->interval;
    proof->interval = twice(proof->interval);
    proof->settled = true;
}

/* The same, and after some a pause follows. */
static uint64_t collect_again(JNIEnv *env, struct proof *proof, bool released) {
    uint64_t took = collect(env, proof);
    if (proof->tries >= (released ? AT_ONCE_FOR_ENVIRONMENT : AT_ONCE)) {
        pause(proof, FIRST_INTERVAL_NANOS);
    }
    return took;
}

/* A request with permission to stop the program allows a few forced collections and one long walk over the heap. */
static void take_permission(struct proof *proof) {
    pthread_mutex_lock(&host.lock);
    bool now = host.collect;
    host.collect = false;
    pthread_mutex_unlock(&host.lock);
    if (now) {
        proof->allowed = AT_ONCE;
        proof->tries = 0;
        proof->walk = true;
    }
}

/*
 * To look at the usual places takes a reference to the class loader, by which a concurrent cycle that just runs takes it to be live.
 * So the looks become rarer while the host waits for such a cycle, unless they find something.
 */
static bool is_time_to_look(struct proof *proof) {
    bool time = proof->cost.way != WAITING || proof->kept || now_monotonic() >= proof->next_look;
    if (time && proof->cost.way == WAITING) {
        proof->look_interval = proof->look_interval == 0 ? FIRST_LOOK_INTERVAL_NANOS : twice(proof->look_interval);
        proof->next_look = now_monotonic() + proof->look_interval;
    }
    return time;
}

/* Among virtual threads, of which there may be very many, only if it is still there after a collection, or none will be asked for. */
static void look(JNIEnv *env, struct proof *proof, bool released) {
    bool also_virtual = proof->collections > 0 || proof->cost.way == WAITING;
    proof->kept = !released && retainers_find(env, proof->keeper, sizeof proof->keeper, also_virtual);
    proof->looked = true;
}

static void ask(JNIEnv *env, struct proof *proof, bool released) {
    if (proof->allowed == 0 && now_monotonic() < proof->next) {
        return;
    }
    cost_predict(env, &proof->cost);
    proof->allowed = proof->cost.ignoring == NULL ? proof->allowed : 0;
    if (proof->allowed > 0) {
        look(env, proof, released);
        proof->settled = proof->kept;
        if (!proof->kept) {
            proof->allowed--;
            collect(env, proof);
            proof->settled = proof->allowed == 0;
        }
        return;
    }
    if (is_time_to_look(proof)) {
        look(env, proof, released);
    }
    if (proof->kept) {
        proof->settled = true;
        return;
    }
    switch (proof->cost.way) {
        case CONCURRENT:
            collect_again(env, proof, released);
            break;
        case FORCED:
            cost_learn(&proof->cost, collect_again(env, proof, released));
            break;
        case WAITING:
            proof->settled = true;
            break;
    }
}

/* Asks for a collection if it is time for one, and settles when there is something to say about the wait. */
void proof_ask(JNIEnv *env, struct proof *proof, bool released) {
    take_permission(proof);
    proof->settled = false;
    proof->looked = false;
    ask(env, proof, released);
    /* The text of a path that was found is kept until the next walk. */
    proof->found = proof->found && !released;
    proof->settled = proof->settled && !(proof->found && !proof->walk && now_monotonic() < proof->next_walk);
}

static void say_wait(const struct proof *proof, bool released, char *text, size_t size) {
    unsigned long long millis = (proof->cost.predicted + 500000) / 1000000;
    const char *does = released ? "frees an environment of JVMTI" : "unloads classes";
    if (proof->cost.ignoring != NULL) {
        snprintf(text, size, "the program's next collection that %s, for which it waits: with -XX:+%s the collector does nothing when one is"
                " asked for", does, proof->cost.ignoring);
    } else if (proof->cost.way == WAITING) {
        snprintf(text, size, "the program's next collection that %s, for which it waits: a full one is estimated to stop the program"
                " for %llu ms; `mayfly detach --collect` forces it, and searches for what else may keep the profiler", does, millis);
    } else if (!proof->collected) {
        snprintf(text, size, "the JVM's next collection, for which it waits: none could be asked for");
    } else if (released) {
        snprintf(text, size, "a callback of an agent that has not returned: until then the JVM keeps the host's environment of JVMTI");
    } else {
        snprintf(text, size, "an object that still refers to it and was not found: only the usual places were looked at%s",
                proof->walk ? "" : "; `mayfly detach --collect` searches the heap for longer, if the attach accepted the lasting cost of JVMTI"
                " or this JVM is older than 21");
    }
}

/* Each walk over the heap is a pause, so that they become rarer, too. */
static bool is_time_to_walk(struct proof *proof) {
    bool time = proof->walk || now_monotonic() >= proof->next_walk;
    if (time) {
        proof->walk_interval = proof->walk ? LAST_INTERVAL_NANOS
                : proof->walk_interval == 0 ? FIRST_INTERVAL_NANOS : twice(proof->walk_interval);
        proof->next_walk = now_monotonic() + proof->walk_interval;
    }
    return time;
}

/*
 * Returns true if a walk over the heap, which stops the program, may look for the path by which the profiler is kept: with permission, or
 * once, after a collection, it is still there and none of the usual places says why.
 */
static bool may_walk(struct proof *proof, bool released) {
    bool permitted = proof->walk;
    bool needed = proof->looked && !proof->kept && proof->collections > 0 && !proof->walks_are_long;
    return !released && (permitted || needed) && is_time_to_walk(proof);
}

/* False if it says less than is known without it: before a collection nothing need refer to what is still there. */
static bool walk(JNIEnv *env, struct proof *proof, char *text, size_t size) {
    uint64_t pause = 0;
    bool found = references_find(env, text, size, proof->walk, &pause);
    proof->walks_are_long = proof->walks_are_long || pause > LONGEST_WALK;
    return found || (text[0] != 0 && !proof->kept && proof->collections > 0);
}

/* What it waits for, in words, as exactly as that can be said without harm. */
void proof_say(JNIEnv *env, struct proof *proof, bool released, char *text, size_t size) {
    proof->found = may_walk(proof, released) && walk(env, proof, text, size);
    proof->walk = false;
    if (!proof->found && proof->kept && !released) {
        snprintf(text, size, "%s", proof->keeper);
    } else if (!proof->found) {
        say_wait(proof, released, text, size);
    }
}
