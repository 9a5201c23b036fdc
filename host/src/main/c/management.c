/*
 * The table of functions by which the JDK's management reads a JVM (jmm.h). The JVM exports it, and the functions need
 * neither JVMTI nor the module java.management, except that those that return a java.lang.management.ThreadInfo make
 * Java load libmanagement.so, which then stays mapped.
 */
#define _GNU_SOURCE
#include "management.h"
#include "classes.h"
#include "runtimes.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/*
 * For each version of the table, the places of functions in it. A JVM returns its table only for its own version, and
 * gives a table with other functions another version.
 */
static const struct management_row {
    jint version;
    int thread_info;                /* GetThreadInfo */
    int allocated;                  /* GetThreadAllocatedMemory */
    int dump;                       /* DumpThreads */
} management_rows[] = {
    {0x20030000, 4, 10, 33},            /* JDK 14 to 20 */
    {0x20040000, 4, 11, 34},            /* JDK 21 to 25; 21 has added GetTotalThreadAllocatedMemory at 9 */
    {0x20050000, 4, 11, 34},            /* since JDK 26, whose table has the same functions */
};
enum { MANAGEMENT_ROWS = sizeof management_rows / sizeof management_rows[0], GET_VERSION = 2 };

/* The table of this JVM, or no row. */
struct management {
    const struct management_row *row;
    void (*const *functions)(void);
};

static struct management management_find(JNIEnv *env, void *jvm) {
    void *(JNICALL *get)(jint) = (void *(JNICALL *)(jint))(uintptr_t)dlsym(jvm, "JVM_GetManagement");
    for (int i = 0; get != NULL && i < MANAGEMENT_ROWS; i++) {
        void (*const *functions)(void) = (void (*const *)(void))get(management_rows[i].version);
        jint (JNICALL *version)(JNIEnv *) = functions == NULL ? NULL
                : (jint (JNICALL *)(JNIEnv *))functions[GET_VERSION];
        if (version != NULL && version(env) == management_rows[i].version) {
            return (struct management){&management_rows[i], functions};
        }
    }
    return (struct management){0};
}

static struct management management_now(JNIEnv *env) {
    static _Atomic(const struct management_row *) known_row;
    static _Atomic(void (*const *)(void)) known_functions;
    struct management found = {atomic_load(&known_row), atomic_load(&known_functions)};
    if (found.row == NULL || found.functions == NULL) {
        void *jvm = runtime_library();
        if (jvm != NULL) {
            found = management_find(env, jvm);
            dlclose(jvm);
        }
        atomic_store(&known_row, found.row);
        atomic_store(&known_functions, found.functions);
    }
    return found;
}

/* Returns true if this JVM has a table of a known version. */
bool management_is_known(JNIEnv *env) {
    return management_now(env).row != NULL;
}

/*
 * Writes the bytes that each platform thread has allocated since its start into an array of the same length; an element
 * stays as it is if no such thread has that number. No number may be less than 1. Returns false without a table, or
 * after an exception.
 */
bool management_allocated(JNIEnv *env, jlongArray numbers, jlongArray bytes) {
    const struct management management = management_now(env);
    if (management.row == NULL) {
        return false;
    }
    void (JNICALL *get)(JNIEnv *, jlongArray, jlongArray) =
            (void (JNICALL *)(JNIEnv *, jlongArray, jlongArray))management.functions[management.row->allocated];
    get(env, numbers, bytes);
    bool threw = (*env)->ExceptionCheck(env);
    (*env)->ExceptionClear(env);
    return !threw;
}

/* Returns true if the program itself has loaded the JDK's management library into this JVM, so that it is mapped. */
bool management_is_loaded(void) {
    char path[PATH_MAX];
    Dl_info jvm;
    void *library = runtime_library();
    const void *function = library == NULL ? NULL : dlsym(library, "JVM_GetManagement");
    bool named = function != NULL && dladdr(function, &jvm) != 0 && strrchr(jvm.dli_fname, '/') != NULL;
    /* libjvm.so is in lib/server of the JDK, or in another folder in lib. */
    int length = !named ? 0 : snprintf(path, sizeof path, "%.*s/../libmanagement.so",
            (int)(strrchr(jvm.dli_fname, '/') - jvm.dli_fname), jvm.dli_fname);
    void *loaded = length <= 0 || length >= (int)sizeof path ? NULL : dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded != NULL) {
        dlclose(loaded);
    }
    if (library != NULL) {
        dlclose(library);
    }
    return loaded != NULL;
}

