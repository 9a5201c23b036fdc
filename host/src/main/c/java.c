/*
 * The Java half: classes defined from memory in their own loader and called through interfaces of the JDK, so that the
 * VM creates no method ids for classes that must be unloaded. All of the library's references to the Java half are in
 * this file.
 */
#define _GNU_SOURCE
#include "java.h"
#include "attach.h"
#include "bytes.h"
#include "callbacks.h"
#include "classes.h"
#include "failures.h"

#include <string.h>

static jmethodID java_apply;         /* java.util.function.Function.apply, a method of the JDK that stays loaded */
static jobject java_upcalls[UPCALL_KIND_COUNT];
static jweak java_late_command;      /* the command handler while something retains the profiler; null once collected */
static bool java_started;            /* the Java half exists and has not been dropped */
static jclass java_vm_class;         /* the class with the native methods */
static jweak java_class_loader;      /* the first class loader, of two classes; null once collected */
static jweak java_class_loader_of_profiler;  /* the loader of all other classes; null once collected */
static jweak java_class_loader_of_probes;   /* the loader of the classes for probes; null without, or once collected */

static jbyteArray java_new_bytes(JNIEnv *env, const struct bytes *bytes) {
    jbyteArray result = (*env)->NewByteArray(env, (jsize)bytes->length);
    if (result != NULL) {
        (*env)->SetByteArrayRegion(env, result, 0, (jsize)bytes->length, (const jbyte *)bytes->at);
    }
    return result;
}

/*
 * Creates a loader whose parent is the platform loader, for two classes: the loader of all others and the bootstrap
 * class.
 */
static jobject java_new_loader(JNIEnv *env) {
    jclass class_loader = class_find(env, "java/lang/ClassLoader");
    jclass secure = class_find(env, "java/security/SecureClassLoader");
    if (class_loader == NULL || secure == NULL) {
        return NULL;
    }
    jmethodID platform = (*env)->GetStaticMethodID(env, class_loader, "getPlatformClassLoader",
                                                   "()Ljava/lang/ClassLoader;");
    jmethodID constructor = (*env)->GetMethodID(env, secure, "<init>", "(Ljava/lang/ClassLoader;)V");
    if (platform == NULL || constructor == NULL) {
        return NULL;
    }
    jobject parent = (*env)->CallStaticObjectMethod(env, class_loader, platform);
    return (*env)->ExceptionCheck(env) ? NULL : (*env)->NewObject(env, secure, constructor, parent);
}

/*
 * Calls mayfly.host.Bootstrap.apply with an Object[]. It returns an Object[] of the class with the native methods and
 * the upcall objects ordered by kind; a byte[], the answer to the trigger, if it refuses; or a String if it fails.
 */
static jobjectArray java_bootstrap(JNIEnv *env, const struct bytes *blobs, uint32_t flags, enum failure *failure) {
    jobject isolated = java_new_loader(env);
    if (isolated == NULL) {
        *failure = failure_of_exception(env, FAILURE_NO_LOADER);
        return NULL;
    }
    java_class_loader = (*env)->NewWeakGlobalRef(env, isolated);
    jclass memory = (*env)->DefineClass(env, NULL, isolated, (const jbyte *)blobs[ATTACH_BLOB_LOADER_CLASS].at,
            (jsize)blobs[ATTACH_BLOB_LOADER_CLASS].length);
    jclass begin = memory == NULL ? NULL : (*env)->DefineClass(env, NULL, isolated,
            (const jbyte *)blobs[ATTACH_BLOB_BOOTSTRAP_CLASS].at, (jsize)blobs[ATTACH_BLOB_BOOTSTRAP_CLASS].length);
    jclass function = begin == NULL ? NULL : class_find(env, "java/util/function/Function");
    java_apply = function == NULL ? NULL
            : (*env)->GetMethodID(env, function, "apply", "(Ljava/lang/Object;)Ljava/lang/Object;");
    jobject first = java_apply == NULL ? NULL : (*env)->AllocObject(env, begin);
    jclass object = first == NULL ? NULL : class_find(env, "java/lang/Object");
    if (object == NULL) {
        *failure = failure_of_exception(env, FAILURE_CLASSES);
        return NULL;
    }
    jobjectArray arguments =
            (*env)->NewObjectArray(env, ATTACH_BLOB_EVENT_LOG - ATTACH_BLOB_HOST_ENTRIES, object, NULL);
    for (int i = ATTACH_BLOB_HOST_ENTRIES; i < ATTACH_BLOB_EVENT_LOG && arguments != NULL; i++) {
        bool absent = i == ATTACH_BLOB_CLIENT_DATA && (flags & ATTACH_FLAG_DATA) == 0;
        jbyteArray bytes = absent ? NULL : java_new_bytes(env, &blobs[i]);
        if (bytes == NULL && !absent) {
            arguments = NULL;
            break;
        }
        (*env)->SetObjectArrayElement(env, arguments, i - ATTACH_BLOB_HOST_ENTRIES, bytes);
        (*env)->DeleteLocalRef(env, bytes);
    }
    if (arguments == NULL) {
        *failure = failure_of_exception(env, FAILURE_NO_MEMORY);
        return NULL;
    }
    jobjectArray made = (*env)->CallObjectMethod(env, first, java_apply, arguments);
    if (made == NULL || (*env)->ExceptionCheck(env)) {
        *failure = failure_of_exception(env, FAILURE_BOOTSTRAP);
        return NULL;
    }
    return made;
}

