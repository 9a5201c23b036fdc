/* Doubles for references_test.c: the functions of a JVM with the planted heap, and the files that the search calls. */
#ifndef MAYFLY_PLANTED_JVM_H
#define MAYFLY_PLANTED_JVM_H

#include "check.h"
#include "planted_heap.h"

#include <string.h>

/* ---- JVMTI ---- */

static jvmtiError unless(enum fault fault) {
    return planted == fault ? JVMTI_ERROR_OUT_OF_MEMORY : JVMTI_ERROR_NONE;
}

static void *allocated(size_t bytes_needed) {
    blocks++;
    return malloc(bytes_needed == 0 ? 1 : bytes_needed);
}

static char *copied(const char *text) {
    return strcpy(allocated(strlen(text) + 1), text);
}

static jvmtiError JNICALL deallocate(jvmtiEnv *jvmti, unsigned char *memory) {
    (void)jvmti;
    blocks -= memory != NULL;
    free(memory);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL add_capabilities(jvmtiEnv *jvmti, const jvmtiCapabilities *added) {
    (void)jvmti;
    CHECK(added->can_tag_objects);
    return unless(CAPABILITIES);
}

static jvmtiError JNICALL dispose(jvmtiEnv *jvmti) {
    (void)jvmti;
    environments--;
    for (int i = 0; i < reference_count; i++) {
        references[i].to->tag = 0;
        if (references[i].from != NULL) {
            references[i].from->tag = 0;
        }
    }
    for (int i = 0; i < CLASSES; i++) {
        classes[i]->tag = 0;
    }
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_tag(jvmtiEnv *jvmti, jobject object, jlong tag) {
    (void)jvmti;
    ((struct object *)object)->tag = tag;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_tag(jvmtiEnv *jvmti, jobject object, jlong *tag) {
    (void)jvmti;
    *tag = ((struct object *)object)->tag;
    return unless(TAG);
}

static jvmtiError JNICALL loaded_classes(jvmtiEnv *jvmti, jint *count, jclass **result) {
    (void)jvmti;
    if (unless(LOADED) == JVMTI_ERROR_NONE) {
        *count = CLASSES;
        *result = allocated(sizeof classes);
        memcpy(*result, classes, sizeof classes);
    }
    return unless(LOADED);
}

static jvmtiError JNICALL class_fields(jvmtiEnv *jvmti, jclass class, jint *count, jfieldID **result) {
    (void)jvmti;
    static char names[] = "0123456789";
    if (unless(FIELDS) == JVMTI_ERROR_NONE) {
        *count = ((struct object *)class)->fields;
        *result = allocated((size_t)*count * sizeof(jfieldID));
        for (jint i = 0; i < *count; i++) {
            (*result)[i] = (jfieldID)&names[i];
        }
    }
    return unless(FIELDS);
}

static jvmtiError JNICALL field_name(jvmtiEnv *jvmti, jclass class, jfieldID field, char **name, char **signature,
        char **generic) {
    (void)jvmti;
    CHECK((void *)class == &reference_class && signature == NULL && generic == NULL);
    if (unless(FIELD_NAME) == JVMTI_ERROR_NONE) {
        *name = copied(*(const char *)field == '1' ? "referent" : "queue");
    }
    return unless(FIELD_NAME);
}

static jvmtiError JNICALL implemented_interfaces(jvmtiEnv *jvmti, jclass class, jint *count, jclass **result) {
    (void)jvmti;
    struct object *const *interfaces = ((struct object *)class)->interfaces;
    if (unless(INTERFACES) == JVMTI_ERROR_NONE) {
        *count = (interfaces[0] != NULL) + (interfaces[1] != NULL);
        *result = allocated(2 * sizeof(jclass));
        memcpy(*result, interfaces, 2 * sizeof(jclass));
    }
    return unless(INTERFACES);
}

/*
 * Visits the references in the order in which they were added, even if it fails. A local reference to the loader would
 * be reported as the root.
 */
static jvmtiError JNICALL follow_references(jvmtiEnv *jvmti, jint filter, jclass class, jobject from,
        const jvmtiHeapCallbacks *callbacks, const void *data) {
    (void)jvmti;
    CHECK(filter == 0 && class == NULL && from == NULL && loader_references == 0);
    walks++;
    bool ended = false;
    for (int i = 0; i < reference_count && !ended; i++) {
        struct planted_reference *at = &references[i];
        jlong class_tag = at->to->class == NULL ? 0 : at->to->class->tag;
        jlong from_class_tag = at->from == NULL || at->from->class == NULL ? 0 : at->from->class->tag;
        bool has_info = at->kind == JVMTI_HEAP_REFERENCE_FIELD || at->kind == JVMTI_HEAP_REFERENCE_STATIC_FIELD
                || at->kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL || at->kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL;
        ended = callbacks->heap_reference_callback(at->kind, has_info ? &at->info : NULL, class_tag, from_class_tag,
                16, &at->to->tag, at->from == NULL ? NULL : &at->from->tag, -1, (void *)(uintptr_t)data)
                == JVMTI_VISIT_ABORT;
        cpu_nanos += reference_cpu_nanos;
    }
    real_nanos += walk_nanos;
    return unless(FOLLOW);
}

static jvmtiError JNICALL objects_with_tags(jvmtiEnv *jvmti, jint tag_count, const jlong *tags, jint *count,
        jobject **objects, jlong **tags_of_objects) {
    (void)jvmti;
    CHECK(tag_count == 1 && tags_of_objects == NULL);
    if (unless(TAGGED) == JVMTI_ERROR_NONE) {
        *count = 0;
        *objects = allocated(sizeof(jobject));
        for (int i = 0; i < reference_count && *count == 0; i++) {
            if (references[i].to->tag == *tags) {
                (*objects)[(*count)++] = (jobject)references[i].to;
            }
        }
    }
    return unless(TAGGED);
}

static jvmtiError JNICALL class_signature(jvmtiEnv *jvmti, jclass class, char **signature, char **generic) {
    (void)jvmti;
    CHECK(((struct object *)class)->class == &class_class && generic == NULL);
    if (unless(SIGNATURE) == JVMTI_ERROR_NONE) {
        *signature = copied(((struct object *)class)->text);
    }
    return unless(SIGNATURE);
}

static jvmtiError JNICALL class_loader(jvmtiEnv *jvmti, jclass class, jobject *defined_by) {
    (void)jvmti;
    if (unless(CLASS_LOADER) == JVMTI_ERROR_NONE) {
        *defined_by = (jobject)((struct object *)class)->loader;
    }
    return unless(CLASS_LOADER);
}

static jvmtiError JNICALL method_name(jvmtiEnv *jvmti, jmethodID method, char **name, char **signature,
        char **generic) {
    (void)jvmti;
    CHECK((void *)method == &cache && signature == NULL && generic == NULL);
    if (unless(METHOD_NAME) == JVMTI_ERROR_NONE) {
        *name = copied("refresh");
    }
    return unless(METHOD_NAME);
}

static jvmtiError JNICALL method_class(jvmtiEnv *jvmti, jmethodID method, jclass *class) {
    (void)jvmti;
    (void)method;
    *class = (jclass)&cache_class;
    return unless(METHOD_CLASS);
}

static jvmtiError JNICALL thread_info(jvmtiEnv *jvmti, jthread thread, jvmtiThreadInfo *info) {
    (void)jvmti;
    if (unless(THREAD_INFO) == JVMTI_ERROR_NONE) {
        info->name = copied(((struct object *)thread)->text);
    }
    return unless(THREAD_INFO);
}

static const struct jvmtiInterface_1_ jvmti_functions = {
    .Deallocate = deallocate, .AddCapabilities = add_capabilities, .DisposeEnvironment = dispose, .SetTag = set_tag,
    .GetTag = get_tag, .GetLoadedClasses = loaded_classes, .GetClassFields = class_fields, .GetFieldName = field_name,
    .GetImplementedInterfaces = implemented_interfaces, .FollowReferences = follow_references,
    .GetObjectsWithTags = objects_with_tags, .GetClassSignature = class_signature, .GetClassLoader = class_loader,
    .GetMethodName = method_name, .GetMethodDeclaringClass = method_class, .GetThreadInfo = thread_info};
static jvmtiEnv environment = &jvmti_functions;

/* ---- JNI ---- */

static jint JNICALL get_version(JNIEnv *env) {
    (void)env;
    return version;
}

static jint JNICALL push_frame(JNIEnv *env, jint capacity) {
    (void)env;
    CHECK(!pending && capacity > 0);
    pending = frames_left == 0;
    frames_left -= !pending;
    frames += !pending;
    return pending ? JNI_ENOMEM : 0;
}

static jobject JNICALL pop_frame(JNIEnv *env, jobject result) {
    (void)env;
    frames--;
    return result;
}

static void JNICALL delete_local(JNIEnv *env, jobject reference) {
    (void)env;
    loader_references -= (void *)reference == &loader;
}

static jboolean JNICALL is_pending(JNIEnv *env) {
    (void)env;
    return pending;
}

static void JNICALL clear(JNIEnv *env) {
    (void)env;
    pending = false;
}

static jclass JNICALL class_of(JNIEnv *env, jobject object) {
    (void)env;
    CHECK(!pending);
    return (jclass)((struct object *)object)->class;
}

static jclass JNICALL superclass(JNIEnv *env, jclass class) {
    (void)env;
    CHECK(!pending);
    return (jclass)((struct object *)class)->above;
}

static jboolean JNICALL is_assignable(JNIEnv *env, jclass class, jclass to) {
    (void)env;
    CHECK(!pending && to != NULL);
    struct object *at = (struct object *)class;
    while (at != NULL && at != (struct object *)to) {
        at = at->above;
    }
    return at != NULL;
}

static jboolean JNICALL instance_of(JNIEnv *env, jobject object, jclass class) {
    return is_assignable(env, class_of(env, object), class);
}

static jboolean JNICALL is_same(JNIEnv *env, jobject first, jobject second) {
    (void)env;
    return first == second;
}

static jsize JNICALL length_of(JNIEnv *env, jarray array) {
    (void)env;
    CHECK(!pending && (void *)array == &live);
    return 2;
}

static jobject JNICALL get_element(JNIEnv *env, jobjectArray array, jsize at) {
    (void)env;
    CHECK(!pending && (void *)array == &live);
    return (jobject)(at == 0 ? &first_thread : &worker);
}

static const struct JNINativeInterface_ functions = {
    .GetVersion = get_version, .PushLocalFrame = push_frame, .PopLocalFrame = pop_frame, .DeleteLocalRef = delete_local,
    .ExceptionCheck = is_pending, .ExceptionClear = clear, .GetObjectClass = class_of,
    .GetSuperclass = superclass, .IsAssignableFrom = is_assignable, .IsInstanceOf = instance_of,
    .IsSameObject = is_same, .GetArrayLength = length_of, .GetObjectArrayElement = get_element};
static JNIEnv env = &functions;

/* ---- The files that the search calls ---- */

jclass class_find(JNIEnv *jni, const char *name) {
    (void)jni;
    CHECK(!pending);
    for (int i = 0; i < CLASSES && strcmp(name, missing) != 0; i++) {
        if (strncmp(classes[i]->text + 1, name, strlen(name)) == 0 && classes[i]->text[strlen(name) + 1] == ';') {
            return (jclass)classes[i];
        }
    }
    return NULL;
}

void locals_reserve(JNIEnv *jni, jint count) {
    (void)jni;
    CHECK(!pending && count == CLASSES);
}

bool heap_read(JNIEnv *jni, struct heap *into) {
    (void)jni;
    *into = (struct heap){.committed = heap_used + 1000, .unused = 1000};
    return heap_used >= 0;
}

jvmtiEnv *events_temporary(JNIEnv *jni) {
    (void)jni;
    acquired += has_jvmti;
    environments += has_jvmti;
    return has_jvmti ? &environment : NULL;
}

jobject java_loader(JNIEnv *jni) {
    (void)jni;
    if (loads == 0) {
        return NULL;
    }
    loads--;
    loader_references++;
    return (jobject)&loader;
}

jobject java_profilers_loader(JNIEnv *jni) {
    (void)jni;
    return (jobject)profilers_loader;
}

jobject java_probes_loader(JNIEnv *jni) {
    (void)jni;
    return NULL;
}

jobjectArray threads_live(JNIEnv *jni) {
    (void)jni;
    pending = throws;
    return throws || !lists_threads ? NULL : (jobjectArray)&live;
}

jlong thread_id(JNIEnv *jni, jobject thread) {
    (void)jni;
    return (void *)thread == &worker ? 7 : 6;
}

#endif
