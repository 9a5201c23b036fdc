/*
 * The anchor: a JVMTI environment that is never disposed, because disposing the last environment crashes the JVM. It
 * has no events, except exceptions if a profiler requested them at the JVM's start. A marked page of the address space
 * shows its existence and its address to later Mayfly versions and to an audit, and the classes that hosts have
 * redefined: the JVM marks these permanently.
 */
#ifndef MAYFLY_ANCHOR_H
#define MAYFLY_ANCHOR_H

#include "wire.h"

#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define ANCHOR ANCHOR_PAGE_MAGIC ANCHOR_PAGE_VERSION

struct anchor {
    char magic[ANCHOR_PAGE_ENVIRONMENT];
    jvmtiEnv *environment;
    uint64_t redefinitions;     /* requests by which hosts have redefined classes */
    uint32_t hash_count;
    uint32_t hashes[ANCHOR_PAGE_MAX_HASHES];    /* of the signatures of these classes */
};

_Static_assert(offsetof(struct anchor, environment) == ANCHOR_PAGE_ENVIRONMENT
        && offsetof(struct anchor, redefinitions) == ANCHOR_PAGE_REDEFINITIONS
        && offsetof(struct anchor, hash_count) == ANCHOR_PAGE_HASH_COUNT
        && offsetof(struct anchor, hashes) == ANCHOR_PAGE_HASHES
        && sizeof(struct anchor) == ANCHOR_PAGE_SIZE, "mayfly.wire.AnchorPage");

jvmtiEnv *anchor_find(void);
bool anchor_count_redefinition(jvmtiEnv *env, const jclass *classes, jint count);

/*
 * Maps a page between two inaccessible pages, so that the kernel cannot merge it with a neighbouring mapping and
 * thereby hide it. Returns NULL if there is no memory.
 */
static inline struct anchor *anchor_page(void) {
    char *pages = mmap(NULL, 3 * ANCHOR_PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        return NULL;
    }
    if (mprotect(pages + ANCHOR_PAGE_SIZE, ANCHOR_PAGE_SIZE, PROT_READ | PROT_WRITE) != 0) {
        munmap(pages, 3 * ANCHOR_PAGE_SIZE);
        return NULL;
    }
    return (struct anchor *)(pages + ANCHOR_PAGE_SIZE);
}

static inline void anchor_mark(struct anchor *page, jvmtiEnv *environment) {
    memcpy(page->magic, ANCHOR, sizeof ANCHOR);
    page->environment = environment;
    mprotect(page, ANCHOR_PAGE_SIZE, PROT_READ);
}

static inline void anchor_drop(struct anchor *page) {
    munmap((char *)page - ANCHOR_PAGE_SIZE, 3 * ANCHOR_PAGE_SIZE);
}

#endif
