/*
 * Describes the path of references from a GC root to the class loader of a detached profiler, which retains the
 * profiler. Each pass of the search stops the program, so both the pass and the size of the heap are limited.
 */
#define _GNU_SOURCE
#include "references.h"
#include "classes.h"
#include "compilations.h"
#include "events.h"
#include "heap_path.h"
#include "java.h"
#include "threads.h"

#include <stdio.h>
#include <string.h>

/*
 * Upper bounds on the bytes in use in the heap, and on the duration of a pass, ns of CPU time of the thread that stops
 * the others.
 */
static const struct path_bounds {
    jlong max_heap;
    uint64_t pass_nanos;
} ordinary_bounds = {64 << 20, 5000000}, restoring_bounds = {6 << 20, 5000000},
        permitted_bounds = {PATH_PERMITTED_HEAP, PATH_PERMITTED_NANOS};

/*
 * The first JNI version of a JVM that keeps the marks of a walk in a separate table. Older JVMs mark the objects
 * themselves, and visit all of them to remove the marks.
 */
enum { JNI_VERSION_19_ = 0x00130000 };

/* Without permission, a search ends after a pass whose pause exceeded its limit by this factor. */
enum { MAX_OVER = 2 };

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
        jobject object = heap_path_object(jvmti, env, node);
        if (object != NULL) {
            words_append(to, " -> ", "");
            ours = say_object(jvmti, env, to, object, loader);
        }
        (*env)->PopLocalFrame(env, NULL);
    }
}

/* Returns true if the only path is a reference that a running compilation has: compilations.c reports it. */
static bool is_of_compilation(const struct path_search *in) {
    return in->root.node != 0 && in->root.node <= in->targets && is_global_reference(in->root.kind);
}

static void seek_loader(jvmtiEnv *jvmti, JNIEnv *env, struct path_search *in, jobject loader) {
    if (loader != NULL) {
        heap_path_seek(jvmti, in, loader);
        (*env)->DeleteLocalRef(env, loader);
    }
}

static bool search_path(jvmtiEnv *jvmti, JNIEnv *env, char *text, size_t size, uint64_t pass_nanos, uint64_t *pause) {
    bool permitted = pass_nanos == permitted_bounds.pass_nanos;
    struct path_search in = {.pass_nanos = pass_nanos, .last_pause = permitted ? UINT64_MAX : pass_nanos * MAX_OVER};
    jobject loader = java_loader(env);
    bool found = false;
    if (loader != NULL && heap_path_begin(jvmti, env, &in)) {
        seek_loader(jvmti, env, &in, loader);
        seek_loader(jvmti, env, &in, java_profilers_loader(env));
        seek_loader(jvmti, env, &in, java_probes_loader(env));
        heap_path_run(jvmti, &in);
        loader = java_loader(env);
        struct words to = {text, size};
        found = in.root.node != 0 && !is_of_compilation(&in);
        if (found) {
            say_path(jvmti, env, &in, loader, &to);
        } else if (permitted && in.root.node == 0) {
            words_append(&to, "an object that still refers to it and was not found ",
                    in.late ? "within 150 ms" : "among the nearest objects");
        }
    }
    (*env)->DeleteLocalRef(env, loader);
    heap_path_end(&in);
    *pause = in.pause;
    return found;
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