/* Returns a weak reference to the loader of a class; NULL if that fails. */
static jweak java_weak_loader(JNIEnv *env, jclass class) {
    jclass of = (*env)->GetObjectClass(env, class);
    jmethodID get = (*env)->GetMethodID(env, of, "getClassLoader", "()Ljava/lang/ClassLoader;");
    jobject loader = get == NULL ? NULL : (*env)->CallObjectMethod(env, class, get);
    jweak weak = (*env)->ExceptionCheck(env) || loader == NULL ? NULL : (*env)->NewWeakGlobalRef(env, loader);
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, loader);
    (*env)->DeleteLocalRef(env, of);
    return weak;
}

/* Keeps the objects that the Java half created. */
static enum failure java_keep(JNIEnv *env, jobjectArray made) {
    if (!class_is(env, made, "[Ljava/lang/Object;") || (*env)->GetArrayLength(env, made) != UPCALL_KIND_COUNT + 1) {
        return FAILURE_JAVA_HALF;
    }
    jobject vm = (*env)->GetObjectArrayElement(env, made, 0);
    java_vm_class = (*env)->NewGlobalRef(env, vm);
    java_class_loader_of_profiler = java_weak_loader(env, vm);
    for (int i = 0; i < UPCALL_KIND_COUNT; i++) {
        jobject upcall = (*env)->GetObjectArrayElement(env, made, i + 1);
        java_upcalls[i] = (*env)->NewGlobalRef(env, upcall);
        (*env)->DeleteLocalRef(env, upcall);
    }
    java_started = true;
    return FAILURE_NONE;
}

/*
 * Defines the Java half and keeps its objects. Returns NULL and the class whose native methods are to be registered;
 * NULL and a failure; or the answer to the trigger if the Java half refuses the profiler or fails: a byte[] with a
 * frame's type and content, or a string.
 */
jobject java_start(JNIEnv *env, const struct attach *attach, jclass *natives, enum failure *failure) {
    jobjectArray made = java_bootstrap(env, attach->blobs, attach->flags, failure);
    if (made == NULL || class_is(env, made, "java/lang/String") || class_is(env, made, "[B")) {
        return made;
    }
    *failure = java_keep(env, made);
    *natives = *failure == FAILURE_NONE ? java_vm_class : NULL;
    return NULL;
}

bool java_is_started(void) {
    return java_started;
}

/*
 * Returns true if a command would reach the profiler. The object that retains the profiler need not retain the command
 * handler.
 */
bool java_takes_commands(JNIEnv *env) {
    return java_upcalls[UPCALL_KIND_COMMAND] != NULL
            || (java_late_command != NULL && !(*env)->IsSameObject(env, java_late_command, NULL));
}

/*
 * Calls the Java half, which throws nothing itself. Exceptions thrown by the VM, such as StackOverflowError, are
 * cleared.
 */
static jobject java_invoke(JNIEnv *env, enum upcall_kind kind, jobject argument) {
    jobject target = kind == UPCALL_KIND_COMMAND && java_upcalls[kind] == NULL
            ? (*env)->NewLocalRef(env, java_late_command) : java_upcalls[kind];
    jobject result = target == NULL ? NULL : (*env)->CallObjectMethod(env, target, java_apply, argument);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    return result;
}

