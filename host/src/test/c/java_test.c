/* The start of the Java half: each kind of failure has its own reason. The JVM here is a table of doubles. */
#include "../../main/c/java.c"

#include "check.h"

/* The step that fails in a test. */
enum fault { NOTHING, LOADER, DEFINE, ALLOCATE, THROW, NULL_MADE, LENGTH };
static enum fault planted;
static bool without_memory;     /* the exception is an OutOfMemoryError */
static const char *unknown = "";    /* the class that the JVM does not find */

static int object;              /* stands for any object */
static int made;                /* the array that the first class returns */
static int error;               /* an exception */
static int loader;              /* of the profiler, and the method that returns it */
static bool loader_is_unknown;
static bool pending;
static int asked;

static jobject pass_unless(enum fault fault) {
    pending = planted == fault;
    return pending ? NULL : (jobject)&object;
}

static jmethodID JNICALL method(JNIEnv *env, jclass class, const char *name, const char *signature) {
    (void)env;
    (void)class;
    (void)signature;
    return (jmethodID)(strcmp(name, "getClassLoader") == 0 ? &loader : &object);
}

static jobject JNICALL call_static(JNIEnv *env, jclass class, jmethodID method_id, ...) {
    (void)env;
    (void)class;
    (void)method_id;
    return (jobject)&object;
}

static jobject JNICALL new_object(JNIEnv *env, jclass class, jmethodID constructor, ...) {
    (void)env;
    (void)class;
    (void)constructor;
    return pass_unless(LOADER);
}

static jclass JNICALL define(JNIEnv *env, const char *name, jobject in, const jbyte *bytes, jsize length) {
    (void)env;
    (void)name;
    (void)in;
    CHECK(length == 6 ? memcmp(bytes, "loader", 6) == 0 : memcmp(bytes, "bootstrap", 9) == 0);
    return pass_unless(DEFINE);
}

static jobject JNICALL allocate(JNIEnv *env, jclass class) {
    (void)env;
    (void)class;
    return (jobject)&object;
}

static jobjectArray JNICALL new_array(JNIEnv *env, jsize length, jclass class, jobject first) {
    (void)env;
    (void)class;
    (void)first;
    CHECK(length == ATTACH_BLOB_EVENT_LOG - ATTACH_BLOB_HOST_ENTRIES);
    return pass_unless(ALLOCATE);
}

static jbyteArray JNICALL new_bytes(JNIEnv *env, jsize length) {
    (void)env;
    (void)length;
    return (jbyteArray)&object;
}

static void JNICALL set_bytes(JNIEnv *env, jbyteArray array, jsize from, jsize length, const jbyte *bytes) {
    (void)env;
    (void)array;
    (void)from;
    (void)length;
    (void)bytes;
}

static void JNICALL set_element(JNIEnv *env, jobjectArray array, jsize at, jobject value) {
    (void)env;
    (void)array;
    (void)at;
    (void)value;
}

static jobject JNICALL get_element(JNIEnv *env, jobjectArray array, jsize at) {
    (void)env;
    (void)array;
    (void)at;
    return (jobject)&object;
}

/* Class.getClassLoader; Function.apply of the first class, then of an upcall. */
static jobject JNICALL call(JNIEnv *env, jobject target, jmethodID method_id, ...) {
    (void)env;
    (void)target;
    if (method_id == (jmethodID)&loader) {
        pending = loader_is_unknown;
        return pending ? NULL : (jobject)&loader;
    }
    if (java_is_started()) {
        asked++;
        return (jobject)&object;
    }
    pending = planted == THROW;
    return pending || planted == NULL_MADE ? NULL : (jobject)&made;
}

static jsize JNICALL length_of(JNIEnv *env, jarray array) {
    (void)env;
    CHECK((void *)array == &made);
    return planted == LENGTH ? UPCALL_KIND_COUNT : UPCALL_KIND_COUNT + 1;
}

static jobject JNICALL reference(JNIEnv *env, jobject to) {
    (void)env;
    return to;
}

static void JNICALL forget(JNIEnv *env, jobject reference_to) {
    (void)env;
    (void)reference_to;
}

static jboolean JNICALL is_pending(JNIEnv *env) {
    (void)env;
    return pending;
}

static jthrowable JNICALL thrown(JNIEnv *env) {
    (void)env;
    return pending ? (jthrowable)&error : NULL;
}

static void JNICALL clear(JNIEnv *env) {
    (void)env;
    pending = false;
}

static jclass JNICALL class_of(JNIEnv *env, jobject value) {
    (void)env;
    CHECK((void *)value == &object);
    return (jclass)&object;
}

static jint JNICALL unregister(JNIEnv *env, jclass class) {
    (void)env;
    (void)class;
    return 0;
}

jclass class_find(JNIEnv *env, const char *name) {
    (void)env;
    return strcmp(name, unknown) == 0 ? NULL : (jclass)&object;
}

bool class_is(JNIEnv *env, jobject value, const char *name) {
    (void)env;
    if (strcmp(name, unknown) == 0) {
        return false;
    }
    return ((void *)value == &made && strcmp(name, "[Ljava/lang/Object;") == 0)
            || ((void *)value == &error && without_memory && strcmp(name, "java/lang/OutOfMemoryError") == 0);
}

