/*
 * Finds the path of references from a GC root to the class loader of a detached profiler, which retains the profiler.
 * The search runs backwards, one step per pass over the heap, because it then needs marks only on the few objects of
 * the path. Each pass stops the program, so both the pass and the size of the heap are limited.
 */
#define _GNU_SOURCE
#include "references.h"
#include "classes.h"
#include "clock.h"
#include "cost.h"
#include "events.h"
#include "java.h"
#include "threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * Upper bounds on the bytes in use in the heap, and on the duration of a pass, ns of CPU time of the thread that stops
 * the others.
 */
static const struct path_bounds {
    jlong max_heap;
    uint64_t pass_nanos;
} ordinary_bounds = {64 << 20, 5000000}, restoring_bounds = {6 << 20, 5000000},
        permitted_bounds = {512 << 20, 150000000};

/*
 * The first JNI version of a JVM that keeps the marks of a walk in a separate table. Older JVMs mark the objects
 * themselves, and visit all of them to remove the marks.
 */
enum { JNI_VERSION_19_ = 0x00130000 };

/* Upper bounds on passes and on objects of the path. */
enum { MAX_PASSES = 24, MAX_NODES = 20000 };

/* Without permission, a search ends after a pass whose pause exceeded its limit by this factor. */
enum { MAX_OVER = 2 };

/* The clock is read after this many references. */
enum { CLOCK_EVERY = 4096 };

/* An object from which the loader is reachable. Its tag is its number, from 1; the loader has number 1. */
struct path_node {
    jlong next;                     /* the object that it refers to */
    jvmtiHeapReferenceKind kind;    /* the kind of that reference */
};

/* The reference from a root to a node. */
struct path_root {
    jlong node;
    jvmtiHeapReferenceKind kind;
    jmethodID method;               /* method of a local variable or local reference, or NULL */
    jlong thread;                   /* id of the thread, or 0 */
};

struct path_search {
    struct path_node *nodes;
    jlong count;
    jlong reached;                  /* last node known when the pass began */
    struct path_root root;
    uint64_t pass_nanos;
    uint64_t pause;                 /* the longest pass, ns of real time */
    uint64_t began;                 /* by the CPU clock of the searching thread */
    uint32_t seen;
    bool late;
    bool full;
};

/*
 * Returns true for a reference that does not retain its object. A class with such a field has the tag -1 - N, where N
 * is the number of the field (referent of java.lang.ref.Reference, in JVMTI's numbering of fields).
 */
static bool is_weak_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong referrer_class) {
    return kind == JVMTI_HEAP_REFERENCE_FIELD && referrer_class < 0 && info->field.index == -1 - referrer_class;
}

static void search_take_root(struct path_search *in, jlong node, jvmtiHeapReferenceKind kind,
        const jvmtiHeapReferenceInfo *info) {
    in->root = (struct path_root){.node = node, .kind = kind};
    if (kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL) {
        in->root.method = info->stack_local.method;
        in->root.thread = info->stack_local.thread_id;
    } else if (kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL) {
        in->root.method = info->jni_local.method;
        in->root.thread = info->jni_local.thread_id;
    }
}

static bool search_is_late(struct path_search *in) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    uint64_t nanos = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    in->began = in->seen == 1 ? nanos : in->began;
    in->late = nanos - in->began > in->pass_nanos;
    return in->late;
}

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag,
        jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag, jint length, void *data) {
    struct path_search *in = data;
    (void)class_tag;
    (void)size;
    (void)length;
    if (in->seen++ % CLOCK_EVERY == 0 && search_is_late(in)) {
        return JVMTI_VISIT_ABORT;
    }
    if (*tag <= 0 || *tag > in->reached || is_weak_reference(kind, info, referrer_class_tag)) {
        return JVMTI_VISIT_OBJECTS;
    }
    if (referrer_tag == NULL) {
        search_take_root(in, *tag, kind, info);
        return JVMTI_VISIT_ABORT;
    }
    if (*referrer_tag <= 0) {
        if (in->count == MAX_NODES) {
            in->full = true;
            return JVMTI_VISIT_ABORT;
        }
        in->nodes[++in->count] = (struct path_node){.next = *tag, .kind = kind};
        *referrer_tag = in->count;
    }
    return JVMTI_VISIT_OBJECTS;
}

/* ---- Preparation ---- */

static jint count_fields(jvmtiEnv *jvmti, jclass class) {
    jint count = 0;
    jfieldID *fields = NULL;
    if ((*jvmti)->GetClassFields(jvmti, class, &count, &fields) != JVMTI_ERROR_NONE) {
        return 0;
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)fields);
    return count;
}

