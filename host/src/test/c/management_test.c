/* The table of the JVM's management, of known and unknown versions. */
#define _GNU_SOURCE
#include <dlfcn.h>
static void *planted_dlsym(void *library, const char *name);
static void *planted_dlopen(const char *path, int flags);
static int planted_dladdr(const void *address, Dl_info *info);
static int planted_dlclose(void *library);
#define dlsym planted_dlsym
#define dlopen planted_dlopen
#define dladdr planted_dladdr
#define dlclose planted_dlclose
#define MAYFLY_OLD_GLIBC_H
#include "../../main/c/management.c"
#undef dlsym
#undef dlopen
#undef dladdr
#undef dlclose

#include "check.h"

static int object;
static int jvm_library;
static int opened;              /* references to libraries */
static bool has_library = true;
static bool exports = true;
static bool is_mapped;
static bool throws;
static bool pending;
static jint jvm_version;        /* for which the JVM has a table */
static jint told_version;       /* which the table states */
static const char *jvm_path = "/jdk/lib/server/libjvm.so";
static char asked_path[PATH_MAX];
static void (*table[64])(void);
static jlongArray asked_numbers;
static jlongArray asked_bytes;

void *runtime_library(void) {
    opened += has_library;
    return has_library ? &jvm_library : NULL;
}

static int planted_dlclose(void *library) {
    CHECK(library != NULL && opened-- > 0);
    return 0;
}

static void *JNICALL get_management(jint version) {
    return version == jvm_version ? (void *)table : NULL;
}

static void *planted_dlsym(void *library, const char *name) {
    CHECK(library == &jvm_library && strcmp(name, "JVM_GetManagement") == 0);
    return exports ? (void *)(uintptr_t)get_management : NULL;
}

static int planted_dladdr(const void *address, Dl_info *info) {
    CHECK(address == (const void *)(uintptr_t)get_management);
    info->dli_fname = jvm_path;
    return jvm_path != NULL;
}

static void *planted_dlopen(const char *path, int flags) {
    CHECK(flags == (RTLD_LAZY | RTLD_NOLOAD));
    strcpy(asked_path, path);
    opened += is_mapped;
    return is_mapped ? &object : NULL;
}

static jint JNICALL get_version(JNIEnv *env) {
    (void)env;
    return told_version;
}

static void JNICALL get_allocated(JNIEnv *env, jlongArray numbers, jlongArray bytes) {
    (void)env;
    asked_numbers = numbers;
    asked_bytes = bytes;
    pending = throws;
}

static jint JNICALL get_infos(JNIEnv *env, jlongArray numbers, jint depth, jobjectArray infos) {
    (void)env;
    CHECK(depth == 0 && (void *)infos == &object);
    asked_numbers = numbers;
    pending = throws;
    return 0;
}

static void JNICALL wrong(void) {
    abort();
}

static jboolean JNICALL check(JNIEnv *env) { (void)env; return pending; }
static void JNICALL clear(JNIEnv *env) { (void)env; pending = false; }
static void JNICALL delete_local(JNIEnv *env, jobject reference) { (void)env; (void)reference; }
static jsize JNICALL length_of(JNIEnv *env, jarray array) { (void)env; (void)array; return 3; }

static int thread_class;
static int numbered_class;      /* the class of the last thread */
static int own_method;
static bool has_thread_id;      /* Thread.threadId exists: JDK 19 and later */
static bool has_numbered;
static int element_at;

static jobject JNICALL element(JNIEnv *env, jobjectArray array, jsize at) {
    (void)env;
    (void)array;
    element_at = at;
    return (jobject)&object;
}

static jclass JNICALL class_of(JNIEnv *env, jobject of) {
    (void)env;
    (void)of;
    return (jclass)(element_at == 2 && has_numbered ? &numbered_class : &thread_class);
}

