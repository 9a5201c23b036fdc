/* Redefinitions of classes: which are passed to the Java half, and what the JVM receives. */
#include "../../main/c/probes.c"

#include "check.h"

#include <string.h>

/* ---- Doubles: classes are numbers, arrays have one length ---- */

enum { WATCHED = 1, OTHER = 2, ARRAY = 3, FILE_LENGTH = 5, NEW_LENGTH = 7 };

static int asked;               /* the redefinitions that the Java half has seen */
static bool by_host;            /* the last one was by the host itself */
static bool answers;            /* the Java half returns a class file */
static bool has_memory;
static bool permits;
static int hook;                /* 1 enabled, 0 disabled */
static jint hook_error;
static jint watched_count;
static jint retransform_error;
static bool calls_hook;         /* a retransformation calls the hook on its thread */
static jobject element;
static struct record record;
static unsigned char copied[NEW_LENGTH];

static jobject number(intptr_t value) {
    return (jobject)value;
}

static jboolean JNICALL is_same(JNIEnv *env, jobject a, jobject b) {
    (void)env;
    return a == b;
}

static jint JNICALL push(JNIEnv *env, jint capacity) {
    (void)env;
    (void)capacity;
    return has_memory ? 0 : JNI_ENOMEM;
}

static jobject JNICALL pop(JNIEnv *env, jobject result) {
    (void)env;
    return result;
}

static void JNICALL clear(JNIEnv *env) {
    (void)env;
}

static jobjectArray JNICALL new_objects(JNIEnv *env, jsize length, jclass class, jobject initial) {
    (void)env;
    (void)length;
    (void)class;
    (void)initial;
    element = NULL;
    return number(ARRAY);
}

static jbyteArray JNICALL new_bytes(JNIEnv *env, jsize length) {
    (void)env;
    CHECK(length == FILE_LENGTH);
    return number(ARRAY);
}

static jlong last_number;

static jlongArray JNICALL new_longs(JNIEnv *env, jsize length) {
    (void)env;
    CHECK(length == 1);
    return number(ARRAY);
}

static void JNICALL set_longs(JNIEnv *env, jlongArray array, jsize from, jsize length, const jlong *values) {
    (void)env;
    (void)array;
    (void)from;
    (void)length;
    last_number = *values;
}

static void JNICALL set_bytes(JNIEnv *env, jbyteArray array, jsize from, jsize length, const jbyte *values) {
    (void)env;
    (void)array;
    (void)from;
    CHECK(length == FILE_LENGTH && memcmp(values, "class", FILE_LENGTH) == 0);
}

static void JNICALL get_bytes(JNIEnv *env, jbyteArray array, jsize from, jsize length, jbyte *values) {
    (void)env;
    (void)array;
    (void)from;
    memset(values, 9, (size_t)length);
}

static void JNICALL set_element(JNIEnv *env, jobjectArray array, jsize index, jobject value) {
    (void)env;
    (void)array;
    element = index == 2 ? value : element;
}

static jobject JNICALL get_element(JNIEnv *env, jobjectArray array, jsize index) {
    (void)env;
    (void)array;
    return number(WATCHED + index);
}

static jsize JNICALL array_length(JNIEnv *env, jarray array) {
    (void)env;
    (void)array;
    return answers ? NEW_LENGTH : watched_count;
}

static jweak JNICALL new_weak(JNIEnv *env, jobject object) {
    (void)env;
    return has_memory ? object : NULL;
}

static void JNICALL delete(JNIEnv *env, jobject object) {
    (void)env;
    (void)object;
}

static struct JNINativeInterface_ jni = {.IsSameObject = is_same, .PushLocalFrame = push, .PopLocalFrame = pop,
    .ExceptionClear = clear, .NewObjectArray = new_objects, .NewByteArray = new_bytes, .NewLongArray = new_longs,
    .SetLongArrayRegion = set_longs, .SetByteArrayRegion = set_bytes, .GetByteArrayRegion = get_bytes,
    .SetObjectArrayElement = set_element, .GetObjectArrayElement = get_element, .GetArrayLength = array_length,
    .NewWeakGlobalRef = new_weak, .DeleteWeakGlobalRef = delete, .DeleteLocalRef = delete};
