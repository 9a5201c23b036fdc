/* The search for the path that retains the profiler, in the heap of a scripted JVM. */
#define _GNU_SOURCE
#include "planted_heap.h"

#define clock_gettime planted_clock_gettime
#define calloc planted_calloc
#include "../../main/c/heap_path.c"
#include "../../main/c/references.c"
#undef calloc
#undef clock_gettime

#include "check.h"
#include "planted_jvm.h"

static char said[1024];
static uint64_t longest;

/* Searches for a path without permission, or with it. Returns true if there is one; its description is in said. */
static bool search(bool at_any_cost) {
    walks = 0;
    cpu_nanos = real_nanos = 1000000000000;
    longest = 0;
    bool found = references_find(&env, said, sizeof said, at_any_cost, &longest);
    CHECK(frames == 0 && blocks == 0 && !pending && environments == 0 && loader_references == 0);
    return found;
}

static bool finds(const char *text) {
    return search(false) && strcmp(said, text) == 0;
}

/* ---- The description ---- */

static void aPathEndsWithTheFirstObjectOfTheProfiler(void) {
    begin();
    refer(NULL, &registry, JVMTI_HEAP_REFERENCE_JNI_GLOBAL);
    refer(&registry, &cache_class, JVMTI_HEAP_REFERENCE_FIELD);
    refer(&cache_class, &listener, JVMTI_HEAP_REFERENCE_STATIC_FIELD);
    refer(&listener, &listener_class, JVMTI_HEAP_REFERENCE_CLASS);
    refer(&listener_class, &loader, JVMTI_HEAP_REFERENCE_CLASS_LOADER);
    CHECK(finds("referenced by a JNI global reference -> com.acme.Registry -> class com.acme.Cache"
            " -> mayfly.example.Listener") && walks == 5);
    begin();
    refer(NULL, &registry, JVMTI_HEAP_REFERENCE_OTHER);
    refer(&registry, &host_object, JVMTI_HEAP_REFERENCE_FIELD);
    refer(&host_object, &loader, JVMTI_HEAP_REFERENCE_CLASS);
    CHECK(finds("referenced by the JVM -> com.acme.Registry -> mayfly.host.Memory"));
    begin();
    refer(NULL, &listener_class, JVMTI_HEAP_REFERENCE_OTHER);
    refer(&listener_class, &loader, JVMTI_HEAP_REFERENCE_CLASS_LOADER);
    CHECK(finds("referenced by the JVM -> class mayfly.example.Listener"));
}

static void aWalkEndsWithTheFirstRoot(void) {
    begin();
    refer(&registry, &loader, JVMTI_HEAP_REFERENCE_FIELD);
    refer(NULL, &loader, JVMTI_HEAP_REFERENCE_MONITOR);
    refer(NULL, &loader, JVMTI_HEAP_REFERENCE_THREAD);
    CHECK(finds("referenced by a monitor that is entered -> java.security.SecureClassLoader") && walks == 1);
}

/* Compilations have global references to a loader, so the path of any other root says more, also if it is longer. */
static void aGlobalReferenceToTheLoaderIsNamedOnlyIfThereIsNoOtherRoot(void) {
    static const jvmtiHeapReferenceKind kinds[] = {JVMTI_HEAP_REFERENCE_JNI_GLOBAL, JVMTI_HEAP_REFERENCE_OTHER};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        begin();
        refer(NULL, &loader, kinds[i]);
        refer(NULL, &registry, JVMTI_HEAP_REFERENCE_THREAD);
        refer(&registry, &cache, JVMTI_HEAP_REFERENCE_FIELD);
        refer(&cache, &loader, JVMTI_HEAP_REFERENCE_FIELD);
        CHECK(finds("referenced by a live thread -> com.acme.Registry -> com.acme.Cache"
                " -> java.security.SecureClassLoader") && walks == 3);
    }
}

