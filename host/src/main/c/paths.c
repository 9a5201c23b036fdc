/*
 * The path of references that retains the class loader of a class, for a profiler that asks for it. The search is that
 * for a profiler's own loader (heap_path.c). A field is found by its value, not by its number: the JVM's numbering of
 * fields differs between JDKs.
 */
#define _GNU_SOURCE
#include "paths.h"
#include "classes.h"
#include "events.h"
#include "heap_path.h"

#include <stdlib.h>
#include <string.h>

/* The parts of a step in the result: the numbers, and the texts. */
enum { STEP_KIND, STEP_INDEX, STEP_THREAD, STEP_NUMBERS };
enum { STEP_NAME, STEP_CLASS, STEP_REPRESENTED, STEP_TEXTS };

/* Modifier of a static field (JVMS 4.5), and an upper bound on the superclasses of a class. */
enum { ACC_STATIC_ = 0x0008, MAX_SUPERCLASSES = 1000 };

struct path_result {
    jlongArray numbers;
    jobjectArray steps;     /* the numbers, and then the texts of each step */
    jsize count;
};

static void put_text(JNIEnv *env, const struct path_result *to, jsize step, int part, const char *text) {
    jstring string = text == NULL ? NULL : (*env)->NewStringUTF(env, text);
    (*env)->ExceptionClear(env);
    (*env)->SetObjectArrayElement(env, to->steps, 1 + step * STEP_TEXTS + part, string);
    (*env)->DeleteLocalRef(env, string);
}

static void put_signature(jvmtiEnv *jvmti, JNIEnv *env, const struct path_result *to, jsize step, int part,
        jclass class) {
    char *signature = NULL;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE) {
        put_text(env, to, step, part, signature);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
}

/* Returns true if a field of an object, or a static field if the object is a class, has that value. */
static bool field_has(jvmtiEnv *jvmti, JNIEnv *env, jclass declaring, jfieldID field, jobject object, jobject value) {
    jint modifiers = 0;
    char *signature = NULL;
    bool is_static = object == NULL;
    bool reads = (*jvmti)->GetFieldModifiers(jvmti, declaring, field, &modifiers) == JVMTI_ERROR_NONE
            && ((modifiers & ACC_STATIC_) != 0) == is_static
            && (*jvmti)->GetFieldName(jvmti, declaring, field, NULL, &signature, NULL) == JVMTI_ERROR_NONE
            && (signature[0] == 'L' || signature[0] == '[');
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    jobject found = !reads ? NULL : is_static ? (*env)->GetStaticObjectField(env, declaring, field)
            : (*env)->GetObjectField(env, object, field);
    bool same = found != NULL && (*env)->IsSameObject(env, found, value);
    (*env)->DeleteLocalRef(env, found);
    return same;
}

/* Stores the name of the field that a class declares and that refers to the next object. Returns false if none does. */
static bool put_field_of(jvmtiEnv *jvmti, JNIEnv *env, const struct path_result *to, jsize step, jclass declaring,
        jobject object, jobject next) {
    jint count = 0;
    jfieldID *fields = NULL;
    bool found = false;
    if ((*jvmti)->GetClassFields(jvmti, declaring, &count, &fields) != JVMTI_ERROR_NONE) {
        return false;
    }
    for (jint i = 0; i < count && !found; i++) {
        char *name = NULL;
        found = field_has(jvmti, env, declaring, fields[i], object, next);
        if (found && (*jvmti)->GetFieldName(jvmti, declaring, fields[i], &name, NULL, NULL) == JVMTI_ERROR_NONE) {
            put_text(env, to, step, STEP_NAME, name);
            (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        }
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)fields);
    return found;
}