int callback_show(enum upcall_kind kind) {
    CHECK(kind == UPCALL_KIND_INITIALIZE);
    return 1;
}

void callback_hide(int slot) {
    CHECK(slot == 1);
}

/* No test calls these functions. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
bool callback_is_inside(void) { abort(); }
bool callback_enter(enum upcall_kind kind, int *slot) { abort(); }
void callback_leave(int slot) { abort(); }

static const struct JNINativeInterface_ functions = {
    .GetStaticMethodID = method, .GetMethodID = method, .CallStaticObjectMethod = call_static, .NewObject = new_object,
    .DefineClass = define, .AllocObject = allocate, .NewObjectArray = new_array, .NewByteArray = new_bytes,
    .SetByteArrayRegion = set_bytes, .SetObjectArrayElement = set_element, .GetObjectArrayElement = get_element,
    .CallObjectMethod = call, .GetArrayLength = length_of, .NewGlobalRef = reference, .NewWeakGlobalRef = reference,
    .NewLocalRef = reference, .DeleteGlobalRef = forget, .DeleteWeakGlobalRef = forget, .DeleteLocalRef = forget,
    .ExceptionCheck = is_pending, .ExceptionOccurred = thrown, .ExceptionClear = clear,
    .GetObjectClass = class_of, .UnregisterNatives = unregister};

/* A request without data for the profiler. */
static const struct attach request = {.blobs = {
    [ATTACH_BLOB_LOADER_CLASS] = {(uint8_t *)"loader", 6},
    [ATTACH_BLOB_BOOTSTRAP_CLASS] = {(uint8_t *)"bootstrap", 9}}};

/* Starts the Java half, and calls it if it has started. Returns the failure. */
static enum failure start(void) {
    JNIEnv env = &functions;
    enum failure failure = FAILURE_NONE;
    jclass natives = NULL;
    pending = false;
    asked = 0;
    CHECK(java_start(&env, &request, &natives, &failure) == NULL);
    CHECK(!pending && java_is_started() == (failure == FAILURE_NONE) && (natives != NULL) == java_is_started());
    if (java_is_started()) {
        CHECK(java_profilers_loader(&env) == (loader_is_unknown ? NULL : (jobject)&loader));
        CHECK(java_ask(&env, UPCALL_KIND_INITIALIZE, NULL) == (jobject)&object);
        CHECK(java_probes_loader(&env) == NULL);
        java_know_probes_loader(&env, (jobject)&loader);
        CHECK(java_probes_loader(&env) == (jobject)&loader);
    }
    java_drop(&env);
    java_forget(&env);
    CHECK(!java_is_started() && !java_takes_commands(&env) && java_probes_loader(&env) == NULL);
    return failure;
}

static void aStartedJavaHalfIsCalled(void) {
    planted = NOTHING;
    CHECK(start() == FAILURE_NONE && asked == 1);
}

static void theJavaHalfStartsIfItsLoaderIsUnknown(void) {
    planted = NOTHING;
    loader_is_unknown = true;
    CHECK(start() == FAILURE_NONE && asked == 1);
    loader_is_unknown = false;
}

static void eachFaultIsReportedWithItsOwnFailure(void) {
    static const struct { enum fault fault; bool without_memory; enum failure failure; } faults[] = {
        {LOADER, false, FAILURE_NO_LOADER}, {LOADER, true, FAILURE_NO_MEMORY},
        {DEFINE, false, FAILURE_CLASSES}, {DEFINE, true, FAILURE_NO_MEMORY}, {ALLOCATE, true, FAILURE_NO_MEMORY},
        {THROW, false, FAILURE_BOOTSTRAP}, {THROW, true, FAILURE_NO_MEMORY}, {NULL_MADE, false, FAILURE_BOOTSTRAP},
        {LENGTH, false, FAILURE_JAVA_HALF},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        planted = faults[i].fault;
        without_memory = faults[i].without_memory;
        CHECK(start() == faults[i].failure && asked == 0);
    }
}

static void eachMissingClassIsReportedWithItsOwnFailure(void) {
    static const struct { const char *name; enum failure failure; } classes[] = {
        {"java/lang/ClassLoader", FAILURE_NO_LOADER}, {"java/security/SecureClassLoader", FAILURE_NO_LOADER},
        {"java/util/function/Function", FAILURE_CLASSES}, {"java/lang/Object", FAILURE_CLASSES},
        {"[Ljava/lang/Object;", FAILURE_JAVA_HALF},
    };
    planted = NOTHING;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        unknown = classes[i].name;
        CHECK(start() == classes[i].failure && asked == 0);
    }
    unknown = "";
}

int main(void) {
    RUN(aStartedJavaHalfIsCalled);
    RUN(theJavaHalfStartsIfItsLoaderIsUnknown);
    RUN(eachFaultIsReportedWithItsOwnFailure);
    RUN(eachMissingClassIsReportedWithItsOwnFailure);
}