static void theNearestOfSeveralGlobalReferencesIsNamed(void) {
    begin();
    refer(NULL, &registry, JVMTI_HEAP_REFERENCE_JNI_GLOBAL);
    refer(&registry, &cache, JVMTI_HEAP_REFERENCE_FIELD);
    refer(NULL, &cache, JVMTI_HEAP_REFERENCE_JNI_GLOBAL);
    refer(&cache, &loader, JVMTI_HEAP_REFERENCE_FIELD);
    CHECK(finds("referenced by a JNI global reference -> com.acme.Cache -> java.security.SecureClassLoader"));
}

static void aGlobalReferenceToALoaderIsLeftToTheSearchForCompilations(void) {
    struct object *const loaders[] = {&loader, &host_loader};
    for (size_t i = 0; i < sizeof loaders / sizeof loaders[0]; i++) {
        begin();
        profilers_loader = &host_loader;
        refer(NULL, loaders[i], JVMTI_HEAP_REFERENCE_JNI_GLOBAL);
        refer(&host_loader, &loader, JVMTI_HEAP_REFERENCE_FIELD);
        CHECK(!search(false) && said[0] == 0);
        CHECK(!search(true) && said[0] == 0);
    }
}

static void aGlobalReferenceToAnotherObjectEndsTheWalk(void) {
    begin();
    refer(NULL, &registry, JVMTI_HEAP_REFERENCE_JNI_GLOBAL);
    refer(&registry, &loader, JVMTI_HEAP_REFERENCE_FIELD);
    refer(&cache, &registry, JVMTI_HEAP_REFERENCE_FIELD);
    CHECK(finds("referenced by a JNI global reference -> com.acme.Registry -> java.security.SecureClassLoader")
            && walks == 2);
}

static void aPathEndsAtEitherLoader(void) {
    begin();
    profilers_loader = &host_loader;
    refer(NULL, &registry, JVMTI_HEAP_REFERENCE_THREAD);
    refer(&registry, &host_loader, JVMTI_HEAP_REFERENCE_FIELD);
    refer(&host_loader, &memory_class, JVMTI_HEAP_REFERENCE_CLASS);
    refer(&memory_class, &loader, JVMTI_HEAP_REFERENCE_CLASS_LOADER);
    CHECK(finds("referenced by a live thread -> com.acme.Registry -> mayfly.host.Memory") && walks == 2);
}