/*
 * Returns a java.lang.management.ThreadInfo without a stack for each number; null for a number that no platform thread
 * has. No thread is stopped. Returns NULL without a table, or after an exception.
 */
jobjectArray management_thread_infos(JNIEnv *env, jlongArray numbers) {
    const struct management management = management_now(env);
    jclass class = management.row == NULL ? NULL : class_find(env, "java/lang/management/ThreadInfo");
    jobjectArray infos = class == NULL ? NULL
            : (*env)->NewObjectArray(env, (*env)->GetArrayLength(env, numbers), class, NULL);
    if (infos != NULL) {
        jint (JNICALL *get)(JNIEnv *, jlongArray, jint, jobjectArray) = (jint (JNICALL *)(JNIEnv *, jlongArray, jint,
                jobjectArray))management.functions[management.row->thread_info];
        get(env, numbers, 0, infos);
    }
    bool threw = (*env)->ExceptionCheck(env);
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, class);
    return threw ? NULL : infos;
}

/*
 * Returns true if a thread of the program has its own getId, which the constructor of a ThreadInfo calls before JDK 19.
 * It would run on the calling thread.
 */
bool management_would_call_program(JNIEnv *env, jobjectArray live) {
    jclass thread = class_find(env, "java/lang/Thread");
    bool has_final = thread != NULL && (*env)->GetMethodID(env, thread, "threadId", "()J") != NULL;
    (*env)->ExceptionClear(env);
    jmethodID get = thread == NULL || has_final ? NULL : (*env)->GetMethodID(env, thread, "getId", "()J");
    jsize count = get == NULL ? 0 : (*env)->GetArrayLength(env, live);
    bool overridden = get == NULL && !has_final;
    for (jsize i = 0; i < count && !overridden; i++) {
        jobject each = (*env)->GetObjectArrayElement(env, live, i);
        jclass class = (*env)->GetObjectClass(env, each);
        overridden = !(*env)->IsSameObject(env, class, thread)
                && (*env)->GetMethodID(env, class, "getId", "()J") != get;
        (*env)->DeleteLocalRef(env, class);
        (*env)->DeleteLocalRef(env, each);
    }
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, thread);
    return overridden;
}

/* Returns the reason why management_dump cannot be called; READY if it can. */
enum management_state management_state(JNIEnv *env, jobjectArray live, bool may_load) {
    jclass info = class_find(env, "java/lang/management/ThreadInfo");
    bool has_module = info != NULL;
    (*env)->DeleteLocalRef(env, info);
    return !management_is_known(env) ? MANAGEMENT_STATE_UNKNOWN_VERSION
            : !has_module ? MANAGEMENT_STATE_NO_MODULE
            : !may_load && !management_is_loaded() ? MANAGEMENT_STATE_NOT_LOADED
            : management_would_call_program(env, live) ? MANAGEMENT_STATE_CALLS_PROGRAM : MANAGEMENT_STATE_READY;
}

/*
 * Returns a java.lang.management.ThreadInfo for each number, with the stack, the monitors and the synchronizers that
 * the thread owns, all of one safepoint; null for a number that no platform thread has. Returns NULL without a table,
 * or after an exception.
 */
jobjectArray management_dump(JNIEnv *env, jlongArray numbers) {
    const struct management management = management_now(env);
    if (management.row == NULL) {
        return NULL;
    }
    jobjectArray (JNICALL *dump)(JNIEnv *, jlongArray, jboolean, jboolean, jint) = (jobjectArray (JNICALL *)(JNIEnv *,
            jlongArray, jboolean, jboolean, jint))management.functions[management.row->dump];
    jobjectArray infos = dump(env, numbers, JNI_TRUE, JNI_TRUE, INT_MAX);
    bool threw = (*env)->ExceptionCheck(env);
    (*env)->ExceptionClear(env);
    return threw ? NULL : infos;
}
