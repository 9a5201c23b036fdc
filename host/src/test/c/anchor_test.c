/* The record of redefined classes in the page of the anchor, and its failures. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <sys/mman.h>

static bool refuses;    /* as the kernel without memory, or a sandbox */

static int protect(void *from, size_t size, int rights) {
    return refuses ? -1 : mprotect(from, size, rights);
}

#define mprotect protect
#include "../../main/c/anchor.c"

#include "check.h"

/* ---- Doubles ---- */

static bool is_own = true;      /* the functions of the environment are those of this JVM */
static bool has_names = true;

bool runtime_has(const void *address) {
    (void)address;
    return is_own;
}

static jvmtiError JNICALL signature_of(jvmtiEnv *jvmti, jclass class, char **signature, char **generic) {
    (void)jvmti;
    (void)generic;
    *signature = has_names ? strdup(class == NULL ? "La;" : "Lb;") : NULL;
    return has_names ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *jvmti, unsigned char *memory) {
    (void)jvmti;
    free(memory);
    return JVMTI_ERROR_NONE;
}

static struct jvmtiInterface_1_ functions = {.GetClassSignature = signature_of, .Deallocate = deallocate};
static jvmtiEnv jvmti = &functions;
static int object;
static const jclass classes[] = {NULL, (jclass)&object};

static struct anchor *page;

/* Of the pages of this program, the test reads only its own. */
bool memory_read(const void *from, void *to, size_t size) {
    bool reads = from == page || from == &jvmti || from == &functions.DisposeEnvironment;
    if (reads) {
        memcpy(to, from, size);
    }
    return reads;
}

static void begin(void) {
    page = anchor_page();
    CHECK(page != NULL);
    anchor_mark(page, &jvmti);
    anchor_known = NULL;
}

static void eachRedefinitionIsCountedAndEachClassIsRecordedOnce(void) {
    begin();
    CHECK(anchor_find() == &jvmti);
    CHECK(anchor_count_redefinition(&jvmti, classes, 2) && anchor_count_redefinition(&jvmti, classes, 1));
    CHECK(page->redefinitions == 2 && page->hash_count == 2);
    CHECK(page->hashes[0] == anchor_hash("La;") && page->hashes[1] == anchor_hash("Lb;"));
    anchor_drop(page);
}

static void pageThatCannotBeWrittenIsAFailure(void) {
    begin();
    refuses = true;
    CHECK(!anchor_count_redefinition(&jvmti, classes, 2));
    refuses = false;
    CHECK(page->redefinitions == 0 && page->hash_count == 0);
    CHECK(anchor_count_redefinition(&jvmti, classes, 2));
    anchor_drop(page);
}

static void classWithoutANameIsAFailure(void) {
    begin();
    has_names = false;
    CHECK(!anchor_count_redefinition(&jvmti, classes, 2));
    has_names = true;
    CHECK(page->redefinitions == 1 && page->hash_count == 0);
    anchor_drop(page);
}

static void pageOfAnotherJvmIsNotUsed(void) {
    begin();
    is_own = false;
    CHECK(anchor_find() == NULL && !anchor_count_redefinition(&jvmti, classes, 2));
    is_own = true;
    CHECK(page->redefinitions == 0);
    anchor_drop(page);
}

int main(void) {
    RUN(eachRedefinitionIsCountedAndEachClassIsRecordedOnce);
    RUN(pageThatCannotBeWrittenIsAFailure);
    RUN(classWithoutANameIsAFailure);
    RUN(pageOfAnotherJvmIsNotUsed);
}