static void eachKindOfRootHasItsOwnWords(void) {
    static const struct { jvmtiHeapReferenceKind kind; const char *text; } kinds[] = {
        {JVMTI_HEAP_REFERENCE_JNI_GLOBAL, "a JNI global reference"},
        {JVMTI_HEAP_REFERENCE_MONITOR, "a monitor that is entered"},
        {JVMTI_HEAP_REFERENCE_STACK_LOCAL, "a local variable"},
        {JVMTI_HEAP_REFERENCE_JNI_LOCAL, "a JNI local reference"},
        {JVMTI_HEAP_REFERENCE_SYSTEM_CLASS, "a class of the boot loader"},
        {JVMTI_HEAP_REFERENCE_THREAD, "a live thread"}, {JVMTI_HEAP_REFERENCE_OTHER, "the JVM"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        begin();
        refer(NULL, &registry, kinds[i].kind);
        refer(&registry, &loader, JVMTI_HEAP_REFERENCE_FIELD);
        char expected[256];
        snprintf(expected, sizeof expected, "referenced by %s -> com.acme.Registry -> java.security.SecureClassLoader",
                kinds[i].text);
        CHECK(finds(expected));
    }
}

static void aLocalVariableIsNamedWithItsMethodAndThread(void) {
    begin();
    refer_from_stack(JVMTI_HEAP_REFERENCE_STACK_LOCAL, &worker, 7);
    refer(&worker, &loader, JVMTI_HEAP_REFERENCE_FIELD);
    CHECK(finds("referenced by a local variable of com.acme.Cache.refresh on thread \"worker\" -> thread \"worker\""
            " -> java.security.SecureClassLoader"));
    begin();
    refer_from_stack(JVMTI_HEAP_REFERENCE_JNI_LOCAL, &loader, 8);
    CHECK(finds("referenced by a JNI local reference of com.acme.Cache.refresh on the virtual thread #8"
            " -> java.security.SecureClassLoader"));
}

static void theOwnerIsOmittedIfTheThreadsCannotBeListed(void) {
    begin();
    lists_threads = false;
    refer_from_stack(JVMTI_HEAP_REFERENCE_STACK_LOCAL, &loader, 7);
    CHECK(finds("referenced by a local variable of com.acme.Cache.refresh -> java.security.SecureClassLoader"));
    throws = true;
    CHECK(finds("referenced by a local variable of com.acme.Cache.refresh -> java.security.SecureClassLoader"));
}

static void aNameThatCannotBeReadIsOmittedOrAQuestionMark(void) {
    static const struct { enum fault fault; const char *text; } faults[] = {
        {METHOD_NAME, " on thread \"worker\" -> com.acme.Registry -> java.security.SecureClassLoader"},
        {METHOD_CLASS, " on thread \"worker\" -> com.acme.Registry -> java.security.SecureClassLoader"},
        {SIGNATURE, " of ?.refresh on thread \"worker\" -> ? -> ?"},
        {THREAD_INFO, " of com.acme.Cache.refresh on thread \"?\" -> com.acme.Registry"
                " -> java.security.SecureClassLoader"},
        {TAGGED, " of com.acme.Cache.refresh on thread \"worker\""},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        begin();
        planted = faults[i].fault;
        refer_from_stack(JVMTI_HEAP_REFERENCE_STACK_LOCAL, &registry, 7);
        refer(&registry, &loader, JVMTI_HEAP_REFERENCE_FIELD);
        char expected[256];
        snprintf(expected, sizeof expected, "referenced by a local variable%s", faults[i].text);
        CHECK(finds(expected));
    }
}

static void aPathGoesOnIfTheLoaderOfAClassCannotBeRead(void) {
    begin();
    planted = CLASS_LOADER;
    refer(NULL, &listener, JVMTI_HEAP_REFERENCE_THREAD);
    refer(&listener, &loader, JVMTI_HEAP_REFERENCE_FIELD);
    CHECK(finds("referenced by a live thread -> mayfly.example.Listener -> java.security.SecureClassLoader"));
}

static void aPathEndsEarlyWithoutAFrameForItsObjects(void) {
    begin();
    frames_left = 2;
    refer(NULL, &registry, JVMTI_HEAP_REFERENCE_THREAD);
    refer(&registry, &cache, JVMTI_HEAP_REFERENCE_FIELD);
    refer(&cache, &loader, JVMTI_HEAP_REFERENCE_FIELD);
    CHECK(finds("referenced by a live thread -> com.acme.Registry"));
}

static void aPathOfALoaderThatIsCollectedMeanwhileIsDescribed(void) {
    begin();
    loads = 1;
    refer(NULL, &registry, JVMTI_HEAP_REFERENCE_THREAD);
    refer(&registry, &loader, JVMTI_HEAP_REFERENCE_FIELD);
    CHECK(finds("referenced by a live thread -> com.acme.Registry -> java.security.SecureClassLoader"));
}

/* The text has exactly the given size, so that the sanitizer detects a byte after it. */
static void aTextOfAnySizeHoldsTheBeginningOfThePath(void) {
    static const char path[] = "referenced by a live thread -> thread \"\xff\xfe\" -> [B";
    begin();
    worker.text = "\xff\xfe";
    bytes_class.loader = &loader;
    refer(NULL, &worker, JVMTI_HEAP_REFERENCE_THREAD);
    refer(&worker, &bytes, JVMTI_HEAP_REFERENCE_FIELD);
    refer(&bytes, &loader, JVMTI_HEAP_REFERENCE_FIELD);
    for (size_t size = 1; size < sizeof path + 2; size++) {
        char *text = malloc(size);
        CHECK(references_find(&env, text, size, false, &longest));
        CHECK(strlen(text) == (size < sizeof path ? size : sizeof path) - 1);
        CHECK(strncmp(text, path, strlen(text)) == 0);
        free(text);
    }
}

static void aNameLongerThanTheTextIsCutAndTheRestIsOmitted(void) {
    static char name[4096];
    memset(name, 'x', sizeof name - 1);
    begin();
    worker.text = name;
    refer(NULL, &worker, JVMTI_HEAP_REFERENCE_THREAD);
    refer(&worker, &loader, JVMTI_HEAP_REFERENCE_FIELD);
    CHECK(search(false) && strlen(said) == sizeof said - 1 && said[sizeof said - 2] == 'x');
    begin();
    registry_class.text = name;
    refer(NULL, &registry, JVMTI_HEAP_REFERENCE_THREAD);
    refer(&registry, &loader, JVMTI_HEAP_REFERENCE_FIELD);
    CHECK(search(false) && strlen(said) == sizeof said - 1 && said[sizeof said - 2] == 'x');
}

/* ---- Limits ---- */

static void aHeapAboveTheLimitIsNotWalked(void) {
    static const struct { jint version; bool at_any_cost; int64_t max; } limits[] = {
        {0x00120000, false, 6 << 20}, {0x00130000, false, 64 << 20}, {0x00120000, true, 512 << 20},
        {0x00130000, true, 512 << 20},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        begin();
        refer(NULL, &loader, JVMTI_HEAP_REFERENCE_THREAD);
        version = limits[i].version;
        heap_used = limits[i].max;
        CHECK(search(limits[i].at_any_cost) && walks == 1);
        heap_used++;
        CHECK(!search(limits[i].at_any_cost) && walks == 0 && said[0] == 0);
        heap_used = -1;     /* unknown */
        CHECK(!search(limits[i].at_any_cost) && walks == 0 && said[0] == 0);
    }
}

static void eachObjectOfAPathNeedsAPassUpToALimit(void) {
    static struct object chain[MAX_PASSES];
    for (int passes = MAX_PASSES; passes <= MAX_PASSES + 1; passes++) {
        begin();
        refer(NULL, &chain[passes - 2], JVMTI_HEAP_REFERENCE_THREAD);
        for (int i = passes - 2; i >= 0; i--) {
            chain[i] = (struct object){.class = &cache_class};
            refer(&chain[i], i == 0 ? &loader : &chain[i - 1], JVMTI_HEAP_REFERENCE_FIELD);
        }
        CHECK(search(true) == (passes == MAX_PASSES) && walks == MAX_PASSES);
    }
    CHECK(strcmp(said, "an object that still refers to it and was not found among the nearest objects") == 0);
    CHECK(!search(false) && said[0] == 0);
}

static void moreObjectsThanTheLimitEndTheSearch(void) {
    static struct object many[MAX_NODES];
    for (int count = MAX_NODES - 1; count <= MAX_NODES; count++) {
        begin();
        memset(many, 0, sizeof many);
        many[0].class = &cache_class;
        for (int i = 0; i < count; i++) {
            refer(&many[i], &loader, JVMTI_HEAP_REFERENCE_FIELD);
        }
        refer(NULL, &many[0], JVMTI_HEAP_REFERENCE_THREAD);
        CHECK(search(true) == (count < MAX_NODES) && walks == (count < MAX_NODES ? 2 : 1));
    }
    CHECK(strcmp(said, "an object that still refers to it and was not found among the nearest objects") == 0);
}

static void nothingIsFoundAmongObjectsThatNothingRefersTo(void) {
    begin();
    refer(&registry, &loader, JVMTI_HEAP_REFERENCE_FIELD);
    refer(NULL, &cache, JVMTI_HEAP_REFERENCE_THREAD);
    refer(&cache, &cache, JVMTI_HEAP_REFERENCE_FIELD);
    CHECK(!search(false) && walks == 2 && said[0] == 0);
    CHECK(!search(true) && walks == 2);
}

/* The clock is read at the first reference of a pass, and then after every 4096. */
static void aPassEndsWhenItsTimeIsOver(void) {
    static const struct { bool at_any_cost; uint64_t nanos; const char *text; } limits[] = {
        {false, 5000000, ""}, {true, 150000000, "an object that still refers to it and was not found within 150 ms"},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        begin();
        refer(&registry, &loader, JVMTI_HEAP_REFERENCE_FIELD);
        for (int j = 0; j < CLOCK_EVERY; j++) {
            refer(NULL, &cache, JVMTI_HEAP_REFERENCE_THREAD);
        }
        refer(NULL, &registry, JVMTI_HEAP_REFERENCE_THREAD);
        reference_cpu_nanos = limits[i].nanos / CLOCK_EVERY;
        CHECK(search(limits[i].at_any_cost) && walks == 2);
        reference_cpu_nanos++;
        CHECK(!search(limits[i].at_any_cost) && walks == 1 && strcmp(said, limits[i].text) == 0);
    }
}

static void aLongPauseIsReportedAndEndsOnlyASearchWithoutPermission(void) {
    begin();
    refer(NULL, &registry, JVMTI_HEAP_REFERENCE_THREAD);
    refer(&registry, &loader, JVMTI_HEAP_REFERENCE_FIELD);
    walk_nanos = 10000000;
    CHECK(search(false) && walks == 2 && longest == 10000000);
    walk_nanos++;
    CHECK(!search(false) && walks == 1 && longest == 10000001 && said[0] == 0);
    walk_nanos = 1000000000;
    CHECK(search(true) && walks == 2 && longest == 1000000000);
}

/* ---- Weak references ---- */

/* Returns true if a reference from a field of the object would be reported as the one that retains the loader. */
static bool retains(struct object *referrer, jint field) {
    refer(NULL, referrer, JVMTI_HEAP_REFERENCE_THREAD);
    refer_from_field(referrer, &loader, field);
    return search(false);
}

static void aReferentIsRetainedByNeitherAWeakNorAPhantomReference(void) {
    struct object *const referrers[] = {&weak_class, &phantom_class};
    for (size_t i = 0; i < sizeof referrers / sizeof referrers[0]; i++) {
        struct object reference = {.class = referrers[i]};
        for (jint field = 0; field < 3; field++) {
            begin();
            CHECK(retains(&reference, field) == (field != 1));
        }
        begin();
        refer(&reference, &loader, JVMTI_HEAP_REFERENCE_CLASS);
        CHECK(retains(&reference, 1));
    }
    struct object soft = {.class = &soft_class};
    begin();
    CHECK(retains(&soft, 1));
}

/* JVMTI numbers the fields of all interfaces first, also those of superclasses and superinterfaces, each once. */
static void theFieldsOfInterfacesPrecedeTheReferent(void) {
    static const struct { struct object *class; jint field; } referrers[] = {
        {&constant_class, 4}, {&nested_class, 7}, {&derived_class, 4}, {&diamond_class, 7},
    };
    for (size_t i = 0; i < sizeof referrers / sizeof referrers[0]; i++) {
        struct object reference = {.class = referrers[i].class};
        for (jint field = 0; field < 12; field++) {
            begin();
            CHECK(retains(&reference, field) == (field != referrers[i].field));
        }
    }
}

static void everyReferenceRetainsItsReferentIfTheFieldIsUnknown(void) {
    static const enum fault faults[] = {LOADED, FIELDS, FIELD_NAME};
    static const char *const names[] = {"java/lang/ref/Reference", "java/lang/ref/WeakReference",
        "java/lang/ref/PhantomReference"};
    struct object reference = {.class = &weak_class};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        for (jint field = 0; field < 3; field++) {
            begin();
            planted = faults[i];
            CHECK(retains(&reference, field));
        }
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        begin();
        missing = names[i];
        CHECK(retains(&reference, 1));
    }
}

