/*
 * Finds a path of references from a GC root to an object. The search runs backwards, one step per pass over the heap,
 * because it then needs marks only on the few objects of the path. Each pass stops the program.
 */
#define _GNU_SOURCE
#include "heap_path.h"
#include "classes.h"
#include "clock.h"
#include "compilations.h"
#include "cost.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Upper bounds on passes and on objects of the path. */
enum { MAX_PASSES = 24, MAX_NODES = 20000 };

/* The clock is read after this many references. */
enum { CLOCK_EVERY = 4096 };

/*
 * Returns true for a reference that does not retain its object. A class with such a field has the tag -1 - N, where N
 * is the number of the field (referent of java.lang.ref.Reference, in JVMTI's numbering of fields).
 */
static bool is_weak_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong referrer_class) {
    return kind == JVMTI_HEAP_REFERENCE_FIELD && referrer_class < 0 && info->field.index == -1 - referrer_class;
}

/*
 * Takes a root. Returns true if the search is over. A running compilation has a global reference to a class loader
 * (compilations.c), so a global reference to a target is used only if there is no other root.
 */
static bool search_take_root(struct path_search *in, jlong node, jvmtiHeapReferenceKind kind,
        const jvmtiHeapReferenceInfo *info) {
    struct path_root root = {.node = node, .kind = kind};
    if (kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL) {
        root.method = info->stack_local.method;
        root.thread = info->stack_local.thread_id;
    } else if (kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL) {
        root.method = info->jni_local.method;
        root.thread = info->jni_local.thread_id;
    }
    bool last_choice = is_global_reference(kind) && node <= in->targets;
    if (!last_choice) {
        in->root = root;
    } else if (in->last_choice.node == 0) {
        in->last_choice = root;
    }
    return !last_choice;
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
        return search_take_root(in, *tag, kind, info) ? JVMTI_VISIT_ABORT : JVMTI_VISIT_OBJECTS;
    }
    if (*referrer_tag <= 0) {
        if (in->count == MAX_NODES) {
            in->full = true;
            return JVMTI_VISIT_ABORT;
        }
        jint index = kind == JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT ? info->array.index : -1;
        in->nodes[++in->count] = (struct path_node){.next = *tag, .kind = kind, .index = index};
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

jlong heap_in_use(JNIEnv *env) {
    struct heap heap;
    return heap_read(env, &heap) ? heap.committed - heap.unused : INT64_MAX;
}

/* Returns a local reference to a node of the path; NULL if it has been collected. */
jobject heap_path_object(jvmtiEnv *jvmti, JNIEnv *env, jlong tag) {
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

/* ---- The search ---- */

/* Prepares a search. Returns false if there is no memory. */
bool heap_path_begin(jvmtiEnv *jvmti, JNIEnv *env, struct path_search *in) {
    in->nodes = calloc(MAX_NODES + 1, sizeof(struct path_node));
    if (in->nodes != NULL) {
        tag_weak_classes(jvmti, env);
    }
    return in->nodes != NULL;
}

/*
 * Adds an object whose path is searched: the search ends at the first path to any of them. The caller then deletes its
 * reference: otherwise it would be the root.
 */
void heap_path_seek(jvmtiEnv *jvmti, struct path_search *in, jobject target) {
    in->targets = ++in->count;
    (*jvmti)->SetTag(jvmti, target, in->targets);
}

static void search_in_passes(jvmtiEnv *jvmti, struct path_search *in) {
    const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_reference};
    for (int pass = 0; pass < MAX_PASSES && in->root.node == 0 && !in->late && !in->full
            && in->count > in->reached; pass++) {
        in->reached = in->count;
        in->seen = 0;
        uint64_t began = now_monotonic();
        jvmtiError failed = (*jvmti)->FollowReferences(jvmti, 0, NULL, NULL, &callbacks, in);
        uint64_t took = now_monotonic() - began;
        in->pause = took > in->pause ? took : in->pause;
        if (failed != JVMTI_ERROR_NONE || took > in->last_pause) {
            return;
        }
    }
}

/* Searches until the path is found, or a bound is reached. */
void heap_path_run(jvmtiEnv *jvmti, struct path_search *in) {
    search_in_passes(jvmti, in);
    in->root = in->root.node == 0 ? in->last_choice : in->root;
}

void heap_path_end(struct path_search *in) {
    free(in->nodes);
    in->nodes = NULL;
}
