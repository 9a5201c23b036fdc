/* The objects for whose monitors threads wait, from a planted JVM. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
static uint64_t now = 1;
static void *planted_dlsym(void *library, const char *name);
static int planted_dlclose(void *library);
static inline uint64_t now_monotonic(void) { return now; }
#define MAYFLY_CLOCK_H
#define MAYFLY_OLD_GLIBC_H
#define dlsym planted_dlsym
#define dlclose planted_dlclose
#include "../../main/c/polling.c"
#undef dlsym
#undef dlclose

#include "check.h"

enum { THREADS = 3 };

/* Fields and methods are the addresses of these. */
static int field_state, field_lock, field_owner, field_name, field_identity, field_blocked;
static int field_status, field_kind, field_object;
static int class_thread, class_snapshot, class_other;
static int state_blocked, state_waiting, name_text, monitor;

/* A thread, what the management and the JVM's snapshot say about it. */
static struct thread {
    void *class;
    void *state;                /* NULL: no info */
    bool has_lock;
    jlong owner;
    jint status;
    jint kind;
    bool has_snapshot;
} threads[THREADS];

static bool calls_program;      /* the management would call the program */
static bool is_loaded;
static bool has_create;
static bool throws;
static bool pending;
static const char *missing = "";
static int checks;
static int frames;
static int library;
static int libraries;

static void *found[THREADS];
static jlong values[2 * THREADS];
static int found_array, values_array, live_array, blocked_array, numbers_array, infos_array;

bool management_is_loaded(void) {
    checks++;
    return is_loaded;
}

bool management_would_call_program(JNIEnv *env, jobjectArray live) {
    (void)env;
    CHECK((void *)live == &live_array);
    return calls_program;
}

jobjectArray management_thread_infos(JNIEnv *env, jlongArray numbers) {
    (void)env;
    CHECK((void *)numbers == &numbers_array && is_loaded);
    return throws ? NULL : (jobjectArray)&infos_array;
}

void *runtime_library(void) {
    libraries++;
    return &library;
}

static int planted_dlclose(void *closed) {
    CHECK(closed == &library && libraries-- > 0);
    return 0;
}

static jobject JNICALL create(JNIEnv *env, jobject thread) {
    (void)env;
    pending = throws;
    return ((struct thread *)thread)->has_snapshot ? thread : NULL;
}

static void *planted_dlsym(void *in, const char *name) {
    CHECK(in == &library && strcmp(name, "JVM_CreateThreadSnapshot") == 0);
    return has_create ? (void *)(uintptr_t)create : NULL;
}

jclass class_find(JNIEnv *env, const char *name) {
    (void)env;
    return strcmp(name, missing) == 0 ? NULL
            : strcmp(name, "java/lang/Thread") == 0 ? (jclass)&class_thread : (jclass)&class_other;
}

static jfieldID JNICALL field(JNIEnv *env, jclass class, const char *name, const char *type) {
    static const struct { const char *name; int *field; } all[] = {
        {"threadState", &field_state}, {"lock", &field_lock}, {"lockOwnerId", &field_owner},
        {"className", &field_name}, {"identityHashCode", &field_identity}, {"threadStatus", &field_status},
        {"blockerTypeOrdinal", &field_kind}, {"blockerObject", &field_object},
    };
    (void)env;
    (void)class;
    (void)type;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(name, all[i].name) == 0 && strcmp(name, missing) != 0) {
            return (jfieldID)all[i].field;
        }
    }
    pending = true;
    return NULL;
}

static jfieldID JNICALL static_field(JNIEnv *env, jclass class, const char *name, const char *type) {
    (void)env;
    (void)class;
    (void)type;
    CHECK(strcmp(name, "BLOCKED") == 0);
    return (jfieldID)&field_blocked;
}

static jobject JNICALL static_object(JNIEnv *env, jclass class, jfieldID of) {
    (void)env;
    (void)class;
    CHECK((void *)of == &field_blocked);
    return (jobject)&state_blocked;
}

static jobject JNICALL get_object(JNIEnv *env, jobject in, jfieldID of) {
    struct thread *thread = (struct thread *)in;
    (void)env;
    return (jobject)((void *)of == &field_state ? thread->state
            : (void *)of == &field_lock ? (thread->has_lock ? (void *)thread : NULL)
            : (void *)of == &field_name ? (void *)&name_text : (void *)&monitor);
}

static jint JNICALL get_int(JNIEnv *env, jobject in, jfieldID of) {
    struct thread *thread = (struct thread *)in;
    (void)env;
    return (void *)of == &field_identity ? 77 : (void *)of == &field_status ? thread->status : thread->kind;
}

static jlong JNICALL get_long(JNIEnv *env, jobject in, jfieldID of) {
    (void)env;
    CHECK((void *)of == &field_owner);
    return ((struct thread *)in)->owner;
}

static jobject JNICALL element(JNIEnv *env, jobjectArray array, jsize at) {
    (void)env;
    CHECK(at >= 0 && at < THREADS);
    return (void *)array == &infos_array && threads[at].state == NULL ? NULL : (jobject)&threads[at];
}

static void JNICALL set_element(JNIEnv *env, jobjectArray array, jsize at, jobject value) {
    (void)env;
    CHECK((void *)array == &found_array && at >= 0 && at < THREADS);
    found[at] = (void *)value;
}

static void JNICALL set_longs(JNIEnv *env, jlongArray array, jsize from, jsize count, const jlong *from_values) {
    (void)env;
    CHECK((void *)array == &values_array && count == 2 && from >= 0 && from + 2 <= 2 * THREADS);
    memcpy(values + from, from_values, 2 * sizeof *values);
}