/*
 * Counts the fields of all interfaces of a class, also those of its superclasses and superinterfaces: they precede the
 * fields of the class. Each counts once, so it gets a tag. The tag is negative as that of a class with weak references,
 * but no object has an interface as its class.
 */
static jint count_interface_fields(jvmtiEnv *jvmti, JNIEnv *env, jclass class, jlong counted) {
    jint count = 0;
    jclass *interfaces = NULL;
    if ((*jvmti)->GetImplementedInterfaces(jvmti, class, &count, &interfaces) != JVMTI_ERROR_NONE) {
        return 0;
    }
    jclass above = (*env)->GetSuperclass(env, class);
    jint fields = above == NULL ? 0 : count_interface_fields(jvmti, env, above, counted);
    (*env)->DeleteLocalRef(env, above);
    for (jint i = 0; i < count; i++) {
        jlong tag = 0;
        if ((*jvmti)->GetTag(jvmti, interfaces[i], &tag) == JVMTI_ERROR_NONE && tag != counted) {
            (*jvmti)->SetTag(jvmti, interfaces[i], counted);
            fields += count_fields(jvmti, interfaces[i]) + count_interface_fields(jvmti, env, interfaces[i], counted);
        }
        (*env)->DeleteLocalRef(env, interfaces[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)interfaces);
    return fields;
}

/* Returns the number of the field java.lang.ref.Reference.referent, or -1. */
static jint referent_field(jvmtiEnv *jvmti, jclass reference) {
    jint count = 0;
    jint found = -1;
    jfieldID *fields = NULL;
    if ((*jvmti)->GetClassFields(jvmti, reference, &count, &fields) != JVMTI_ERROR_NONE) {
        return -1;
    }
    for (jint i = 0; i < count && found < 0; i++) {
        char *name = NULL;
        if ((*jvmti)->GetFieldName(jvmti, reference, fields[i], &name, NULL, NULL) == JVMTI_ERROR_NONE) {
            found = strcmp(name, "referent") == 0 ? i : -1;
            (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        }
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)fields);
    return found;
}

/*
 * Tags the classes with weak references. SoftReference is not among them: it retains its object as long as there is
 * memory.
 */
static void tag_weak_classes(jvmtiEnv *jvmti, JNIEnv *env) {
    jint count = 0;
    jclass *classes = NULL;
    jclass reference = class_find(env, "java/lang/ref/Reference");
    jclass weak = class_find(env, "java/lang/ref/WeakReference");
    jclass phantom = class_find(env, "java/lang/ref/PhantomReference");
    jint field = reference == NULL || weak == NULL || phantom == NULL ? -1 : referent_field(jvmti, reference);
    if (field < 0 || (*jvmti)->GetLoadedClasses(jvmti, &count, &classes) != JVMTI_ERROR_NONE) {
        (*env)->ExceptionClear(env);
        return;
    }
    locals_reserve(env, count);
    for (jint i = 0; i < count; i++) {
        if ((*env)->IsAssignableFrom(env, classes[i], weak) || (*env)->IsAssignableFrom(env, classes[i], phantom)) {
            jint preceding = count_interface_fields(jvmti, env, classes[i], -1 - i);
            (*jvmti)->SetTag(jvmti, classes[i], -1 - (field + preceding));
        }
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
}

static jlong heap_in_use(JNIEnv *env) {
    struct heap heap;
    return heap_read(env, &heap) ? heap.committed - heap.unused : INT64_MAX;
}

/* ---- Descriptions ---- */

struct words {
    char *at;
    size_t left;
};

static void words_append(struct words *to, const char *first, const char *second) {
    int length = snprintf(to->at, to->left, "%s%s", first, second);
    size_t taken = length < 0 ? 0 : (size_t)length >= to->left ? to->left - 1 : (size_t)length;
    to->at += taken;
    to->left -= taken;
}

/* Writes "Ljava/lang/String;" as java.lang.String, arrays unchanged, and a class without a readable name as "?". */
static void say_class(jvmtiEnv *jvmti, struct words *to, jclass class) {
    char *signature = NULL;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE) {
        words_append(to, "?", "");
        return;
    }
    size_t length = strlen(signature);
    for (size_t i = 0; i < length; i++) {
        signature[i] = signature[i] == '/' ? '.' : signature[i];
    }
    if (signature[0] == 'L') {
        signature[length - 1] = 0;
    }
    words_append(to, signature[0] == 'L' ? signature + 1 : signature, "");
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

static void say_thread(jvmtiEnv *jvmti, struct words *to, jthread thread) {
    jvmtiThreadInfo info = {0};
    bool named = (*jvmti)->GetThreadInfo(jvmti, thread, &info) == JVMTI_ERROR_NONE && info.name != NULL;
    words_append(to, "thread \"", named ? info.name : "?");
    words_append(to, "\"", "");
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
}

/* Returns the description of a root; the object that it refers to follows. */
static const char *root_words(jvmtiHeapReferenceKind kind) {
    switch (kind) {
        case JVMTI_HEAP_REFERENCE_JNI_GLOBAL: return "a JNI global reference";
        case JVMTI_HEAP_REFERENCE_MONITOR: return "a monitor that is entered";
        case JVMTI_HEAP_REFERENCE_STACK_LOCAL: return "a local variable";
        case JVMTI_HEAP_REFERENCE_JNI_LOCAL: return "a JNI local reference";
        case JVMTI_HEAP_REFERENCE_SYSTEM_CLASS: return "a class of the boot loader";
        case JVMTI_HEAP_REFERENCE_THREAD: return "a live thread";
        default: return "the JVM";
    }
}

/* " of CLASS.METHOD" */
static void say_method(jvmtiEnv *jvmti, JNIEnv *env, struct words *to, jmethodID method) {
    char *name = NULL;
    jclass class = NULL;
    if ((*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) == JVMTI_ERROR_NONE
            && (*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) == JVMTI_ERROR_NONE) {
        words_append(to, " of ", "");
        say_class(jvmti, to, class);
        words_append(to, ".", name);
        (*env)->DeleteLocalRef(env, class);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
}

/* Writes " on thread NAME"; a thread that is not among the platform threads is virtual. */
static void say_owner(jvmtiEnv *jvmti, JNIEnv *env, struct words *to, jlong id) {
    jobjectArray live = threads_live(env);
    jsize count = (*env)->ExceptionCheck(env) || live == NULL ? 0 : (*env)->GetArrayLength(env, live);
    bool platform = false;
    for (jsize i = 0; i < count && !platform; i++) {
        jobject thread = (*env)->GetObjectArrayElement(env, live, i);
        platform = thread_id(env, thread) == id;
        if (platform) {
            words_append(to, " on ", "");
            say_thread(jvmti, to, thread);
        }
        (*env)->DeleteLocalRef(env, thread);
    }
    if (live != NULL && !platform) {
        char number[32];
        snprintf(number, sizeof number, "%lld", (long long)id);
        words_append(to, " on the virtual thread #", number);
    }
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, live);
}

static jobject tagged_object(jvmtiEnv *jvmti, JNIEnv *env, jlong tag) {
    jint count = 0;
    jobject *objects = NULL;
    if ((*jvmti)->GetObjectsWithTags(jvmti, 1, &tag, &count, &objects, NULL) != JVMTI_ERROR_NONE) {
        return NULL;
    }
    jobject first = count > 0 ? objects[0] : NULL;
    for (jint i = 1; i < count; i++) {
        (*env)->DeleteLocalRef(env, objects[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)objects);
    return first;
}

/*
 * Returns true if the class is the profiler's or the host's: the first loader defined it or defined the class of its
 * loader.
 */
static bool is_profilers_class(jvmtiEnv *jvmti, JNIEnv *env, jclass class, jobject loader) {
    jobject defined_by = NULL;
    jobject above = NULL;
    if ((*jvmti)->GetClassLoader(jvmti, class, &defined_by) != JVMTI_ERROR_NONE || defined_by == NULL) {
        return false;
    }
    (*jvmti)->GetClassLoader(jvmti, (*env)->GetObjectClass(env, defined_by), &above);
    return (*env)->IsSameObject(env, defined_by, loader) || (above != NULL && (*env)->IsSameObject(env, above, loader));
}

/*
 * Describes one object of the path. Returns true if its class is the profiler's; the rest of the path is then internal
 * to the profiler.
 */
static bool say_object(jvmtiEnv *jvmti, JNIEnv *env, struct words *to, jobject object, jobject loader) {
    jclass of = (*env)->GetObjectClass(env, object);
    jclass thread = class_find(env, "java/lang/Thread");
    jclass class = class_find(env, "java/lang/Class");
    if (thread != NULL && (*env)->IsInstanceOf(env, object, thread)) {
        say_thread(jvmti, to, object);
    } else if (class != NULL && (*env)->IsInstanceOf(env, object, class)) {
        words_append(to, "class ", "");
        say_class(jvmti, to, object);
        of = object;
    } else {
        say_class(jvmti, to, of);
    }
    return (*env)->IsSameObject(env, object, loader) || is_profilers_class(jvmti, env, of, loader);
}

static void say_path(jvmtiEnv *jvmti, JNIEnv *env, const struct path_search *in, jobject loader, struct words *to) {
    words_append(to, "referenced by ", root_words(in->root.kind));
    if (in->root.method != NULL) {
        say_method(jvmti, env, to, in->root.method);
    }
    if (in->root.thread != 0) {
        say_owner(jvmti, env, to, in->root.thread);
    }
    bool ours = false;
    for (jlong node = in->root.node; node != 0 && !ours; node = in->nodes[node].next) {
        if ((*env)->PushLocalFrame(env, 16) != 0) {
            (*env)->ExceptionClear(env);
            return;
        }
        jobject object = tagged_object(jvmti, env, node);
        if (object != NULL) {
            words_append(to, " -> ", "");
            ours = say_object(jvmti, env, to, object, loader);
        }
        (*env)->PopLocalFrame(env, NULL);
    }
}

/* ---- The search ---- */

static void search_run_passes(jvmtiEnv *jvmti, struct path_search *in) {
    const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_reference};
    for (int pass = 0; pass < MAX_PASSES && in->root.node == 0 && !in->late && !in->full
            && in->count > in->reached; pass++) {
        in->reached = in->count;
        in->seen = 0;
        uint64_t began = now_monotonic();
        jvmtiError failed = (*jvmti)->FollowReferences(jvmti, 0, NULL, NULL, &callbacks, in);
        uint64_t took = now_monotonic() - began;
        in->pause = took > in->pause ? took : in->pause;
        if (failed != JVMTI_ERROR_NONE
                || (took > in->pass_nanos * MAX_OVER && in->pass_nanos != permitted_bounds.pass_nanos)) {
            return;
        }
    }
}

static bool search_path(jvmtiEnv *jvmti, JNIEnv *env, char *text, size_t size, uint64_t pass_nanos, uint64_t *pause) {
    struct path_search in = {.nodes = calloc(MAX_NODES + 1, sizeof(struct path_node)), .pass_nanos = pass_nanos};
    jobject loader = java_loader(env);
    if (in.nodes != NULL && loader != NULL) {
        tag_weak_classes(jvmti, env);
        (*jvmti)->SetTag(jvmti, loader, ++in.count);
        (*env)->DeleteLocalRef(env, loader);    /* otherwise this reference would be the root */
        search_run_passes(jvmti, &in);
        loader = java_loader(env);
        struct words to = {text, size};
        if (in.root.node != 0) {
            say_path(jvmti, env, &in, loader, &to);
        } else if (pass_nanos == permitted_bounds.pass_nanos) {
            words_append(&to, "an object that still refers to it and was not found ",
                    in.late ? "within 150 ms" : "among the nearest objects");
        }
    }
    (*env)->DeleteLocalRef(env, loader);
    free(in.nodes);
    *pause = in.pause;
    return in.root.node != 0;
}

/*
 * Returns true if the path was found; also returns the longest pause, ns. If no path was found, the text is empty or
 * reports that a long search found none. The search is impossible if JVMTI has not been acquired and has a lasting
 * cost, or if the heap is too large to stop the program for it.
 */
bool references_find(JNIEnv *env, char *text, size_t size, bool at_any_cost, uint64_t *pause) {
    const struct path_bounds *bounds = at_any_cost ? &permitted_bounds
            : (*env)->GetVersion(env) >= JNI_VERSION_19_ ? &ordinary_bounds : &restoring_bounds;
    bool found = false;
    text[0] = 0;
    if ((*env)->PushLocalFrame(env, 64) != 0) {
        (*env)->ExceptionClear(env);
        return false;
    }
    jvmtiEnv *jvmti = heap_in_use(env) > bounds->max_heap ? NULL : events_temporary(env);
    if (jvmti != NULL) {
        const jvmtiCapabilities tags = {.can_tag_objects = 1};
        if ((*jvmti)->AddCapabilities(jvmti, &tags) == JVMTI_ERROR_NONE) {
            found = search_path(jvmti, env, text, size, bounds->pass_nanos, pause);
        }
        (*jvmti)->DisposeEnvironment(jvmti);
    }
    (*env)->PopLocalFrame(env, NULL);
    return found;
}