static jmethodID JNICALL method(JNIEnv *env, jclass class, const char *name, const char *type) {
    (void)env;
    CHECK(strcmp(type, "()J") == 0);
    pending = strcmp(name, "threadId") == 0 && !has_thread_id;
    return pending ? NULL : (jmethodID)((void *)class == &numbered_class ? &own_method : &object);
}

static jboolean JNICALL same(JNIEnv *env, jobject a, jobject b) { (void)env; return a == b; }

static jobjectArray JNICALL dump(JNIEnv *env, jlongArray numbers, jboolean monitors, jboolean locks, jint depth) {
    (void)env;
    CHECK((void *)numbers == &object && monitors && locks && depth == INT_MAX);
    pending = throws;
    return (jobjectArray)&object;
}

static jobjectArray JNICALL new_objects(JNIEnv *env, jsize length, jclass class, jobject initial) {
    (void)env;
    (void)class;
    CHECK(length == 3 && initial == NULL);
    return (jobjectArray)&object;
}

static const struct JNINativeInterface_ functions = {
    .ExceptionCheck = check, .ExceptionClear = clear, .DeleteLocalRef = delete_local, .GetArrayLength = length_of,
    .NewObjectArray = new_objects, .GetObjectArrayElement = element, .GetObjectClass = class_of,
    .GetMethodID = method, .IsSameObject = same};
static JNIEnv env = &functions;

static bool has_class = true;

jclass class_find(JNIEnv *jni, const char *name) {
    (void)jni;
    if (strcmp(name, "java/lang/Thread") == 0) {
        return (jclass)&thread_class;
    }
    CHECK(strcmp(name, "java/lang/management/ThreadInfo") == 0);
    return has_class ? (jclass)&object : NULL;
}

static void plant(jint version, int allocated) {
    jvm_version = told_version = version;
    throws = pending = false;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        table[i] = wrong;
    }
    table[GET_VERSION] = (void (*)(void))get_version;
    table[4] = (void (*)(void))get_infos;
    table[allocated] = (void (*)(void))get_allocated;
}

/* Later than all versions of the table that are known. */
enum { UNKNOWN = 0x20ff0000 };

static struct management found(void) {
    void *jvm = runtime_library();
    struct management management = management_find(&env, jvm);
    planted_dlclose(jvm);
    return management;
}

static void onlyATableOfAKnownVersionIsUsed(void) {
    static const struct { jint version; int allocated; } known[] = {
        {0x20030000, 10}, {0x20040000, 11}, {0x20050000, 11},
    };
    for (int i = 0; i < 3; i++) {
        plant(known[i].version, known[i].allocated);
        CHECK(found().row->allocated == known[i].allocated && found().row->thread_info == 4);
        told_version++;
        CHECK(found().row == NULL);
        plant(known[i].version, known[i].allocated);
        table[GET_VERSION] = NULL;
        CHECK(found().row == NULL);
    }
    plant(UNKNOWN, 11);
    CHECK(found().row == NULL);
    exports = false;
    CHECK(found().row == NULL);
    exports = true;
}

/* Before the first success, so that none is known. */
static void aJvmWithoutATableCountsNothing(void) {
    plant(UNKNOWN, 11);
    CHECK(!management_is_known(&env) && !management_allocated(&env, (jlongArray)&object, (jlongArray)&object));
    CHECK(management_thread_infos(&env, (jlongArray)&object) == NULL && opened == 0);
    CHECK(management_state(&env, NULL, true) == MANAGEMENT_STATE_UNKNOWN_VERSION);
    CHECK(management_dump(&env, (jlongArray)&object) == NULL && opened == 0);
    has_library = false;
    CHECK(!management_is_known(&env) && !management_is_loaded() && opened == 0);
    has_library = true;
}