static jclass JNICALL class_of(JNIEnv *env, jobject object) {
    (void)env;
    void *class = ((struct thread *)object)->class;
    return (jclass)(frames > 0 ? (void *)&class_snapshot : class);
}

static jint JNICALL push(JNIEnv *env, jint count) { (void)env; CHECK(count == LOCALS); frames++; return 0; }
static jobject JNICALL pop(JNIEnv *env, jobject result) { (void)env; CHECK(frames-- > 0); return result; }
static jboolean JNICALL same(JNIEnv *env, jobject a, jobject b) { (void)env; return a == b; }
static jboolean JNICALL check(JNIEnv *env) { (void)env; return pending; }
static void JNICALL clear(JNIEnv *env) { (void)env; pending = false; }
static void JNICALL delete_local(JNIEnv *env, jobject reference) { (void)env; (void)reference; }
static jsize JNICALL length_of(JNIEnv *env, jarray array) { (void)env; (void)array; return THREADS; }

static const struct JNINativeInterface_ functions = {
    .GetFieldID = field, .GetStaticFieldID = static_field,
    .GetStaticObjectField = static_object, .GetObjectField = get_object, .GetIntField = get_int,
    .GetLongField = get_long, .GetObjectArrayElement = element, .SetObjectArrayElement = set_element,
    .SetLongArrayRegion = set_longs, .GetObjectClass = class_of, .PushLocalFrame = push, .PopLocalFrame = pop,
    .IsSameObject = same, .ExceptionCheck = check, .ExceptionClear = clear, .DeleteLocalRef = delete_local,
    .GetArrayLength = length_of};
static JNIEnv env = &functions;

/* The first thread waits for a monitor with an owner, the second for one without, and the third waits no more. */
static void plant(void) {
    throws = pending = false;
    missing = "";
    has_create = true;
    calls_program = false;
    for (int i = 0; i < THREADS; i++) {
        threads[i] = (struct thread){&class_thread, &state_blocked, true, 21 + i, 0x401, WAITING_TO_LOCK, true};
    }
    threads[1].owner = -1;
    threads[2].state = &state_waiting;
    threads[2].status = 0x191;
}

static void look(void) {
    memset(found, 0, sizeof found);
    memset(values, 0, sizeof values);
    polling_monitors(&env, (jobjectArray)&live_array, (jobjectArray)&blocked_array, (jlongArray)&numbers_array,
            (jobjectArray)&found_array, (jlongArray)&values_array);
    CHECK(!pending && frames == 0 && libraries == 0);
}

static void checkSnapshots(void *expected) {
    CHECK(found[0] == expected && found[1] == expected && found[2] == NULL && values[0] == 0 && values[1] == 0);
}

static void withoutTheManagementsLibraryTheObjectIsThatOfTheSnapshot(void) {
    plant();
    look();
    checkSnapshots(&monitor);
    has_create = false;
    look();
    checkSnapshots(&monitor);   /* the function is known by now */
    memset(found, 0, sizeof found);
    polling_snapshot(&env, NULL, (jobjectArray)&blocked_array, (jobjectArray)&found_array);
    checkSnapshots(NULL);
}

static void anObjectThatAThreadDoesNotWaitToLockIsNotReported(void) {
    plant();
    threads[0].kind = 0;
    threads[1].has_snapshot = false;
    look();
    CHECK(found[0] == NULL && found[1] == NULL && found[2] == NULL);
    plant();
    throws = true;
    look();
    checkSnapshots(NULL);
    static const char *const fields[] = {"threadStatus", "blockerTypeOrdinal", "blockerObject"};
    for (int i = 0; i < 3; i++) {
        plant();
        missing = fields[i];
        look();
        checkSnapshots(NULL);
    }
}

static void theManagementsLibraryIsLookedForOnceASecondUntilItIsLoaded(void) {
    plant();
    now += LOADED_CHECK_NANOS;
    checks = 0;
    look();
    look();
    now += LOADED_CHECK_NANOS - 1;
    look();
    CHECK(checks == 1);
    is_loaded = true;
    look();
    checkSnapshots(&monitor);
    now++;
    look();
    CHECK(checks == 2 && found[0] == &name_text);
    now += 5 * LOADED_CHECK_NANOS;
    look();
    CHECK(checks == 2);
}

static void theManagementStatesClassIdentityAndOwner(void) {
    plant();
    look();
    CHECK(found[0] == &name_text && values[0] == 77 && values[1] == 21);
    CHECK(found[1] == &name_text && values[2] == 77 && values[3] == -1);
    CHECK(found[2] == NULL && values[4] == 0 && values[5] == 0);
    threads[0].state = NULL;
    threads[1].has_lock = false;
    look();
    CHECK(found[0] == NULL && found[1] == NULL);
    plant();
    throws = true;
    look();
    checkSnapshots(NULL);
    static const char *const names[] = {"threadState", "lock", "lockOwnerId", "className", "identityHashCode"};
    for (int i = 0; i < 5; i++) {
        plant();
        missing = names[i];
        look();
        checkSnapshots(NULL);
    }
}

static void theManagementIsNotAskedIfItWouldCallTheProgram(void) {
    plant();
    look();
    CHECK(found[0] == &name_text);
    calls_program = true;
    look();
    checkSnapshots(&monitor);
}

int main(void) {
    RUN(withoutTheManagementsLibraryTheObjectIsThatOfTheSnapshot);
    RUN(anObjectThatAThreadDoesNotWaitToLockIsNotReported);
    RUN(theManagementsLibraryIsLookedForOnceASecondUntilItIsLoaded);
    RUN(theManagementStatesClassIdentityAndOwner);
    RUN(theManagementIsNotAskedIfItWouldCallTheProgram);
}
