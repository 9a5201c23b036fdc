/* The JVMs of a process, and their order. */
#define _GNU_SOURCE
#include "jvms.h"

static void *planted_dlsym(void *handle, const char *name) {
    (void)handle;
    (void)name;
    abort();
}

/* Returns the rank of a JVM, computed in it. */
static uint32_t rank(struct jvm *jvm) {
    host.vm = &jvm->vm;
    host.library = runtime_address(host.vm);
    uint32_t result = runtime_rank();
    CHECK(host.library == jvm->start && references == 0 && open_files == 0);
    return result;
}

static void theOnlyJvmIsTheFirst(void) {
    begin();
    line("55d000000000-55d000001000 r-xp 00000000 fe:00 77                         /usr/bin/java\n");
    struct jvm *only = mapped("/jdk/lib/server/libjvm.so", 100);
    line("7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0                          [vdso]\n");
    CHECK(rank(only) == 1 && !runtime_has_company());
}

static void jvmsThatStartedInTheOrderOfTheirAddressesAreRankedByStart(void) {
    begin();
    struct jvm *low = mapped("/a/libjvm.so", 100);
    struct jvm *high = mapped("/b/libjvm.so", 101);
    CHECK(rank(low) == 1 && rank(high) == 2 && runtime_has_company());
}

static void jvmsThatStartedInTheReverseOrderOfTheirAddressesAreRankedByStart(void) {
    begin();
    struct jvm *low = mapped("/a/libjvm.so", 101);
    struct jvm *middle = mapped("/b/libjvm.so", 100);
    struct jvm *high = mapped("/c/libjvm.so", 99);
    CHECK(rank(low) == 3 && rank(middle) == 2 && rank(high) == 1);
}

static void jvmsThatStartedInTheSameTickAreRankedByAddress(void) {
    begin();
    struct jvm *low = mapped("/a/libjvm.so", 100);
    struct jvm *high = mapped("/b/libjvm.so", 100);
    CHECK(rank(low) == 1 && rank(high) == 2);
}

/* Since JDK 26, HotSpot cuts the name of a thread in the middle. */
static void aJvmOfAnotherJdkIsRankedByTheNameThatItGivesTheReferenceHandler(void) {
    begin();
    struct jvm *first = mapped("/jdk-26/libjvm.so", 100);
    struct jvm *second = mapped("/jdk-17/libjvm.so", 200);
    first->name = "Referen..andler";
    CHECK(rank(first) == 1 && rank(second) == 2);
    first->name = "Reference Hand";
    CHECK(rank(second) == 1);
}

/* JDK 17 describes the operating system's thread as a field of JavaThread, JDK 25 as one of Thread. */
static void jvmsThatDescribeTheirThreadsDifferentlyAreRanked(void) {
    begin();
    struct jvm *first = mapped("/jdk-17/libjvm.so", 100);
    struct jvm *second = mapped("/jdk-25/libjvm.so", 200);
    struct jvm *third = mapped("/jdk-17/libjvm.so", 300);
    first->os_thread_of = "JavaThread";
    third->os_thread_of = "JavaThread";
    CHECK(rank(first) == 1 && rank(second) == 2 && rank(third) == 3);
    second->os_thread_of = "VMThread";
    CHECK(rank(third) == 2);
}

static void aJvmWhoseLibraryWasDeletedIsRanked(void) {
    begin();
    struct jvm *deleted = mapped("/a/libjvm.so (deleted)", 100);
    struct jvm *other = mapped("/b/libjvm.so", 200);
    CHECK(rank(deleted) == 1 && rank(other) == 2 && runtime_has_company());
}

static void aJvmWhosePathHasBlanksIsRanked(void) {
    begin();
    struct jvm *blank = mapped("/a folder (deleted)/my jdk/libjvm.so", 100);
    struct jvm *other = mapped("/b/libjvm.so", 200);
    CHECK(rank(blank) == 1 && rank(other) == 2 && runtime_has_company());
}

/* A path has up to 4096 bytes. Here the last part of the line looks like a mapping itself. */
static void aJvmWithALongPathIsRankedByTheAddressOfItsLine(void) {
    static const char form[] = "/%0*d/%lx-%lx r-xp 00001000 fe:00 1234 /libjvm.so";
    for (int digits = 400; digits < 4000; digits += digits < 520 ? 1 : 500) {
        char path[4096];
        begin();
        struct jvm *named = unlisted("/b/libjvm.so", 100);
        unsigned long at = named->start;
        snprintf(path, sizeof path, form, digits, 0, at + 0x1000, at + 0x2000);
        struct jvm *first = mapped(path, 200);
        struct jvm *second = mapped("/c/libjvm.so", 300);
        CHECK(rank(first) == 1 && rank(second) == 2 && runtime_has_company());
    }
}

