/* The start of the Java half: each kind of failure has its own reason. The JVM here is a table of doubles. */
#include "../../main/c/java.c"

#include "check.h"
#include "golden.h"

/* The step that fails in a test. */
enum fault { NOTHING, LOADER, DEFINE, ALLOCATE, THROW, NULL_MADE, LENGTH, NATIVES, INITIALIZE };
static enum fault planted;
static bool without_memory;     /* the exception is an OutOfMemoryError */
static const char *unknown = "";    /* the class that the JVM does not find */

static int object;              /* stands for any object */
static int made;                /* the array that the first class returns */
static int error;               /* an exception */
static bool pending;
static int asked;
static uint32_t rank;

static jobject pass_unless(enum fault fault) {
    pending = planted == fault;
    return pending ? NULL : (jobject)&object;
}

static jmethodID JNICALL method(JNIEnv *env, jclass class, const char *name, const char *signature) {
    (void)env;
    (void)class;
    (void)name;
    (void)signature;
    return (jmethodID)&object;
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

/* Function.apply: of the first class, then of an upcall. */
static jobject JNICALL call(JNIEnv *env, jobject target, jmethodID method_id, ...) {
    (void)env;
    (void)target;
    (void)method_id;
    if (java_is_started()) {
        asked++;
        return pass_unless(INITIALIZE);
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

bool natives_register(JNIEnv *env, jclass vm) {
    (void)env;
    (void)vm;
    return planted != NATIVES;
}

int callback_show(enum upcall_kind kind) {
    CHECK(kind == UPCALL_KIND_INITIALIZE);
    return 0;
}

void callback_hide(int slot) {
    (void)slot;
}

void record_text(char *field, size_t size, const char *text) {
    (void)size;
    strcpy(field, text);
}

void record_runtime(uint32_t number, uint64_t library) {
    rank = number;
    CHECK(library == 0x7f0012345000);
}

bool log_take(const struct bytes *named) {
    return named->length == 0;
}

/* No test calls these functions. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
uint32_t runtime_rank(uint64_t *library) { abort(); }
enum failure heap_make_room(JNIEnv *env, size_t bytes) { return FAILURE_NONE; }
bool callback_enter(enum upcall_kind kind, int *slot) { abort(); }
void callback_leave(int slot) { abort(); }

static const struct JNINativeInterface_ functions = {
    .GetStaticMethodID = method, .GetMethodID = method, .CallStaticObjectMethod = call_static, .NewObject = new_object,
    .DefineClass = define, .AllocObject = allocate, .NewObjectArray = new_array, .NewByteArray = new_bytes,
    .SetByteArrayRegion = set_bytes, .SetObjectArrayElement = set_element, .GetObjectArrayElement = get_element,
    .CallObjectMethod = call, .GetArrayLength = length_of, .NewGlobalRef = reference, .NewWeakGlobalRef = reference,
    .NewLocalRef = reference, .DeleteGlobalRef = forget, .DeleteWeakGlobalRef = forget, .DeleteLocalRef = forget,
    .ExceptionCheck = is_pending, .ExceptionOccurred = thrown, .ExceptionClear = clear,
    .UnregisterNatives = unregister};

static struct record record;

/* Starts the Java half with these bytes of ATTACH's payload, in an allocation of exactly their size. */
static jobject start(const uint8_t *bytes, size_t length, enum failure *failure) {
    JNIEnv env = &functions;
    struct job job = {.payload = {malloc(length), length}};
    memcpy(job.payload.at, bytes, length);
    host.record = &record;
    pending = false;
    asked = 0;
    *failure = FAILURE_NONE;
    jobject reply = java_start(&env, &job, failure);
    CHECK(!pending && (reply == NULL) == (*failure != FAILURE_NONE));
    java_drop(&env);
    java_forget(&env);
    free(job.payload.at);
    return reply;
}

static void theGoldenAttachStartsTheJavaHalf(void) {
    enum failure failure;
    size_t length;
    uint8_t *message = golden_read("attach.bin", &length);
    planted = NOTHING;
    CHECK(start(message + MESSAGE_SIZE_HEAD, length - MESSAGE_SIZE_HEAD, &failure) == (jobject)&object && asked == 1);
    CHECK(strcmp(record.profiler, "com.example.Profiler") == 0 && rank == 2);
    CHECK(host.lasting_cost_accepted && !host.at_launch);
    free(message);
}

static void eachShorterAttachIsMalformed(void) {
    enum failure failure;
    size_t length;
    uint8_t *message = golden_read("attach.bin", &length);
    planted = NOTHING;
    for (size_t cut = ATTACH_OFFSET_BLOBS; cut < length - MESSAGE_SIZE_HEAD; cut++) {
        start(message + MESSAGE_SIZE_HEAD, cut, &failure);
        CHECK(failure == FAILURE_MALFORMED_ATTACH);
    }
    free(message);
}

static void eachFaultIsReportedWithItsOwnFailure(void) {
    static const struct { enum fault fault; bool without_memory; enum failure failure; } faults[] = {
        {LOADER, false, FAILURE_NO_LOADER}, {LOADER, true, FAILURE_NO_MEMORY},
        {DEFINE, false, FAILURE_CLASSES}, {DEFINE, true, FAILURE_NO_MEMORY}, {ALLOCATE, true, FAILURE_NO_MEMORY},
        {THROW, false, FAILURE_BOOTSTRAP}, {THROW, true, FAILURE_NO_MEMORY}, {NULL_MADE, false, FAILURE_BOOTSTRAP},
        {LENGTH, false, FAILURE_JAVA_HALF}, {NATIVES, false, FAILURE_NATIVES}, {INITIALIZE, false, FAILURE_CALL},
    };
    size_t length;
    uint8_t *message = golden_read("attach.bin", &length);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        enum failure failure;
        planted = faults[i].fault;
        without_memory = faults[i].without_memory;
        start(message + MESSAGE_SIZE_HEAD, length - MESSAGE_SIZE_HEAD, &failure);
        CHECK(failure == faults[i].failure);
        CHECK(asked == (planted == INITIALIZE));
    }
    free(message);
}

static void eachMissingClassIsReportedWithItsOwnFailure(void) {
    static const struct { const char *name; enum failure failure; } classes[] = {
        {"java/lang/ClassLoader", FAILURE_NO_LOADER}, {"java/security/SecureClassLoader", FAILURE_NO_LOADER},
        {"java/util/function/Function", FAILURE_CLASSES}, {"java/lang/Object", FAILURE_CLASSES},
        {"[Ljava/lang/Object;", FAILURE_JAVA_HALF},
    };
    size_t length;
    uint8_t *message = golden_read("attach.bin", &length);
    planted = NOTHING;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        enum failure failure;
        unknown = classes[i].name;
        start(message + MESSAGE_SIZE_HEAD, length - MESSAGE_SIZE_HEAD, &failure);
        CHECK(failure == classes[i].failure && asked == 0);
    }
    unknown = "";
    free(message);
}

int main(void) {
    RUN(theGoldenAttachStartsTheJavaHalf);
    RUN(eachShorterAttachIsMalformed);
    RUN(eachFaultIsReportedWithItsOwnFailure);
    RUN(eachMissingClassIsReportedWithItsOwnFailure);
}