/* Makes a call that is not refused during a detach. Only for the host's thread, which begins the rundown itself. */
jobject java_ask(JNIEnv *env, enum upcall_kind kind, jobject argument) {
    int slot = callback_show(kind);
    jobject result = java_invoke(env, kind, argument);
    callback_hide(slot);
    return result;
}

/* Delivers an event on any thread; events are dropped once a detach has begun. */
void java_deliver(JNIEnv *env, enum upcall_kind kind, jobject argument) {
    int slot;
    if (callback_enter(kind, &slot)) {
        jobject ignored = java_invoke(env, kind, argument);
        if (ignored != NULL) {
            (*env)->DeleteLocalRef(env, ignored);
        }
        callback_leave(slot);
    }
}

/*
 * Asks for the class file with probes of a class that is being redefined: an Object[] of the class, its class file, and
 * null if the host itself redefines it. Returns a byte[], or NULL if the class file stays as it is. A thread that
 * already runs a call of the host is counted, and a second count would hide its first.
 */
jobject java_redefine(JNIEnv *env, jobject argument) {
    int slot;
    if (callback_is_inside()) {
        return java_invoke(env, UPCALL_KIND_CLASS_REDEFINED, argument);
    }
    if (!callback_enter(UPCALL_KIND_CLASS_REDEFINED, &slot)) {
        return NULL;
    }
    jobject result = java_invoke(env, UPCALL_KIND_CLASS_REDEFINED, argument);
    callback_leave(slot);
    return result;
}

void java_drop(JNIEnv *env) {
    java_late_command = java_upcalls[UPCALL_KIND_COMMAND] == NULL ? NULL
            : (*env)->NewWeakGlobalRef(env, java_upcalls[UPCALL_KIND_COMMAND]);
    for (int i = 0; i < UPCALL_KIND_COUNT; i++) {
        (*env)->DeleteGlobalRef(env, java_upcalls[i]);
        java_upcalls[i] = NULL;
    }
    if (java_vm_class != NULL) {
        (*env)->UnregisterNatives(env, java_vm_class);
        (*env)->DeleteGlobalRef(env, java_vm_class);
        java_vm_class = NULL;
    }
    java_started = false;
}

/* Returns true if the loader, and with it every class and object of the profiler, has been collected. */
bool java_is_gone(JNIEnv *env) {
    return java_class_loader == NULL || (*env)->IsSameObject(env, java_class_loader, NULL);
}

/* Returns a local reference to the loader, which retains it; NULL if it has been collected. */
jobject java_loader(JNIEnv *env) {
    return java_class_loader == NULL ? NULL : (*env)->NewLocalRef(env, java_class_loader);
}

/* Returns a local reference to the loader of the profiler's classes; NULL if it has been collected or is unknown. */
jobject java_profilers_loader(JNIEnv *env) {
    return java_class_loader_of_profiler == NULL ? NULL : (*env)->NewLocalRef(env, java_class_loader_of_profiler);
}

/* Keeps a weak reference to the loader of the classes for probes, which the Java half creates with the first probe. */
void java_know_probes_loader(JNIEnv *env, jobject loader) {
    if (java_class_loader_of_probes == NULL && loader != NULL) {
        java_class_loader_of_probes = (*env)->NewWeakGlobalRef(env, loader);
        (*env)->ExceptionClear(env);
    }
}

/* Returns a local reference to the loader of the classes for probes; NULL if it is unknown or has been collected. */
jobject java_probes_loader(JNIEnv *env) {
    return java_class_loader_of_probes == NULL ? NULL : (*env)->NewLocalRef(env, java_class_loader_of_probes);
}

void java_forget(JNIEnv *env) {
    if (java_class_loader_of_probes != NULL) {
        (*env)->DeleteWeakGlobalRef(env, java_class_loader_of_probes);
        java_class_loader_of_probes = NULL;
    }
    if (java_class_loader_of_profiler != NULL) {
        (*env)->DeleteWeakGlobalRef(env, java_class_loader_of_profiler);
        java_class_loader_of_profiler = NULL;
    }
    if (java_class_loader != NULL) {
        (*env)->DeleteWeakGlobalRef(env, java_class_loader);
        java_class_loader = NULL;
    }
    if (java_late_command != NULL) {
        (*env)->DeleteWeakGlobalRef(env, java_late_command);
        java_late_command = NULL;
    }
}