static void aLibraryInWhichNoJvmWasStartedHasNoRank(void) {
    begin();
    struct jvm *unused = mapped("/a/libjvm.so", 100);
    struct jvm *only = mapped("/b/libjvm.so", 200);
    unused->list.length = 0;
    CHECK(rank(only) == 1);
}

static void aLibraryWithoutTheTablesOfHotSpotHasNoRank(void) {
    begin();
    struct jvm *other = mapped("/a/libjvm.so", 100);
    struct jvm *only = mapped("/b/libjvm.so", 200);
    other->has_tables = false;
    CHECK(rank(only) == 1);
}

static void aLibraryThatTheLinkerDoesNotKnowHasNoRank(void) {
    begin();
    line("10001000-10002000 r-xp 00001000 fe:00 12                         /a/libjvm.so\n");
    struct jvm *only = mapped("/b/libjvm.so", 200);
    CHECK(rank(only) == 1);
}

static void aFileWithAnotherNameThanLibjvmIsNoJvm(void) {
    begin();
    mapped("/jdk/lib/libjava.so", 100);
    mapped("/jdk/lib/notlibjvm.so", 100);
    mapped("/jdk/lib/libjvm.so.debug", 100);
    mapped("/jdk/lib/libjvm.so/libjava.so", 100);
    mapped("/jdk/lib/libjvm.so (deleted) (deleted)", 100);
    mapped("[anon:/libjvm.so]", 100);
    mapped("relative/libjvm.so", 100);
    mapped("", 100);
    struct jvm *only = mapped("/jdk/lib/server/libjvm.so", 200);
    CHECK(rank(only) == 1 && !runtime_has_company());
}

static void libjvmWithoutCodeIsNoJvm(void) {
    begin();
    struct jvm *read = unlisted("/a/libjvm.so", 100);
    line("%lx-%lx r--p 00000000 fe:00 12                         /a/libjvm.so\n", read->start, read->start + 0x1000);
    struct jvm *only = mapped("/b/libjvm.so", 200);
    CHECK(rank(only) == 1 && !runtime_has_company());
}

/* The kernel splits a mapping if the protection of a part of it changes. */
static void aJvmWhoseCodeHasTwoMappingsIsRankedOnce(void) {
    begin();
    struct jvm *first = mapped("/a/libjvm.so", 100);
    line("%lx-%lx r-xp 00002000 fe:00 1234 /a/libjvm.so\n", first->start + 0x2000, first->start + 0x3000);
    CHECK(!runtime_has_company());
    struct jvm *second = mapped("/b/libjvm.so", 200);
    CHECK(rank(second) == 2 && runtime_has_company());
}

static void withoutMappingsAJvmIsTheFirst(void) {
    begin();
    mapped("/a/libjvm.so", 100);
    struct jvm *second = mapped("/b/libjvm.so", 200);
    CHECK(rank(second) == 2);
    maps[0] = 0;
    CHECK(rank(second) == 1 && !runtime_has_company());
    has_maps = false;
    CHECK(rank(second) == 1 && !runtime_has_company());
}

static void malformedLinesAreSkipped(void) {
    begin();
    struct jvm *first = unlisted("/a/libjvm.so", 100);
    line("\n");
    line("%lx\n", first->start + 0x1000);
    line("%lx r-xp 00001000 fe:00 1234 /a/libjvm.so\n", first->start + 0x1000);
    line("%lx-%lx\n", first->start + 0x1000, first->start + 0x2000);
    line("%lx-%lx r- /a/libjvm.so\n", first->start + 0x1000, first->start + 0x2000);
    line("%lx-%lx r-xp /a/libjvm.so\n", first->start + 0x1000, first->start + 0x2000);
    line("%lx-%lx r-xp 00001000 fe:00 /a/libjvm.so\n", first->start + 0x1000, first->start + 0x2000);
    line("x%lx-%lx r-xp 00001000 fe:00 1234 /a/libjvm.so\n", first->start + 0x1000, first->start + 0x2000);
    struct jvm *second = mapped("/b/libjvm.so", 200);
    maps[strlen(maps) - 1] = 0;
    CHECK(rank(second) == 1);
}

