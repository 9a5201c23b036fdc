/*
 * Threads and their stacks, asked of the JVM itself: by a field of java.lang.Thread and by its native methods. Its public methods
 * may be overridden by a class of the program, whose code must not run on a thread of the host.
 */
#define _GNU_SOURCE
#include "host.h"

/* A method of java.lang.Thread; NULL, without an exception, if this JDK has none of that name and type. */
static jmethodID method(JNIEnv *env, jclass class, bool is_static, const char *name, const char *type) {
    jmethodID id = class == NULL ? NULL : is_static ? (*env)->GetStaticMethodID(env, class, name, type)
            : (*env)->GetMethodID(env, class, name, type);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    return id;
}

/* The number that getId answers unless it is overridden; 0 if it cannot be read. */
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

/* The platform threads that live now; NULL if the JVM does not enumerate them. */
jobjectArray threads_live(JNIEnv *env) {
    jclass class = class_find(env, "java/lang/Thread");
    jmethodID get = method(env, class, true, "getThreads", "()[Ljava/lang/Thread;");
    return get == NULL ? NULL : (*env)->CallStaticObjectMethod(env, class, get);
}

/*
 * The whole stacks of threads, taken at one safepoint, with their hidden frames: an array of StackTraceElement for each, null for
 * one that does not live. What the JVM throws stays pending.
 */
jobjectArray threads_stacks(JNIEnv *env, jobjectArray threads) {
    jclass class = class_find(env, "java/lang/Thread");
    jmethodID dump = method(env, class, true, "dumpThreads", "([Ljava/lang/Thread;)[[Ljava/lang/StackTraceElement;");
    return dump == NULL ? NULL : (*env)->CallStaticObjectMethod(env, class, dump, threads);
}

/*
 * The stack of another thread without its hidden frames, not more than -XX:MaxJavaStackTraceDepth of them, taken while only that
 * thread waits; NULL if it does not live, or this JDK has no such method (before 21). What the JVM throws stays pending.
 */
jobjectArray thread_stack(JNIEnv *env, jobject thread) {
    jclass class = class_find(env, "java/lang/Thread");
    jmethodID get = method(env, class, false, "getStackTrace0", "()Ljava/lang/Object;");
    return get == NULL ? NULL : (*env)->CallNonvirtualObjectMethod(env, thread, class, get);
}

/* A system property as it was when the JVM began: the present ones may be in an object of the program. NULL if there is none. */
jstring saved_property(JNIEnv *env, jstring name) {
    jclass class = class_find(env, "jdk/internal/misc/VM");
    jmethodID get = method(env, class, true, "getSavedProperty", "(Ljava/lang/String;)Ljava/lang/String;");
    jstring value = get == NULL ? NULL : (*env)->CallStaticObjectMethod(env, class, get, name);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    return value;
}
