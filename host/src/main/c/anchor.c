/* The page of the anchor: found by a later host, and the record of the classes that hosts have redefined. */
#define _GNU_SOURCE
#include "anchor.h"
#include "memory.h"
#include "runtimes.h"

#include <pthread.h>
#include <stdio.h>

/* Protects the page of this JVM, which is writable only during a change. */
static pthread_mutex_t anchor_lock = PTHREAD_MUTEX_INITIALIZER;
static struct anchor *anchor_known;     /* the page once it has been found: it stays until the JVM ends */

/*
 * Returns true if the page marks an environment of the JVM that hosts this library. Other present or former JVMs of the
 * process have their own pages.
 */
static bool anchor_is(const struct anchor *page) {
    struct {
        char magic[ANCHOR_PAGE_ENVIRONMENT];
        jvmtiEnv *environment;
    } begin;
    const struct jvmtiInterface_1_ *functions;
    const void *function;
    return memory_read(page, &begin, sizeof begin) && memcmp(begin.magic, ANCHOR, sizeof ANCHOR) == 0
            && memory_read(begin.environment, &functions, sizeof functions)
            && memory_read(&functions->DisposeEnvironment, &function, sizeof function) && runtime_has(function);
}

/*
 * Returns the page of this JVM, or NULL if there is none. A page stays writable if the kernel had no memory to end a
 * change of it.
 */
static struct anchor *anchor_find_page(void) {
    FILE *maps = fopen("/proc/self/maps", "re");
    struct anchor *found = NULL;
    char line[512];
    while (maps != NULL && found == NULL && fgets(line, sizeof line, maps) != NULL) {
        unsigned long from;
        unsigned long to;
        char flags[5];
        if (sscanf(line, "%lx-%lx %4s", &from, &to, flags) == 3
                && (strcmp(flags, "r--p") == 0 || strcmp(flags, "rw-p") == 0)
                && to - from == ANCHOR_PAGE_SIZE
                && strchr(line, '/') == NULL && strchr(line, '[') == NULL) {
            found = anchor_is((const struct anchor *)from) ? (struct anchor *)from : NULL;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

/* Returns the environment that such a page marks, or NULL if there is none. */
jvmtiEnv *anchor_find(void) {
    const struct anchor *page = anchor_find_page();
    return page == NULL ? NULL : page->environment;
}

/* FNV-1a. */
static uint32_t anchor_hash(const char *text) {
    uint32_t hash = 2166136261u;
    for (const unsigned char *at = (const unsigned char *)text; *at != 0; at++) {
        hash = (hash ^ *at) * 16777619u;
    }
    return hash;
}

static void anchor_add(struct anchor *page, uint32_t hash) {
    for (uint32_t i = 0; i < page->hash_count && i < ANCHOR_PAGE_MAX_HASHES; i++) {
        if (page->hashes[i] == hash) {
            return;
        }
    }
    if (page->hash_count < ANCHOR_PAGE_MAX_HASHES) {
        page->hashes[page->hash_count] = hash;
    }
    page->hash_count += page->hash_count <= ANCHOR_PAGE_MAX_HASHES;
}

/*
 * Records that the host has redefined these classes. Returns false if the page has not been found or cannot be written,
 * or if JVMTI does not give the name of a class: an audit then takes the redefinition for another agent's.
 */
bool anchor_count_redefinition(jvmtiEnv *env, const jclass *classes, jint count) {
    pthread_mutex_lock(&anchor_lock);
    anchor_known = anchor_known == NULL ? anchor_find_page() : anchor_known;
    struct anchor *page = anchor_known;
    bool recorded = page != NULL && mprotect(page, ANCHOR_PAGE_SIZE, PROT_READ | PROT_WRITE) == 0;
    if (recorded) {
        page->redefinitions++;
        for (jint i = 0; i < count; i++) {
            char *signature = NULL;
            if ((*env)->GetClassSignature(env, classes[i], &signature, NULL) == JVMTI_ERROR_NONE) {
                anchor_add(page, anchor_hash(signature));
                (*env)->Deallocate(env, (unsigned char *)signature);
            } else {
                recorded = false;
            }
        }
        mprotect(page, ANCHOR_PAGE_SIZE, PROT_READ);
    }
    pthread_mutex_unlock(&anchor_lock);
    return recorded;
}