static JNIEnv env = &jni;

static jvmtiError JNICALL allocate(jvmtiEnv *jvmti, jlong size, unsigned char **at) {
    (void)jvmti;
    CHECK(size == NEW_LENGTH);
    *at = copied;
    return has_memory ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
}

jint class_files_pass_redefinitions(jvmtiEnv *jvmti, class_files_redefined *to) {
    (void)jvmti;
    hook = hook_error == 0 ? to != NULL : hook;
    return hook_error;
}

static jint given_length;
static unsigned char *given;

static void redefine(jvmtiEnv *jvmti, jclass class) {
    given_length = 0;
    given = NULL;
    probes_redefine(jvmti, &env, class, FILE_LENGTH, (const unsigned char *)"class", &given_length, &given);
}

static jvmtiError JNICALL retransform(jvmtiEnv *jvmti, jint count, const jclass *classes) {
    for (jint i = 0; i < count && calls_hook; i++) {
        answers = true;
        redefine(jvmti, classes[i]);
        answers = false;
    }
    return (jvmtiError)retransform_error;
}

static struct jvmtiInterface_1_ functions = {.Allocate = allocate, .RetransformClasses = retransform};
static jvmtiEnv jvmti = &functions;

jclass class_find(JNIEnv *unused, const char *name) {
    (void)unused;
    CHECK(strcmp(name, "java/lang/Object") == 0);
    return number(OTHER);
}

void locals_reserve(JNIEnv *unused, jint count) {
    (void)unused;
    (void)count;
}

static bool probed;

bool life_probe(bool on) {
    probed = on && permits;
    return permits || !on;
}

jobject java_redefine(JNIEnv *unused, jobject argument) {
    (void)unused;
    CHECK(argument == number(ARRAY));
    asked++;
    by_host = element == NULL;
    return answers ? number(ARRAY) : NULL;
}

void java_know_probes_loader(JNIEnv *unused, jobject loader) {
    (void)unused;
    (void)loader;
}

jint bytecodes_read(jvmtiEnv *unused, jmethodID method, jint *length, unsigned char **bytes) {
    (void)unused;
    (void)method;
    (void)length;
    (void)bytes;
    abort();
}

static int recorded;
static bool page_is_writable = true;

bool anchor_count_redefinition(jvmtiEnv *unused, const jclass *classes, jint count) {
    (void)unused;
    CHECK(count == watched_count && classes[0] == number(WATCHED));
    recorded++;
    return page_is_writable;
}

jobjectArray threads_live(JNIEnv *unused) {
    (void)unused;
    return NULL;
}

static jlong call(enum probe_call what) {
    probes_call(&env, &jvmti, what, number(ARRAY));
    return last_number;
}

static void begin(jint count) {
    host.record = &record;
    has_memory = true;
    permits = true;
    answers = false;
    calls_hook = false;
    retransform_error = 0;
    watched_count = count;
    CHECK(call(PROBE_CALL_WATCH) == 0 && hook == (count > 0));
    asked = 0;
    recorded = 0;
}

static void onlyARedefinitionOfAWatchedClassIsPassedOn(void) {
    begin(1);
    redefine(&jvmti, number(OTHER));
    CHECK(asked == 0 && given == NULL);
    redefine(&jvmti, number(WATCHED));
    CHECK(asked == 1 && given == NULL && !by_host);
    begin(0);
    redefine(&jvmti, number(WATCHED));
    CHECK(asked == 0);
}