static void interfacesThatCannotBeReadHaveNoFields(void) {
    static const enum fault faults[] = {INTERFACES, TAG};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct object reference = {.class = &constant_class};
        begin();
        planted = faults[i];
        CHECK(!retains(&reference, 1));
    }
}

/* ---- Failures ---- */

static void withoutJvmtiOrItsCapabilityNothingIsFound(void) {
    begin();
    refer(NULL, &loader, JVMTI_HEAP_REFERENCE_THREAD);
    has_jvmti = false;
    CHECK(!search(true) && walks == 0 && said[0] == 0);
    has_jvmti = true;
    planted = CAPABILITIES;
    CHECK(!references_find(&env, said, sizeof said, true, &longest) && said[0] == 0);
    CHECK(walks == 0 && acquired == 1 && environments == 0 && frames == 0);
}

static void aWalkThatFailsEndsTheSearch(void) {
    begin();
    refer(NULL, &registry, JVMTI_HEAP_REFERENCE_THREAD);
    refer(&registry, &loader, JVMTI_HEAP_REFERENCE_FIELD);
    planted = FOLLOW;
    CHECK(!search(false) && walks == 1 && said[0] == 0);
}

static void withoutAFrameOrMemoryOrALoaderThereIsNoWalk(void) {
    begin();
    refer(NULL, &loader, JVMTI_HEAP_REFERENCE_THREAD);
    frames_left = 0;
    strcpy(said, "?");
    CHECK(!references_find(&env, said, sizeof said, true, &longest) && said[0] == 0 && !pending && frames == 0);
    CHECK(acquired == 0);
    begin();
    refer(NULL, &loader, JVMTI_HEAP_REFERENCE_THREAD);
    without_memory = true;
    CHECK(!search(true) && walks == 0 && said[0] == 0 && acquired == 1);
    without_memory = false;
    loads = 0;
    CHECK(!search(true) && walks == 0 && said[0] == 0 && acquired == 2);
}

