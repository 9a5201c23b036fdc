/* The reports of a waiting detach, and the pauses that it causes to obtain them. */
#include "../../main/c/proof.c"

#include "check.h"

#include <string.h>

/* Doubles: a JVM in which an inspection finds this retainer and a walk finds this path; NULL for none. */
static const char *keeper;
static const char *path;
static enum way way;
static const char *ignoring;
static int collections;
static int walks;
static bool compiles;
static int compilation_searches;

void cost_predict(JNIEnv *env, struct cost *cost) {
    (void)env;
    *cost = (struct cost){.way = way, .ignoring = ignoring};
}

void cost_learn(struct cost *cost, uint64_t nanos) {
    (void)cost;
    (void)nanos;
}

bool events_collect(JNIEnv *env) {
    (void)env;
    collections++;
    return true;
}

bool retainers_find(JNIEnv *env, char *text, size_t size, bool also_virtual) {
    (void)env;
    (void)also_virtual;
    snprintf(text, size, "%s", keeper == NULL ? "" : keeper);
    return keeper != NULL;
}

bool compilations_retain(JNIEnv *env) {
    (void)env;
    compilation_searches++;
    return compiles;
}

bool references_find(JNIEnv *env, char *text, size_t size, bool at_any_cost, uint64_t *pause) {
    (void)env;
    walks++;
    *pause = 1;
    snprintf(text, size, "%s", path != NULL ? path : at_any_cost ? "an object that was not found" : "");
    return path != NULL;
}

/* Runs the host's steps until it has something to report, at most ten; returns the report. */
static const char *said(struct proof *proof) {
    static char text[1024];
    text[0] = 0;
    for (int i = 0; i < 10 && !proof->settled; i++) {
        proof_ask(NULL, proof, false);
    }
    proof_say(NULL, proof, false, text, sizeof text);
    return text;
}

static void begin(enum way with, const char *keeps, const char *leads) {
    way = with;
    ignoring = NULL;
    keeper = keeps;
    path = leads;
    collections = 0;
    walks = 0;
    compiles = false;
    compilation_searches = 0;
    host.collect = false;
}

static void aKnownRetainerIsReportedWithoutACollectionOrAWalk(void) {
    struct proof proof = {0};
    begin(FORCED, "a shutdown hook -> a.Hook", "referenced by the JVM");
    CHECK(strcmp(said(&proof), keeper) == 0);
    CHECK(collections == 0 && walks == 0);
}

static void aPermittedWalkReportsTheWholePathOnce(void) {
    struct proof proof = {0};
    begin(FORCED, "a shutdown hook -> a.Hook", "referenced by the JVM");
    host.collect = true;
    CHECK(strcmp(said(&proof), path) == 0);
    CHECK(collections == 0 && walks == 1);
}

static void aKnownRetainerIsReportedIfAPermittedWalkFindsNoPath(void) {
    struct proof proof = {0};
    begin(FORCED, "a shutdown hook -> a.Hook", NULL);
    host.collect = true;
    CHECK(strcmp(said(&proof), keeper) == 0);
}

static void aWalkFollowsACollectionAfterWhichNothingIsKnown(void) {
    struct proof proof = {0};
    begin(FORCED, NULL, "referenced by the JVM");
    CHECK(strcmp(said(&proof), path) == 0);
    CHECK(collections == MAX_AT_ONCE && walks == 1);
}

static void noWalkIsMadeWhileTheProgramsOwnCollectionIsAwaited(void) {
    struct proof proof = {0};
    begin(WAITING, NULL, "referenced by the JVM");
    CHECK(strstr(said(&proof), "the program's next collection that unloads classes, for which it waits") != NULL);
    CHECK(collections == 0 && walks == 0);
}

static void theFlagThatDisablesRequestsIsNamedEvenWithPermission(void) {
    struct proof proof = {0};
    begin(WAITING, NULL, NULL);
    ignoring = "DisableExplicitGC";
    host.collect = true;
    CHECK(strstr(said(&proof), "for which it waits: with -XX:+DisableExplicitGC") != NULL);
    CHECK(collections == 0);
}

/* The message follows "pinned by " and "that is ". */
static void messageForARetainerThatWasNotFoundIsANounPhrase(void) {
    struct proof proof = {0};
    begin(FORCED, NULL, NULL);
    CHECK(strstr(said(&proof), "an object or a running compilation that still refers to it and was not found") != NULL);
}

#define COMPILATION "a running compilation of its code, or native code: a global reference to its class loader"

