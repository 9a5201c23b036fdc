/*
 * The objects for whose monitors threads wait, as the JVM states them: the memory of an object is not read, because a
 * collector may move it. There are two sources. The JDK's management has the name of the class, the identity and the
 * owner, but it is asked only if the program itself has loaded the management's library, which would stay mapped
 * otherwise. The JVM's snapshot of a thread (JDK 25 and later) has the object.
 */
#define _GNU_SOURCE
#include "polling.h"
#include "classes.h"
#include "clock.h"
#include "management.h"
#include "runtimes.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

/* JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER, and the ordinal of jdk.internal.vm.ThreadSnapshot.BlockerLockType. */
enum { BLOCKED_ON_MONITOR_ENTER = 0x400, WAITING_TO_LOCK = 1 };

/* The references that are used for one thread. */
enum { LOCALS = 16 };

/* The program may load the library of the management at any time; it is never unloaded. */
#define LOADED_CHECK_NANOS 1000000000ull

/* Only the host's thread calls this. */
static bool polling_may_manage(void) {
    static bool loaded;
    static uint64_t next;
    if (!loaded && now_monotonic() >= next) {
        loaded = management_is_loaded();
        next = now_monotonic() + LOADED_CHECK_NANOS;
    }
    return loaded;
}

static jfieldID polling_field(JNIEnv *env, jclass class, const char *name, const char *type) {
    jfieldID field = class == NULL || (*env)->ExceptionCheck(env) ? NULL : (*env)->GetFieldID(env, class, name, type);
    (*env)->ExceptionClear(env);
    return field;
}

/* The fields of java.lang.management.ThreadInfo and LockInfo. */
struct info_fields {
    jfieldID state;
    jfieldID lock;
    jfieldID owner;
    jfieldID class_name;
    jfieldID identity;
    jobject blocked;                /* Thread.State.BLOCKED */
};

static bool info_fields(JNIEnv *env, struct info_fields *fields) {
    jclass info = class_find(env, "java/lang/management/ThreadInfo");
    jclass lock = class_find(env, "java/lang/management/LockInfo");
    jclass state = class_find(env, "java/lang/Thread$State");
    jfieldID blocked = state == NULL ? NULL
            : (*env)->GetStaticFieldID(env, state, "BLOCKED", "Ljava/lang/Thread$State;");
    *fields = (struct info_fields){
        polling_field(env, info, "threadState", "Ljava/lang/Thread$State;"),
        polling_field(env, info, "lock", "Ljava/lang/management/LockInfo;"),
        polling_field(env, info, "lockOwnerId", "J"), polling_field(env, lock, "className", "Ljava/lang/String;"),
        polling_field(env, lock, "identityHashCode", "I"),
        blocked == NULL ? NULL : (*env)->GetStaticObjectField(env, state, blocked),
    };
    (*env)->ExceptionClear(env);
    return fields->state != NULL && fields->lock != NULL && fields->owner != NULL && fields->class_name != NULL
            && fields->identity != NULL && fields->blocked != NULL;
}

/* Takes the monitor from what the management says about a thread. */
static void polling_take_info(JNIEnv *env, const struct info_fields *fields, jobject info, jsize at, jobjectArray found,
        jlongArray values) {
    jobject state = info == NULL ? NULL : (*env)->GetObjectField(env, info, fields->state);
    jobject lock = state == NULL || !(*env)->IsSameObject(env, state, fields->blocked) ? NULL
            : (*env)->GetObjectField(env, info, fields->lock);
    jobject name = lock == NULL ? NULL : (*env)->GetObjectField(env, lock, fields->class_name);
    if (name != NULL) {
        jlong pair[] = {(*env)->GetIntField(env, lock, fields->identity),
            (*env)->GetLongField(env, info, fields->owner)};
        (*env)->SetObjectArrayElement(env, found, at, name);
        (*env)->SetLongArrayRegion(env, values, 2 * at, 2, pair);
    }
}

static void polling_manage(JNIEnv *env, jlongArray numbers, jobjectArray found, jlongArray values) {
    struct info_fields fields;
    jobjectArray infos = management_thread_infos(env, numbers);
    jsize count = infos == NULL || !info_fields(env, &fields) ? 0 : (*env)->GetArrayLength(env, infos);
    for (jsize i = 0; i < count && (*env)->PushLocalFrame(env, LOCALS) == 0; i++) {
        polling_take_info(env, &fields, (*env)->GetObjectArrayElement(env, infos, i), i, found, values);
        (*env)->PopLocalFrame(env, NULL);
    }
    (*env)->ExceptionClear(env);
}

/* Takes the object for whose monitor a thread waits from the JVM's snapshot of the thread. */
static void polling_take_snapshot(JNIEnv *env, jobject snapshot, jsize at, jobjectArray found) {
    jclass class = snapshot == NULL ? NULL : (*env)->GetObjectClass(env, snapshot);
    jfieldID status = polling_field(env, class, "threadStatus", "I");
    jfieldID kind = polling_field(env, class, "blockerTypeOrdinal", "I");
    jfieldID object = polling_field(env, class, "blockerObject", "Ljava/lang/Object;");
    if (status != NULL && kind != NULL && object != NULL
            && ((*env)->GetIntField(env, snapshot, status) & BLOCKED_ON_MONITOR_ENTER) != 0
            && (*env)->GetIntField(env, snapshot, kind) == WAITING_TO_LOCK) {
        (*env)->SetObjectArrayElement(env, found, at, (*env)->GetObjectField(env, snapshot, object));
    }
}

typedef jobject (JNICALL *snapshot_function)(JNIEnv *, jobject);

/* Returns JVM_CreateThreadSnapshot of this JVM; NULL if it has none. Only the host's thread calls this. */
static snapshot_function polling_snapshot_function(void) {
    static bool known;
    static snapshot_function create;
    void *jvm = known ? NULL : runtime_library();
    if (jvm != NULL) {
        create = (snapshot_function)(uintptr_t)dlsym(jvm, "JVM_CreateThreadSnapshot");
        known = true;
        dlclose(jvm);
    }
    return create;
}

static void polling_snapshot(JNIEnv *env, snapshot_function create, jobjectArray blocked, jobjectArray found) {
    jsize count = create == NULL ? 0 : (*env)->GetArrayLength(env, blocked);
    for (jsize i = 0; i < count && (*env)->PushLocalFrame(env, LOCALS) == 0; i++) {
        jobject snapshot = create(env, (*env)->GetObjectArrayElement(env, blocked, i));
        bool threw = (*env)->ExceptionCheck(env);
        (*env)->ExceptionClear(env);
        polling_take_snapshot(env, threw ? NULL : snapshot, i, found);
        (*env)->PopLocalFrame(env, NULL);
    }
    (*env)->ExceptionClear(env);
}

/*
 * For each blocked thread, whose numbers are given: writes the name of the class of the object for whose monitor it
 * waits, with the identity of the object and the number of the owner or -1 in two of the values; or the object alone,
 * and the two values stay as they are; or nothing, if it does not wait any more or the JVM does not state the object.
 */
void polling_monitors(JNIEnv *env, jobjectArray live, jobjectArray blocked, jlongArray numbers, jobjectArray found,
        jlongArray values) {
    if (polling_may_manage() && !management_would_call_program(env, live)) {
        polling_manage(env, numbers, found, values);
    } else {
        polling_snapshot(env, polling_snapshot_function(), blocked, found);
    }
}