static void theJvmReceivesTheClassFileOfTheJavaHalf(void) {
    begin(1);
    answers = true;
    redefine(&jvmti, number(WATCHED));
    CHECK(given == copied && given_length == NEW_LENGTH && copied[0] == 9 && copied[NEW_LENGTH - 1] == 9);
}

static void withoutMemoryTheClassFileStaysAsItIs(void) {
    begin(1);
    answers = true;
    has_memory = false;
    redefine(&jvmti, number(WATCHED));
    CHECK(asked == 0 && given == NULL && given_length == 0);
}

static void aRetransformationByTheHostIsKnownAsItsOwn(void) {
    begin(1);
    calls_hook = true;
    CHECK(call(PROBE_CALL_RETRANSFORM) == 0 && asked == 1 && by_host && recorded == 1);
    redefine(&jvmti, number(WATCHED));
    CHECK(asked == 2 && !by_host);
}

static void aRefusedRetransformationIsNotRecorded(void) {
    begin(1);
    retransform_error = JVMTI_ERROR_FAILS_VERIFICATION;
    CHECK(call(PROBE_CALL_RETRANSFORM) == JVMTI_ERROR_FAILS_VERIFICATION && recorded == 0);
}

static void aRetransformationThatThePageDoesNotHaveIsCounted(void) {
    begin(1);
    CHECK(call(PROBE_CALL_RETRANSFORM) == 0 && record.unmarked_redefinitions == 0);
    page_is_writable = false;
    CHECK(call(PROBE_CALL_RETRANSFORM) == 0 && record.unmarked_redefinitions == 1);
    page_is_writable = true;
}

static void noClassIsWatchedOnceADetachHasBegunOrWithoutMemory(void) {
    begin(0);
    watched_count = 1;
    permits = false;
    CHECK(call(PROBE_CALL_WATCH) == JVMTI_ERROR_WRONG_PHASE && hook == 0);
    permits = true;
    has_memory = false;
    CHECK(call(PROBE_CALL_WATCH) == JVMTI_ERROR_OUT_OF_MEMORY && hook == 0);
    has_memory = true;
    redefine(&jvmti, number(WATCHED));
    CHECK(asked == 0);
}

static void theFormerClassesAreWatchedAfterAnError(void) {
    begin(1);
    watched_count = 2;
    has_memory = false;
    CHECK(call(PROBE_CALL_WATCH) == JVMTI_ERROR_OUT_OF_MEMORY && hook == 1);
    has_memory = true;
    hook_error = JVMTI_ERROR_WRONG_PHASE;
    CHECK(call(PROBE_CALL_WATCH) == JVMTI_ERROR_WRONG_PHASE && hook == 1);
    watched_count = 0;
    CHECK(call(PROBE_CALL_WATCH) == JVMTI_ERROR_WRONG_PHASE && hook == 1 && probed);
    hook_error = 0;
    redefine(&jvmti, number(OTHER));
    CHECK(asked == 0);
    redefine(&jvmti, number(WATCHED));
    CHECK(asked == 1);
}

static void framesThatCannotBeCountedAreNoNumber(void) {
    begin(0);
    record.replaced_frames = 4;
    CHECK(call(PROBE_CALL_FRAMES) == -1 && record.replaced_frames == 4);
}

int main(void) {
    RUN(onlyARedefinitionOfAWatchedClassIsPassedOn);
    RUN(theJvmReceivesTheClassFileOfTheJavaHalf);
    RUN(withoutMemoryTheClassFileStaysAsItIs);
    RUN(aRetransformationByTheHostIsKnownAsItsOwn);
    RUN(aRefusedRetransformationIsNotRecorded);
    RUN(aRetransformationThatThePageDoesNotHaveIsCounted);
    RUN(noClassIsWatchedOnceADetachHasBegunOrWithoutMemory);
    RUN(theFormerClassesAreWatchedAfterAnError);
    RUN(framesThatCannotBeCountedAreNoNumber);
    begin(0);   /* frees the list */
    free(probes_watched);
}