/* The first collections need no JVMTI, and the last one is not wasted. */
static void aCompilationIsAwaitedBeforeTheLastImmediateCollection(void) {
    const enum way ways[] = {FORCED, CONCURRENT};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct proof proof = {0};
        begin(ways[i], NULL, NULL);
        compiles = true;
        CHECK(strcmp(said(&proof), COMPILATION) == 0);
        CHECK(collections == MAX_AT_ONCE - 1 && walks == 0 && compilation_searches == 1);
        for (int j = 0; j < 100; j++) {
            proof.next_compilation = 0;
            proof_ask(NULL, &proof, false);
        }
        CHECK(proof.settled && collections == MAX_AT_ONCE - 1 && compilation_searches == 101);
        compiles = false;
        proof.next_compilation = 0;
        proof_ask(NULL, &proof, false);
        CHECK(collections == MAX_AT_ONCE && proof.compiles_since == 0);
    }
}

static void aLongCompilationIsSearchedForMoreRarely(void) {
    struct proof proof = {0};
    begin(FORCED, NULL, NULL);
    compiles = true;
    CHECK(strcmp(said(&proof), COMPILATION) == 0);
    const uint64_t seconds[] = {400, 100000};
    const uint64_t intervals[] = {100, 600};
    for (size_t i = 0; i < 2; i++) {
        uint64_t before = now_monotonic();
        proof.compiles_since = before > seconds[i] * 1000000000 ? before - seconds[i] * 1000000000 : 1;
        uint64_t elapsed = (before - proof.compiles_since) / 4000000000;
        uint64_t expected = elapsed < intervals[i] ? elapsed : intervals[i];
        proof.next_compilation = 0;
        compilation_searches = 0;
        proof_ask(NULL, &proof, false);
        uint64_t next = (proof.next_compilation - before) / 1000000000;
        CHECK(next >= expected && next <= expected + 60);
        proof_ask(NULL, &proof, false);
        CHECK(compilation_searches == 1 && proof.kept && strcmp(proof.keeper, COMPILATION) == 0);
    }
}

static void thePermittedCollectionsAreNotUsedUpWhileACompilationRuns(void) {
    struct proof proof = {0};
    begin(WAITING, NULL, NULL);
    compiles = true;
    host.collect = true;
    CHECK(strcmp(said(&proof), COMPILATION) == 0);
    CHECK(collections == MAX_AT_ONCE - 1 && walks == 1);
    proof_ask(NULL, &proof, false);
    CHECK(collections == MAX_AT_ONCE - 1);
    compiles = false;
    proof.next_compilation = 0;
    proof_ask(NULL, &proof, false);
    CHECK(collections == MAX_AT_ONCE);
    proof_ask(NULL, &proof, false);
    CHECK(collections == MAX_AT_ONCE);
}

static void aKnownRetainerIsReportedInPlaceOfACompilation(void) {
    struct proof proof = {0};
    begin(FORCED, "a shutdown hook -> a.Hook", NULL);
    compiles = true;
    CHECK(strcmp(said(&proof), keeper) == 0);
    CHECK(compilation_searches == 0);
}

static void thePathOfARetainerIsReportedUntilAnotherOneIsFound(void) {
    struct proof proof = {0};
    begin(FORCED, "a shutdown hook -> a.Hook", "referenced by the JVM");
    host.collect = true;
    CHECK(strcmp(said(&proof), path) == 0);
    proof_ask(NULL, &proof, false);
    CHECK(!proof.settled);
    keeper = "a timer -> a.Task";
    proof_ask(NULL, &proof, false);
    CHECK(proof.settled && strcmp(said(&proof), keeper) == 0 && walks == 1);
    keeper = NULL;
    compiles = true;
    proof.settled = false;
    CHECK(strcmp(said(&proof), COMPILATION) == 0);
}

static void noCompilationIsSearchedForOnceTheClassesAreUnloaded(void) {
    struct proof proof = {0};
    begin(FORCED, NULL, NULL);
    compiles = true;
    for (int i = 0; i < MAX_AT_ONCE_FOR_ENVIRONMENT; i++) {
        proof_ask(NULL, &proof, true);
    }
    CHECK(collections == MAX_AT_ONCE_FOR_ENVIRONMENT && compilation_searches == 0);
}

int main(void) {
    RUN(aKnownRetainerIsReportedWithoutACollectionOrAWalk);
    RUN(aPermittedWalkReportsTheWholePathOnce);
    RUN(aKnownRetainerIsReportedIfAPermittedWalkFindsNoPath);
    RUN(aWalkFollowsACollectionAfterWhichNothingIsKnown);
    RUN(noWalkIsMadeWhileTheProgramsOwnCollectionIsAwaited);
    RUN(theFlagThatDisablesRequestsIsNamedEvenWithPermission);
    RUN(messageForARetainerThatWasNotFoundIsANounPhrase);
    RUN(aCompilationIsAwaitedBeforeTheLastImmediateCollection);
    RUN(aLongCompilationIsSearchedForMoreRarely);
    RUN(thePermittedCollectionsAreNotUsedUpWhileACompilationRuns);
    RUN(aKnownRetainerIsReportedInPlaceOfACompilation);
    RUN(thePathOfARetainerIsReportedUntilAnotherOneIsFound);
    RUN(noCompilationIsSearchedForOnceTheClassesAreUnloaded);
}