/* Stores the name of the field by which an object, or a class, refers to the next object. */
static void put_field(jvmtiEnv *jvmti, JNIEnv *env, const struct path_result *to, jsize step,
        jvmtiHeapReferenceKind kind, jobject object, jobject next) {
    if (kind == JVMTI_HEAP_REFERENCE_STATIC_FIELD) {
        put_field_of(jvmti, env, to, step, object, NULL, next);
        return;
    }
    jclass class = (*env)->GetObjectClass(env, object);
    for (int i = 0; class != NULL && i < MAX_SUPERCLASSES
            && !put_field_of(jvmti, env, to, step, class, object, next); i++) {
        jclass above = (*env)->GetSuperclass(env, class);
        (*env)->DeleteLocalRef(env, class);
        class = above;
    }
    (*env)->DeleteLocalRef(env, class);
}

/* Stores the method of a local variable, as CLASS.METHOD with the signature of the class. */
static void put_method(jvmtiEnv *jvmti, JNIEnv *env, const struct path_result *to, jmethodID method) {
    char *name = NULL;
    char *signature = NULL;
    jclass class = NULL;
    if ((*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) == JVMTI_ERROR_NONE
            && (*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) == JVMTI_ERROR_NONE
            && (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE) {
        size_t size = strlen(signature) + 1 + strlen(name) + 1;
        char *text = malloc(size);
        if (text != NULL) {
            strcpy(text, signature);
            strcat(strcat(text, "."), name);
            put_text(env, to, 0, STEP_NAME, text);
            free(text);
        }
    }
    (*env)->DeleteLocalRef(env, class);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
}

/* Stores the class of an object, and the class that it represents if it is a Class. */
static void put_object(jvmtiEnv *jvmti, JNIEnv *env, const struct path_result *to, jsize step, jobject object) {
    jclass of = (*env)->GetObjectClass(env, object);
    put_signature(jvmti, env, to, step, STEP_CLASS, of);
    if (class_is(env, object, "java/lang/Class")) {
        put_signature(jvmti, env, to, step, STEP_REPRESENTED, object);
    }
    (*env)->DeleteLocalRef(env, of);
}

/* Describes the path: the root and the object that it refers to, then each further object. */
static void put_steps(jvmtiEnv *jvmti, JNIEnv *env, const struct path_search *in, const struct path_result *to) {
    jlong previous = 0;
    jsize step = 0;
    for (jlong node = in->root.node; node != 0 && step < to->count; previous = node, node = in->nodes[node].next) {
        jobject object = heap_path_object(jvmti, env, node);
        jobject referrer = previous == 0 ? NULL : heap_path_object(jvmti, env, previous);
        const struct path_node *by = previous == 0 ? NULL : &in->nodes[previous];
        jlong numbers[STEP_NUMBERS] = {
            [STEP_KIND] = by == NULL ? in->root.kind : by->kind, [STEP_INDEX] = by == NULL ? -1 : by->index,
            [STEP_THREAD] = by == NULL ? in->root.thread : 0};
        (*env)->SetLongArrayRegion(env, to->numbers, step * STEP_NUMBERS, STEP_NUMBERS, numbers);
        if (object != NULL) {
            put_object(jvmti, env, to, step, object);
        }
        if (by == NULL && in->root.method != NULL) {
            put_method(jvmti, env, to, in->root.method);
        } else if (object != NULL && referrer != NULL
                && (by->kind == JVMTI_HEAP_REFERENCE_FIELD || by->kind == JVMTI_HEAP_REFERENCE_STATIC_FIELD)) {
            put_field(jvmti, env, to, step, by->kind, referrer, object);
        }
        (*env)->DeleteLocalRef(env, referrer);
        (*env)->DeleteLocalRef(env, object);
        step++;
    }
}

/* Returns an Object[] of a long[] with the numbers of all steps, and the texts of each step; NULL without memory. */
static jobjectArray path_to_java(jvmtiEnv *jvmti, JNIEnv *env, const struct path_search *in) {
    struct path_result to = {0};
    for (jlong node = in->root.node; node != 0; node = in->nodes[node].next) {
        to.count++;
    }
    jclass object = class_find(env, "java/lang/Object");
    to.numbers = object == NULL ? NULL : (*env)->NewLongArray(env, to.count * STEP_NUMBERS);
    to.steps = to.numbers == NULL ? NULL
            : (*env)->NewObjectArray(env, 1 + to.count * STEP_TEXTS, object, NULL);
    if (to.steps == NULL) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    (*env)->SetObjectArrayElement(env, to.steps, 0, to.numbers);
    put_steps(jvmti, env, in, &to);
    return to.steps;
}

/* Returns the referent's class loader; the referent itself if that is the boot loader; NULL if it was collected. */
static jobject path_target(JNIEnv *env, jobject reference) {
    jclass class = class_find(env, "java/lang/ref/Reference");
    jmethodID get = class == NULL ? NULL : (*env)->GetMethodID(env, class, "get", "()Ljava/lang/Object;");
    jobject type = get == NULL ? NULL : (*env)->CallObjectMethod(env, reference, get);
    jclass of = type == NULL ? NULL : (*env)->GetObjectClass(env, type);
    jmethodID loader_of = of == NULL ? NULL
            : (*env)->GetMethodID(env, of, "getClassLoader", "()Ljava/lang/ClassLoader;");
    jobject loader = loader_of == NULL ? NULL : (*env)->CallObjectMethod(env, type, loader_of);
    (*env)->ExceptionClear(env);
    if (loader != NULL) {
        (*env)->DeleteLocalRef(env, type);
    }
    (*env)->DeleteLocalRef(env, of);
    (*env)->DeleteLocalRef(env, class);
    return loader != NULL ? loader : type;
}

static jobjectArray search_loader(jvmtiEnv *jvmti, JNIEnv *env, jobject reference, enum path_outcome *outcome) {
    struct path_search in = {.pass_nanos = PATH_PERMITTED_NANOS, .last_pause = UINT64_MAX};
    jobjectArray path = NULL;
    *outcome = PATH_OUTCOME_FAILED;
    if (heap_path_begin(jvmti, env, &in)) {
        jobject target = path_target(env, reference);
        *outcome = target == NULL ? PATH_OUTCOME_GONE : PATH_OUTCOME_NOT_FOUND;
        if (target != NULL) {
            heap_path_seek(jvmti, &in, target);
            (*env)->DeleteLocalRef(env, target);    /* otherwise this reference would be the root */
            heap_path_run(jvmti, &in);
        }
        if (in.root.node != 0) {
            path = path_to_java(jvmti, env, &in);
            *outcome = path == NULL ? PATH_OUTCOME_FAILED : PATH_OUTCOME_FOUND;
        } else if (in.late) {
            *outcome = PATH_OUTCOME_TOO_LATE;
        }
    }
    heap_path_end(&in);
    return path;
}

/*
 * Returns the path to the loader of the class to which a WeakReference refers; NULL and the outcome if there is none.
 * The caller has no other reference to the class or its loader, and calls this on one thread at a time.
 */
jobjectArray path_to_loader(JNIEnv *env, jobject reference, enum path_outcome *outcome) {
    *outcome = PATH_OUTCOME_FAILED;
    if ((*env)->PushLocalFrame(env, 64) != 0) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    jobjectArray path = NULL;
    bool fits = heap_in_use(env) <= PATH_PERMITTED_HEAP;
    jvmtiEnv *jvmti = fits ? events_temporary(env) : NULL;
    *outcome = !fits ? PATH_OUTCOME_HEAP_TOO_LARGE : jvmti == NULL ? PATH_OUTCOME_NOT_ACCEPTED : PATH_OUTCOME_FAILED;
    if (jvmti != NULL) {
        const jvmtiCapabilities tags = {.can_tag_objects = 1};
        if ((*jvmti)->AddCapabilities(jvmti, &tags) == JVMTI_ERROR_NONE) {
            path = search_loader(jvmti, env, reference, outcome);
        }
        (*jvmti)->DisposeEnvironment(jvmti);
    }
    return (*env)->PopLocalFrame(env, path);
}