static void theBytesAreThoseOfTheTableUnlessItThrows(void) {
    static int numbers;
    static int bytes;
    plant(0x20040000, 11);
    CHECK(management_allocated(&env, (jlongArray)&numbers, (jlongArray)&bytes));
    CHECK((void *)asked_numbers == &numbers && (void *)asked_bytes == &bytes);
    throws = true;
    CHECK(!management_allocated(&env, (jlongArray)&numbers, (jlongArray)&bytes) && !pending);
    exports = false;
    CHECK(management_is_known(&env) && opened == 0);    /* the table is known by now */
    exports = true;
}

static void theInfosAreThoseOfTheTableUnlessItThrowsOrTheModuleIsMissing(void) {
    plant(0x20040000, 11);
    CHECK((void *)management_thread_infos(&env, (jlongArray)&object) == &object);
    throws = true;
    CHECK(management_thread_infos(&env, (jlongArray)&object) == NULL && !pending);
    has_class = false;
    CHECK(management_thread_infos(&env, (jlongArray)&object) == NULL);
    has_class = true;
}

static void theLibraryIsThatOfTheSameJdkAndIsNotLoaded(void) {
    static char long_path[PATH_MAX + 100];
    is_mapped = true;
    CHECK(management_is_loaded() && strcmp(asked_path, "/jdk/lib/server/../libmanagement.so") == 0 && opened == 0);
    is_mapped = false;
    CHECK(!management_is_loaded() && opened == 0);
    is_mapped = true;
    jvm_path = "libjvm.so";
    CHECK(!management_is_loaded() && opened == 0);
    jvm_path = NULL;
    CHECK(!management_is_loaded() && opened == 0);
    memset(long_path, 'x', sizeof long_path - 1);
    long_path[PATH_MAX + 50] = '/';
    jvm_path = long_path;
    CHECK(!management_is_loaded() && opened == 0);
    exports = false;
    CHECK(!management_is_loaded() && opened == 0);
}

static void locksAreAskedForOnlyIfThatLoadsNothingUnwantedAndCallsNoProgram(void) {
    plant(0x20040000, 11);
    exports = true;
    jvm_path = "/jdk/lib/server/libjvm.so";
    has_numbered = has_thread_id = is_mapped = false;
    CHECK(management_state(&env, (jobjectArray)&object, false) == MANAGEMENT_STATE_NOT_LOADED);
    CHECK(management_state(&env, (jobjectArray)&object, true) == MANAGEMENT_STATE_READY);
    is_mapped = true;
    CHECK(management_state(&env, (jobjectArray)&object, false) == MANAGEMENT_STATE_READY);
    has_numbered = true;
    CHECK(management_state(&env, (jobjectArray)&object, true) == MANAGEMENT_STATE_CALLS_PROGRAM);
    has_thread_id = true;
    CHECK(management_state(&env, (jobjectArray)&object, true) == MANAGEMENT_STATE_READY);
    has_class = false;
    CHECK(management_state(&env, (jobjectArray)&object, true) == MANAGEMENT_STATE_NO_MODULE && !pending);
    has_class = true;
}

static void theDumpIsThatOfTheTableUnlessItThrows(void) {
    plant(0x20040000, 11);
    table[34] = (void (*)(void))dump;
    CHECK((void *)management_dump(&env, (jlongArray)&object) == &object);
    throws = true;
    CHECK(management_dump(&env, (jlongArray)&object) == NULL && !pending);
}

int main(void) {
    RUN(aJvmWithoutATableCountsNothing);
    RUN(onlyATableOfAKnownVersionIsUsed);
    RUN(theBytesAreThoseOfTheTableUnlessItThrows);
    RUN(theInfosAreThoseOfTheTableUnlessItThrowsOrTheModuleIsMissing);
    RUN(theLibraryIsThatOfTheSameJdkAndIsNotLoaded);
    RUN(locksAreAskedForOnlyIfThatLoadsNothingUnwantedAndCallsNoProgram);
    RUN(theDumpIsThatOfTheTableUnlessItThrows);
}
