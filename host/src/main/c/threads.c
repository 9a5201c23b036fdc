/*
 * Threads and their stacks, read from the JVM itself: through a field of java.lang.Thread and its native methods. A
 * class of the program may override the public methods, and its code must not run on a thread of the host.
 */
#define _GNU_SOURCE
#include "threads.h"
#include "classes.h"
#include "memory.h"
#include "runtimes.h"
#include "tables.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <stdatomic.h>

/* Returns a method of java.lang.Thread; NULL, without an exception, if this JDK has none with that name and type. */
static jmethodID thread_method(JNIEnv *env, jclass class, bool is_static, const char *name, const char *type) {
    jmethodID id = class == NULL ? NULL : is_static ? (*env)->GetStaticMethodID(env, class, name, type)
            : (*env)->GetMethodID(env, class, name, type);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    return id;
}

/* Returns the thread's number, which getId returns unless overridden; 0 if it cannot be read. */
jlong thread_id(JNIEnv *env, jobject thread) {
    static _Atomic(jfieldID) known;
    jfieldID field = atomic_load(&known);
    if (field == NULL) {
        jclass class = class_find(env, "java/lang/Thread");
        field = class == NULL ? NULL : (*env)->GetFieldID(env, class, "tid", "J");
        (*env)->ExceptionClear(env);
        (*env)->DeleteLocalRef(env, class);
        atomic_store(&known, field);
    }
    return field == NULL ? 0 : (*env)->GetLongField(env, thread, field);
}

/* Returns the JavaThread of a live platform thread; NULL if there is none. */
static const char *thread_native(JNIEnv *env, jobject thread) {
    static _Atomic(jfieldID) known;
    jfieldID field = atomic_load(&known);
    if (field == NULL) {
        jclass class = class_find(env, "java/lang/Thread");
        field = class == NULL ? NULL : (*env)->GetFieldID(env, class, "eetop", "J");
        (*env)->ExceptionClear(env);
        (*env)->DeleteLocalRef(env, class);
        atomic_store(&known, field);
    }
    jlong address = field == NULL || thread == NULL ? 0 : (*env)->GetLongField(env, thread, field);
    return (const char *)(intptr_t)address;
}

/*
 * Returns the number that the kernel has given to each of these threads, 0 for one that has none or whose number is
 * unknown. A thread may end meanwhile, and its number may then be that of another thread or of none. Returns NULL if
 * the JVM does not describe its threads, or has no memory.
 */
jlongArray threads_os_ids(JNIEnv *env, jobjectArray threads) {
    struct field_place to_os_thread;
    struct field_place to_number;
    void *jvm = runtime_library();
    bool described = jvm != NULL && table_field(jvm, "JavaThread", "_osthread", &to_os_thread)
            && table_field(jvm, "OSThread", "_thread_id", &to_number);
    if (jvm != NULL && !described) {
        described = table_field(jvm, "Thread", "_osthread", &to_os_thread)
                && table_field(jvm, "OSThread", "_thread_id", &to_number);
    }
    if (jvm != NULL) {
        dlclose(jvm);
    }
    jsize count = (*env)->GetArrayLength(env, threads);
    jlongArray numbers = described ? (*env)->NewLongArray(env, count) : NULL;
    for (jsize i = 0; numbers != NULL && i < count; i++) {
        jobject thread = (*env)->GetObjectArrayElement(env, threads, i);
        const char *native = thread_native(env, thread);
        const char *os_thread;
        jint number = 0;
        if (native != NULL && memory_read(native + to_os_thread.offset, &os_thread, sizeof os_thread)
                && memory_read(os_thread + to_number.offset, &number, sizeof number) && number > 0
                && thread_native(env, thread) == native) {
            jlong wide = number;
            (*env)->SetLongArrayRegion(env, numbers, i, 1, &wide);
        }
        (*env)->DeleteLocalRef(env, thread);
    }
    return numbers;
}

/*
 * Returns the live platform threads; NULL if the JVM does not enumerate them. An exception thrown by the JVM stays
 * pending.
 */
jobjectArray threads_live(JNIEnv *env) {
    jclass class = class_find(env, "java/lang/Thread");
    jmethodID get = thread_method(env, class, true, "getThreads", "()[Ljava/lang/Thread;");
    return get == NULL ? NULL : (*env)->CallStaticObjectMethod(env, class, get);
}

/*
 * Returns the complete stacks of threads, taken at one safepoint, with their hidden frames: an array of
 * StackTraceElement for each thread, null for one that is not alive. An exception thrown by the JVM stays pending.
 */
jobjectArray threads_stacks(JNIEnv *env, jobjectArray threads) {
    jclass class = class_find(env, "java/lang/Thread");
    jmethodID dump = thread_method(env, class, true, "dumpThreads",
            "([Ljava/lang/Thread;)[[Ljava/lang/StackTraceElement;");
    return dump == NULL ? NULL : (*env)->CallStaticObjectMethod(env, class, dump, threads);
}

/*
 * Returns the stack of another thread without hidden frames, limited to -XX:MaxJavaStackTraceDepth frames. Only that
 * thread waits meanwhile. Returns NULL if this JDK has no such method (before 21), and for a virtual thread that is
 * not mounted. A thread that is not alive and one without Java frames, such as Signal Dispatcher, have no frames. An
 * exception thrown by the JVM stays pending.
 */
jobjectArray thread_stack(JNIEnv *env, jobject thread) {
    jclass class = class_find(env, "java/lang/Thread");
    jmethodID get = thread_method(env, class, false, "getStackTrace0", "()Ljava/lang/Object;");
    if (get == NULL) {
        return NULL;
    }
    jobject stack = (*env)->CallNonvirtualObjectMethod(env, thread, class, get);
    if (stack != NULL || (*env)->ExceptionCheck(env)) {
        return stack;
    }
    jclass virtual = class_find(env, "java/lang/BaseVirtualThread");
    if (virtual != NULL && (*env)->IsInstanceOf(env, thread, virtual)) {
        return NULL;
    }
    jclass element = class_find(env, "java/lang/StackTraceElement");
    return element == NULL ? NULL : (*env)->NewObjectArray(env, 0, element, NULL);
}

/*
 * Returns the initial value of a system property; NULL if there is none. The current properties may be an object of a
 * class of the program.
 */
jstring saved_property(JNIEnv *env, jstring name) {
    jclass class = class_find(env, "jdk/internal/misc/VM");
    jmethodID get = thread_method(env, class, true, "getSavedProperty", "(Ljava/lang/String;)Ljava/lang/String;");
    jstring value = get == NULL ? NULL : (*env)->CallStaticObjectMethod(env, class, get, name);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    return value;
}
