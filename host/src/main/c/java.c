/*
 * The Java half: classes defined from memory in a loader of their own, called through interfaces of the JDK, so that the
 * VM makes no method id for classes that shall go. Everything that holds it is in this file.
 */
#define _GNU_SOURCE
#include "host.h"

#include <string.h>

/* What ATTACH brings, in its order; docs/formats/host-channel.md. */
enum blob { LOADER_CLASS, BOOTSTRAP_CLASS, HOST_ENTRIES, PROFILER_ENTRIES, PROFILER_CLASS, EVENTS, CLIENT_DATA, RUNTIME, EVENT_LOG, BLOBS };

enum { FIRST_BLOB = 28, FLAGS_AT = 24 };
/* Bytes of a request that every heap has room for; and how many times as many a larger one takes, copies and classes. */
enum { SMALL = 1 << 20, ROOM = 4 };

static jmethodID apply;         /* java.util.function.Function.apply, of the JDK: it stays */
static jobject upcalls[UPCALLS];
static jweak late_command;      /* what takes commands while something keeps the profiler; null when it has been collected */
static jclass natives;
static jweak loader;            /* of the loader; null when it has been collected */

static uint32_t word(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put(uint8_t *at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

static bool split(const struct bytes *payload, struct bytes *blobs) {
    size_t at = FIRST_BLOB;
    for (int i = 0; i < BLOBS; i++) {
        if (payload->length - at < 4 || payload->length < at) {
            return false;
        }
        blobs[i].length = word(payload->at + at);
        blobs[i].at = payload->at + at + 4;
        if (blobs[i].length > payload->length - at - 4) {
            return false;
        }
        at += 4 + blobs[i].length;
    }
    return at == payload->length;
}

static jbyteArray array(JNIEnv *env, const struct bytes *bytes) {
    jbyteArray result = (*env)->NewByteArray(env, (jsize)bytes->length);
    if (result != NULL) {
        (*env)->SetByteArrayRegion(env, result, 0, (jsize)bytes->length, (const jbyte *)bytes->at);
    }
    return result;
}

/* Bytes that the heap may still grow by or has free; what is garbage counts as used. */
static jlong free_bytes(JNIEnv *env) {
    static const char *const names[] = {"maxMemory", "totalMemory", "freeMemory"};
    jlong values[3] = {0};
    if ((*env)->PushLocalFrame(env, 8) != 0) {
        return 0;
    }
    jclass class = class_find(env, "java/lang/Runtime");
    jmethodID get = class == NULL ? NULL : (*env)->GetStaticMethodID(env, class, "getRuntime", "()Ljava/lang/Runtime;");
    jobject runtime = get == NULL ? NULL : (*env)->CallStaticObjectMethod(env, class, get);
    for (int i = 0; i < 3 && runtime != NULL && !(*env)->ExceptionCheck(env); i++) {
        jmethodID method = (*env)->GetMethodID(env, class, names[i], "()J");
        values[i] = method == NULL ? 0 : (*env)->CallLongMethod(env, runtime, method);
    }
    bool failed = (*env)->ExceptionCheck(env);
    (*env)->ExceptionClear(env);
    (*env)->PopLocalFrame(env, NULL);
    return failed ? 0 : values[0] - values[1] + values[2];
}

/*
 * Whether the program's heap has room for a large request and what is made of it. Without it there would be an
 * OutOfMemoryError, on which a JVM may have been told to end, or to write a dump.
 */
bool java_has_room(JNIEnv *env, size_t bytes) {
    jlong needed = (jlong)bytes * ROOM;
    if (bytes < SMALL || free_bytes(env) >= needed) {
        return true;
    }
    events_collect(env);
    return free_bytes(env) >= needed;
}

/* The frame by which the trigger is told so. */
static jbyteArray refusal(JNIEnv *env, enum status status, const char *why) {
    uint32_t length = (uint32_t)strlen(why);
    uint8_t head[] = {FRAME_RESULT, (uint8_t)status, 0, 0, 0, (uint8_t)length, (uint8_t)(length >> 8), 0, 0};
    uint8_t detail[4] = {0};
    jbyteArray frame = (*env)->NewByteArray(env, (jsize)(sizeof head + length + sizeof detail));
    if (frame != NULL) {
        (*env)->SetByteArrayRegion(env, frame, 0, sizeof head, (const jbyte *)head);
        (*env)->SetByteArrayRegion(env, frame, sizeof head, (jsize)length, (const jbyte *)why);
        (*env)->SetByteArrayRegion(env, frame, (jsize)(sizeof head + length), sizeof detail, (const jbyte *)detail);
    }
    return frame;
}

/* A loader whose parent is the platform's, for two classes: one that loads all others, and one that begins. */
static jobject new_loader(JNIEnv *env) {
    jclass class_loader = class_find(env, "java/lang/ClassLoader");
    jclass secure = class_find(env, "java/security/SecureClassLoader");
    if (class_loader == NULL || secure == NULL) {
        return NULL;
    }
    jmethodID platform = (*env)->GetStaticMethodID(env, class_loader, "getPlatformClassLoader", "()Ljava/lang/ClassLoader;");
    jmethodID constructor = (*env)->GetMethodID(env, secure, "<init>", "(Ljava/lang/ClassLoader;)V");
    if (platform == NULL || constructor == NULL) {
        return NULL;
    }
    jobject parent = (*env)->CallStaticObjectMethod(env, class_loader, platform);
    return (*env)->ExceptionCheck(env) ? NULL : (*env)->NewObject(env, secure, constructor, parent);
}

/*
 * mayfly.host.Bootstrap.apply: an Object[] in, an Object[] out, whose first element is the answer to the trigger, then the
 * class with the native methods, then the objects to call, by their kinds.
 */
static jobjectArray bootstrap(JNIEnv *env, const struct bytes *blobs, uint32_t flags) {
    jobject isolated = new_loader(env);
    if (isolated == NULL) {
        return NULL;
    }
    loader = (*env)->NewWeakGlobalRef(env, isolated);
    jclass memory = (*env)->DefineClass(env, NULL, isolated, (const jbyte *)blobs[LOADER_CLASS].at,
            (jsize)blobs[LOADER_CLASS].length);
    jclass begin = memory == NULL ? NULL : (*env)->DefineClass(env, NULL, isolated,
            (const jbyte *)blobs[BOOTSTRAP_CLASS].at, (jsize)blobs[BOOTSTRAP_CLASS].length);
    jclass function = begin == NULL ? NULL : class_find(env, "java/util/function/Function");
    if (function == NULL) {
        return NULL;
    }
    apply = (*env)->GetMethodID(env, function, "apply", "(Ljava/lang/Object;)Ljava/lang/Object;");
    jobject first = apply == NULL ? NULL : (*env)->AllocObject(env, begin);
    jclass object = first == NULL ? NULL : class_find(env, "java/lang/Object");
    jobjectArray arguments = object == NULL ? NULL : (*env)->NewObjectArray(env, EVENT_LOG - HOST_ENTRIES, object, NULL);
    if (arguments == NULL) {
        return NULL;
    }
    for (int i = HOST_ENTRIES; i < EVENT_LOG; i++) {
        bool absent = i == CLIENT_DATA && (flags & 4) == 0;
        jbyteArray bytes = absent ? NULL : array(env, &blobs[i]);
        if (bytes == NULL && !absent) {
            return NULL;
        }
        (*env)->SetObjectArrayElement(env, arguments, i - HOST_ENTRIES, bytes);
        (*env)->DeleteLocalRef(env, bytes);
    }
    return (*env)->CallObjectMethod(env, first, apply, arguments);
}

static bool keep(JNIEnv *env, jobjectArray made) {
    if ((*env)->GetArrayLength(env, made) != UPCALLS + 1) {
        return false;
    }
    jobject vm = (*env)->GetObjectArrayElement(env, made, 0);
    natives = (*env)->NewGlobalRef(env, vm);
    for (int i = 0; i < UPCALLS; i++) {
        jobject upcall = (*env)->GetObjectArrayElement(env, made, i + 1);
        upcalls[i] = (*env)->NewGlobalRef(env, upcall);
        (*env)->DeleteLocalRef(env, upcall);
    }
    return natives_register(env, natives);
}

/* Which of the process's JVMs this is: the trigger has said it, or, at launch, it is looked for and written there. */
static bool place(const struct bytes *runtime) {
    if (runtime->length != 12) {
        return false;
    }
    uint32_t rank = word(runtime->at);
    uint64_t library = word(runtime->at + 4) | (uint64_t)word(runtime->at + 8) << 32;
    if (rank == 0) {
        rank = runtime_rank(&library);
        put(runtime->at, rank, 4);
        put(runtime->at + 4, library, 8);
    }
    record_runtime(rank, library);
    return true;
}

/* The answer to the trigger, as a frame's type and content; a string if the host failed; null if there was no memory. */
jobject java_start(JNIEnv *env, struct job *attach) {
    struct bytes blobs[BLOBS];
    if (!split(&attach->payload, blobs) || !place(&blobs[RUNTIME]) || !log_take(&blobs[EVENT_LOG])) {
        return NULL;
    }
    uint32_t flags = word(attach->payload.at + FLAGS_AT);
    host.lasting_cost_accepted = (flags & 1) != 0;
    host.at_launch = (flags & 8) != 0;
    size_t length = blobs[PROFILER_CLASS].length;
    char name[sizeof host.record->profiler];
    length = length >= sizeof name ? sizeof name - 1 : length;
    memcpy(name, blobs[PROFILER_CLASS].at, length);
    name[length] = 0;
    record_text(host.record->profiler, sizeof host.record->profiler, name);
    if (!java_has_room(env, attach->payload.length)) {
        return refusal(env, ATTACH_REFUSED, "the program's heap has no room for a profiler of that size");
    }
    jobjectArray made = bootstrap(env, blobs, flags);
    if (made == NULL || (*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    if (class_is(env, made, "java/lang/String") || class_is(env, made, "[B")) {
        return made;    /* a failure, or a refusal, before any code of the profiler has run */
    }
    return class_is(env, made, "[Ljava/lang/Object;") && keep(env, made) ? java_ask(env, INITIALIZE, NULL) : NULL;
}

bool java_is_started(void) {
    return upcalls[UPCALLS - 1] != NULL;
}

/* Whether a command would reach the profiler. What keeps it from being unloaded may not keep what takes its commands. */
bool java_takes_commands(JNIEnv *env) {
    return upcalls[COMMAND] != NULL || (late_command != NULL && !(*env)->IsSameObject(env, late_command, NULL));
}

/* The Java half throws nothing; what the VM throws, such as a StackOverflowError, ends here. */
static jobject invoke(JNIEnv *env, enum upcall kind, jobject argument) {
    jobject target = kind == COMMAND && upcalls[kind] == NULL ? (*env)->NewLocalRef(env, late_command) : upcalls[kind];
    jobject result = target == NULL ? NULL : (*env)->CallObjectMethod(env, target, apply, argument);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    return result;
}

/* By the profiler's thread, which begins the rundown itself and is not refused. */
jobject java_ask(JNIEnv *env, enum upcall kind, jobject argument) {
    int slot = callback_show(kind);
    jobject result = invoke(env, kind, argument);
    callback_hide(slot);
    return result;
}

/* An event, on whatever thread; not delivered once a detach has begun. */
void java_tell(JNIEnv *env, enum upcall kind, jobject argument) {
    int slot;
    if (callback_enter(kind, &slot)) {
        jobject ignored = invoke(env, kind, argument);
        if (ignored != NULL) {
            (*env)->DeleteLocalRef(env, ignored);
        }
        callback_leave(slot);
    }
}

void java_drop(JNIEnv *env) {
    late_command = upcalls[COMMAND] == NULL ? NULL : (*env)->NewWeakGlobalRef(env, upcalls[COMMAND]);
    for (int i = 0; i < UPCALLS; i++) {
        (*env)->DeleteGlobalRef(env, upcalls[i]);
        upcalls[i] = NULL;
    }
    if (natives != NULL) {
        (*env)->UnregisterNatives(env, natives);
        (*env)->DeleteGlobalRef(env, natives);
        natives = NULL;
    }
}

/* Whether the loader, and with it every class and object of the profiler, has been collected. */
bool java_is_gone(JNIEnv *env) {
    return loader == NULL || (*env)->IsSameObject(env, loader, NULL);
}

/* The loader, for as long as the reference is kept; NULL if it has gone. */
jobject java_loader(JNIEnv *env) {
    return loader == NULL ? NULL : (*env)->NewLocalRef(env, loader);
}

void java_forget(JNIEnv *env) {
    if (loader != NULL) {
        (*env)->DeleteWeakGlobalRef(env, loader);
        loader = NULL;
    }
    if (late_command != NULL) {
        (*env)->DeleteWeakGlobalRef(env, late_command);
        late_command = NULL;
    }
}
