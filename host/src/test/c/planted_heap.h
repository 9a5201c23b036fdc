/* Doubles for references_test.c: a heap with a few objects, of which a test says which refers to which. */
#ifndef MAYFLY_PLANTED_HEAP_H
#define MAYFLY_PLANTED_HEAP_H

#include "check.h"

#include <jvmti.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* An object of Java. The members after the tag are those of a class. */
struct object {
    struct object *class;
    const char *text;           /* signature of a class, name of a thread */
    jlong tag;
    struct object *loader;
    struct object *above;       /* the superclass */
    struct object *interfaces[2];
    jint fields;
};

/* The JVMTI function that fails in a test. */
enum fault {
    NOTHING, CAPABILITIES, TAG, LOADED, FIELDS, FIELD_NAME, INTERFACES, FOLLOW, TAGGED, SIGNATURE, CLASS_LOADER,
    METHOD_NAME, METHOD_CLASS, THREAD_INFO
};
static enum fault planted;
static const char *missing;     /* the class that the JVM does not find */
static bool has_jvmti;
static int environments;        /* of JVMTI, not disposed yet */
static int acquired;            /* environments of JVMTI, since the test began */
static int blocks;              /* of JVMTI's memory, not freed yet */
static int frames;              /* of local references */
static int frames_left;
static int loads;               /* how often the loader can still be loaded from its weak reference */
static int loader_references;   /* local ones */
static bool pending;            /* an exception */
static struct object *profilers_loader;     /* NULL if it is unknown */
static bool lists_threads;
static bool throws;             /* the list of threads */
static jint version;
static int64_t heap_used;       /* -1 if unknown */
static int walks;
static bool without_memory;
static uint64_t cpu_nanos;              /* only walks advance the clocks */
static uint64_t real_nanos;
static uint64_t reference_cpu_nanos;    /* CPU time of the visit of a reference */
static uint64_t walk_nanos;             /* pause of a walk */

static struct object object_class, class_class, loader_class, thread_class, bytes_class, cache_class, registry_class,
    memory_class, listener_class, reference_class, weak_class, phantom_class, soft_class, constants, more_constants,
    constant_class, nested_class, derived_class, diamond_class;
static struct object loader, host_loader, registry, cache, listener, host_object, bytes, first_thread, worker, live;
static struct object *const classes[] = {
    &object_class, &class_class, &loader_class, &thread_class, &bytes_class, &cache_class, &registry_class,
    &memory_class, &listener_class, &reference_class, &weak_class, &phantom_class, &soft_class, &constants,
    &more_constants, &constant_class, &nested_class, &derived_class, &diamond_class};
enum { CLASSES = sizeof classes / sizeof classes[0], REFERENCES = 1 << 15 };

static struct planted_reference {
    struct object *from;        /* NULL for a root */
    struct object *to;
    jvmtiHeapReferenceKind kind;
    jvmtiHeapReferenceInfo info;
} references[REFERENCES];
static int reference_count;

static struct planted_reference *refer(struct object *from, struct object *to, jvmtiHeapReferenceKind kind) {
    CHECK(reference_count < REFERENCES);
    references[reference_count] = (struct planted_reference){.from = from, .to = to, .kind = kind};
    return &references[reference_count++];
}

static void refer_from_field(struct object *from, struct object *to, jint field) {
    refer(from, to, JVMTI_HEAP_REFERENCE_FIELD)->info.field.index = field;
}

/* Adds a reference from com.acme.Cache.refresh, on the thread with that number. */
static void refer_from_stack(jvmtiHeapReferenceKind kind, struct object *to, jlong thread) {
    struct planted_reference *added = refer(NULL, to, kind);
    if (kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL) {
        added->info.stack_local.method = (jmethodID)&cache;
        added->info.stack_local.thread_id = thread;
    } else {
        added->info.jni_local.method = (jmethodID)&cache;
        added->info.jni_local.thread_id = thread;
    }
}

static void begin_class(struct object *class, const char *signature, struct object *above, struct object *defined_by) {
    *class = (struct object){.class = &class_class, .text = signature, .loader = defined_by, .above = above};
}

/* Starts a JVM without references to the loader, which fails in nothing. */
static void begin(void) {
    planted = NOTHING;
    missing = "";
    has_jvmti = lists_threads = true;
    throws = pending = without_memory = false;
    frames_left = loads = INT_MAX;
    acquired = 0;
    profilers_loader = NULL;
    version = 0x00150000;
    heap_used = 1 << 20;
    walks = 0;
    reference_cpu_nanos = walk_nanos = 0;
    reference_count = 0;
    begin_class(&object_class, "Ljava/lang/Object;", NULL, NULL);
    begin_class(&class_class, "Ljava/lang/Class;", &object_class, NULL);
    begin_class(&loader_class, "Ljava/security/SecureClassLoader;", &object_class, NULL);
    begin_class(&thread_class, "Ljava/lang/Thread;", &object_class, NULL);
    begin_class(&bytes_class, "[B", &object_class, NULL);
    begin_class(&cache_class, "Lcom/acme/Cache;", &object_class, NULL);
    begin_class(&registry_class, "Lcom/acme/Registry;", &object_class, NULL);
    begin_class(&memory_class, "Lmayfly/host/Memory;", &loader_class, &loader);
    begin_class(&listener_class, "Lmayfly/example/Listener;", &object_class, &host_loader);
    begin_class(&reference_class, "Ljava/lang/ref/Reference;", &object_class, NULL);
    begin_class(&weak_class, "Ljava/lang/ref/WeakReference;", &reference_class, NULL);
    begin_class(&phantom_class, "Ljava/lang/ref/PhantomReference;", &reference_class, NULL);
    begin_class(&soft_class, "Ljava/lang/ref/SoftReference;", &reference_class, NULL);
    begin_class(&constants, "Lcom/acme/Constants;", NULL, NULL);
    begin_class(&more_constants, "Lcom/acme/MoreConstants;", NULL, NULL);
    begin_class(&constant_class, "Lcom/acme/ConstantReference;", &weak_class, NULL);
    begin_class(&nested_class, "Lcom/acme/NestedReference;", &phantom_class, NULL);
    begin_class(&derived_class, "Lcom/acme/DerivedReference;", &constant_class, NULL);
    begin_class(&diamond_class, "Lcom/acme/DiamondReference;", &constant_class, NULL);
    reference_class.fields = 4;
    weak_class.fields = 1;
    constants.fields = more_constants.fields = 3;
    more_constants.interfaces[0] = constant_class.interfaces[0] = &constants;
    nested_class.interfaces[0] = diamond_class.interfaces[0] = &more_constants;
    diamond_class.interfaces[1] = &constants;
    loader = (struct object){.class = &loader_class};
    host_loader = host_object = (struct object){.class = &memory_class};
    registry = (struct object){.class = &registry_class};
    cache = (struct object){.class = &cache_class};
    listener = (struct object){.class = &listener_class};
    bytes = (struct object){.class = &bytes_class};
    first_thread = (struct object){.class = &thread_class, .text = "main"};
    worker = (struct object){.class = &thread_class, .text = "worker"};
}

/* ---- Time and memory of the host ---- */

static void *planted_calloc(size_t count, size_t size) {
    return without_memory ? NULL : calloc(count, size);
}

static int planted_clock_gettime(clockid_t clock, struct timespec *now) {
    uint64_t nanos = clock == CLOCK_THREAD_CPUTIME_ID ? cpu_nanos : real_nanos;
    *now = (struct timespec){.tv_sec = (time_t)(nanos / 1000000000), .tv_nsec = (long)(nanos % 1000000000)};
    return 0;
}

#endif