static void librariesBeyondTheMaximumAreLeftOut(void) {
    begin();
    for (int i = 0; i < MAX_RUNTIMES - 1; i++) {
        mapped("/unused/libjvm.so", 0);
    }
    struct jvm *last = mapped("/a/libjvm.so", 100);
    struct jvm *beyond = mapped("/b/libjvm.so", 100);
    struct jvm *ours = unlisted("/c/libjvm.so", 200);
    CHECK(rank(ours) == 2);
    last->ticks = 300;
    CHECK(rank(ours) == 1 && rank(beyond) == 1);
}

static void aReferenceHandlerIsFoundAmongTheFirstThreadsOnly(void) {
    begin();
    struct jvm *first = mapped("/a/libjvm.so", 100);
    struct jvm *second = mapped("/b/libjvm.so", 200);
    for (int i = 1; i <= MAX_THREADS_READ; i++) {
        first->elements[i] = i == MAX_THREADS_READ - 1 ? &first->threads[1] : &first->threads[0];
    }
    first->list.length = MAX_THREADS_READ + 1;
    CHECK(rank(second) == 2);
    first->elements[MAX_THREADS_READ - 1] = &first->threads[0];
    first->elements[MAX_THREADS_READ] = &first->threads[1];
    CHECK(rank(second) == 1);
}

/* Returns the rank of the second of two JVMs, of which the first replaces its list several times. */
static uint32_t rank_beside_replacements(int count) {
    begin();
    replacing = mapped("/a/libjvm.so", 100);
    struct jvm *second = mapped("/b/libjvm.so", 200);
    replacements = count;
    replacing->list_at = &freed[count - 1];
    return rank(second);
}

static void aJvmThatReplacesItsListWhileItIsReadIsRanked(void) {
    CHECK(rank_beside_replacements(1) == 2);
    CHECK(rank_beside_replacements(MAX_LISTS_READ - 1) == 2);
    CHECK(rank_beside_replacements(MAX_LISTS_READ) == 1);
}

/* A JVM that ends unmaps its memory while the host reads it. */
static void aJvmWhoseMemoryIsUnmappedHasNoRank(void) {
    begin();
    struct jvm *first = mapped("/a/libjvm.so", 100);
    struct jvm *second = mapped("/b/libjvm.so", 200);
    const void *const parts[] = {&first->list_at, &first->list.length, &first->list.threads, &first->elements[1],
        &first->threads[1].os, &first->os[1].id};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        unmapped = parts[i];
        CHECK(rank(second) == 1);
    }
    unmapped = NULL;
    CHECK(rank(second) == 2);
}

int main(void) {
    RUN(theOnlyJvmIsTheFirst);
    RUN(jvmsThatStartedInTheOrderOfTheirAddressesAreRankedByStart);
    RUN(jvmsThatStartedInTheReverseOrderOfTheirAddressesAreRankedByStart);
    RUN(jvmsThatStartedInTheSameTickAreRankedByAddress);
    RUN(aJvmOfAnotherJdkIsRankedByTheNameThatItGivesTheReferenceHandler);
    RUN(jvmsThatDescribeTheirThreadsDifferentlyAreRanked);
    RUN(aJvmWhoseLibraryWasDeletedIsRanked);
    RUN(aJvmWhosePathHasBlanksIsRanked);
    RUN(aJvmWithALongPathIsRankedByTheAddressOfItsLine);
    RUN(aLibraryInWhichNoJvmWasStartedHasNoRank);
    RUN(aLibraryWithoutTheTablesOfHotSpotHasNoRank);
    RUN(aLibraryThatTheLinkerDoesNotKnowHasNoRank);
    RUN(aFileWithAnotherNameThanLibjvmIsNoJvm);
    RUN(libjvmWithoutCodeIsNoJvm);
    RUN(aJvmWhoseCodeHasTwoMappingsIsRankedOnce);
    RUN(withoutMappingsAJvmIsTheFirst);
    RUN(malformedLinesAreSkipped);
    RUN(librariesBeyondTheMaximumAreLeftOut);
    RUN(aReferenceHandlerIsFoundAmongTheFirstThreadsOnly);
    RUN(aJvmThatReplacesItsListWhileItIsReadIsRanked);
    RUN(aJvmWhoseMemoryIsUnmappedHasNoRank);
}
