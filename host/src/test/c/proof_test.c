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
    CHECK(strncmp(said(&proof), "an object that still refers to it and was not found", 51) == 0);
}

int main(void) {
    RUN(aKnownRetainerIsReportedWithoutACollectionOrAWalk);
    RUN(aPermittedWalkReportsTheWholePathOnce);
    RUN(aKnownRetainerIsReportedIfAPermittedWalkFindsNoPath);
    RUN(aWalkFollowsACollectionAfterWhichNothingIsKnown);
    RUN(noWalkIsMadeWhileTheProgramsOwnCollectionIsAwaited);
    RUN(theFlagThatDisablesRequestsIsNamedEvenWithPermission);
    RUN(messageForARetainerThatWasNotFoundIsANounPhrase);
}