int main(void) {
    RUN(aPathEndsWithTheFirstObjectOfTheProfiler);
    RUN(aWalkEndsWithTheFirstRoot);
    RUN(aGlobalReferenceToTheLoaderIsNamedOnlyIfThereIsNoOtherRoot);
    RUN(theNearestOfSeveralGlobalReferencesIsNamed);
    RUN(aGlobalReferenceToALoaderIsLeftToTheSearchForCompilations);
    RUN(aGlobalReferenceToAnotherObjectEndsTheWalk);
    RUN(aPathEndsAtEitherLoader);
    RUN(eachKindOfRootHasItsOwnWords);
    RUN(aLocalVariableIsNamedWithItsMethodAndThread);
    RUN(theOwnerIsOmittedIfTheThreadsCannotBeListed);
    RUN(aNameThatCannotBeReadIsOmittedOrAQuestionMark);
    RUN(aPathGoesOnIfTheLoaderOfAClassCannotBeRead);
    RUN(aPathEndsEarlyWithoutAFrameForItsObjects);
    RUN(aPathOfALoaderThatIsCollectedMeanwhileIsDescribed);
    RUN(aTextOfAnySizeHoldsTheBeginningOfThePath);
    RUN(aNameLongerThanTheTextIsCutAndTheRestIsOmitted);
    RUN(aHeapAboveTheLimitIsNotWalked);
    RUN(eachObjectOfAPathNeedsAPassUpToALimit);
    RUN(moreObjectsThanTheLimitEndTheSearch);
    RUN(nothingIsFoundAmongObjectsThatNothingRefersTo);
    RUN(aPassEndsWhenItsTimeIsOver);
    RUN(aLongPauseIsReportedAndEndsOnlyASearchWithoutPermission);
    RUN(aReferentIsRetainedByNeitherAWeakNorAPhantomReference);
    RUN(theFieldsOfInterfacesPrecedeTheReferent);
    RUN(everyReferenceRetainsItsReferentIfTheFieldIsUnknown);
    RUN(interfacesThatCannotBeReadHaveNoFields);
    RUN(withoutJvmtiOrItsCapabilityNothingIsFound);
    RUN(aWalkThatFailsEndsTheSearch);
    RUN(withoutAFrameOrMemoryOrALoaderThereIsNoWalk);
}
