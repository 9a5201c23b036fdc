/* The native methods of mayfly.host.Vm, called as the JVM calls them. */
#include "../../main/c/natives.c"

#include "check.h"

#include <string.h>

/* ---- Doubles: a JVM, and the files that the methods call ---- */

static int object;              /* stands for any object */
static bool registers;
static JNINativeMethod registered[64];
static jint registered_count;
static bool pending;
static const char *text;        /* the characters of a string; NULL if there is no memory */
static bool was_asked;
static struct record shared;

/* Classes with the status of their index, and those that the result contains. */
static const jint statuses[] = {0, JVMTI_CLASS_STATUS_PREPARED, JVMTI_CLASS_STATUS_ARRAY,
    JVMTI_CLASS_STATUS_PREPARED | JVMTI_CLASS_STATUS_ARRAY,
    JVMTI_CLASS_STATUS_PREPARED | JVMTI_CLASS_STATUS_VERIFIED | JVMTI_CLASS_STATUS_INITIALIZED};
enum { CLASSES = sizeof statuses / sizeof statuses[0] };
static unsigned kept;           /* a bit for each class in the result */
static int deleted;             /* local references */
static bool has_array;
static bool lists;              /* JVMTI returns the classes */
static int users;               /* of the JVMTI environment */

static jint JNICALL register_natives(JNIEnv *env, jclass class, const JNINativeMethod *methods, jint count) {
    (void)env;
    CHECK((void *)class == &object && count < 64);
    memcpy(registered, methods, sizeof methods[0] * (size_t)count);
    registered_count = count;
    pending = !registers;
    return registers ? 0 : JNI_ERR;
}

static jthrowable JNICALL thrown(JNIEnv *env) {
    (void)env;
    return pending ? (jthrowable)&object : NULL;
}

static void JNICALL clear(JNIEnv *env) {
    (void)env;
    pending = false;
}

static void JNICALL delete_local(JNIEnv *env, jobject reference) {
    (void)env;
    deleted += reference != NULL;
}

static const char *JNICALL characters(JNIEnv *env, jstring string, jboolean *copied) {
    (void)env;
    (void)string;
    (void)copied;
    return text;
}

static void JNICALL release_characters(JNIEnv *env, jstring string, const char *released) {
    (void)env;
    (void)string;
    CHECK(released != NULL && released == text);
}

static jsize JNICALL length_of(JNIEnv *env, jarray array) {
    (void)env;
    (void)array;
    return 5;
}

static void JNICALL copy_bytes(JNIEnv *env, jbyteArray array, jsize from, jsize length, jbyte *to) {
    (void)env;
    (void)array;
    memcpy(to, "bytes" + from, (size_t)length);
}

static jobjectArray JNICALL new_array(JNIEnv *env, jsize length, jclass class, jobject first) {
    (void)env;
    (void)class;
    (void)first;
    CHECK(length == CLASSES);
    return has_array ? (jobjectArray)&object : NULL;
}

static void JNICALL set_element(JNIEnv *env, jobjectArray array, jsize at, jobject value) {
    (void)env;
    CHECK((void *)array == &object && (void *)value == &statuses[at]);
    kept |= 1u << at;
}

static const struct JNINativeInterface_ functions = {
    .RegisterNatives = register_natives, .ExceptionOccurred = thrown, .ExceptionClear = clear,
    .DeleteLocalRef = delete_local, .GetStringUTFChars = characters, .ReleaseStringUTFChars = release_characters,
    .GetArrayLength = length_of, .GetByteArrayRegion = copy_bytes, .NewObjectArray = new_array,
    .SetObjectArrayElement = set_element};
static JNIEnv env = &functions;
static const jclass vm = (jclass)&object;

static jvmtiError JNICALL get_classes(jvmtiEnv *jvmti, jint *count, jclass **classes) {
    (void)jvmti;
    CHECK(users == 1);
    if (!lists) {
        return JVMTI_ERROR_OUT_OF_MEMORY;
    }
    *count = CLASSES;
    *classes = malloc(CLASSES * sizeof(jclass));
    for (int i = 0; i < CLASSES; i++) {
        (*classes)[i] = (jclass)(uintptr_t)&statuses[i];
    }
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_status(jvmtiEnv *jvmti, jclass class, jint *status) {
    (void)jvmti;
    *status = *(const jint *)class;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *jvmti, unsigned char *memory) {
    (void)jvmti;
    free(memory);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL object_size(jvmtiEnv *jvmti, jobject measured, jlong *size) {
    (void)jvmti;
    CHECK(users == 1 && (void *)measured == &object);
    *size = 24;
    return JVMTI_ERROR_NONE;
}

static const struct jvmtiInterface_1_ jvmti_functions = {
    .GetLoadedClasses = get_classes, .GetClassStatus = get_status, .Deallocate = deallocate,
    .GetObjectSize = object_size};
static jvmtiEnv environment = &jvmti_functions;
static bool has_environment;

jvmtiEnv *events_use(void) {
    users += has_environment;
    return has_environment ? &environment : NULL;
}

void events_release(void) {
    users--;
}

jclass class_find(JNIEnv *jni, const char *name) {
    (void)jni;
    (void)name;
    return vm;
}

bool class_is(JNIEnv *jni, jobject value, const char *name) {
    (void)jni;
    (void)value;
    (void)name;
    return false;
}

void locals_reserve(JNIEnv *jni, jint count) {
    (void)jni;
    CHECK(count == CLASSES);
}

bool flag_is_set(const char *name, bool otherwise) {
    CHECK(strcmp(name, "UseG1GC") == 0 && !otherwise);
    was_asked = true;
    return true;
}

bool channel_emit(const uint8_t *at, size_t length) {
    was_asked = true;
    CHECK(length == 5 && memcmp(at, "bytes", 5) == 0);
    return false;
}

static jvmtiEnv *set_in;
static jint set_interval;

jint allocations_set_interval(jvmtiEnv *in, jint bytes) {
    CHECK(users == (in != NULL));
    set_in = in;
    set_interval = bytes;
    return JVMTI_ERROR_INTERNAL;
}

static uint64_t expected_nanos;

bool life_detach_locked(uint64_t nanos) {
    CHECK(pthread_mutex_trylock(&host.lock) != 0);
    expected_nanos = nanos;
    return true;
}

/* No test calls these functions. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define UNUSED(TYPE, NAME, ...) TYPE NAME(__VA_ARGS__) { abort(); }
UNUSED(jobject, probes_call, JNIEnv *a, jvmtiEnv *b, enum probe_call c, jobject d)
UNUSED(jint, events_prepare, uint32_t a)
UNUSED(jint, events_set, uint32_t a, uint32_t b)
UNUSED(bool, events_have_environment, void)
UNUSED(jobjectArray, class_graph_read, JNIEnv *a)
UNUSED(jlongArray, threads_os_ids, JNIEnv *a, jobjectArray b)
UNUSED(void, timer_look_after, uint64_t a)
UNUSED(enum failure, heap_make_room, JNIEnv *a, size_t b)
UNUSED(bool, compiled_generate, jvmtiEnv *a, bool b)
UNUSED(size_t, compiled_size, void)
UNUSED(jobjectArray, compiled_take, JNIEnv *a, bool b)
UNUSED(jlong, thread_id, JNIEnv *a, jobject b)
UNUSED(jobjectArray, threads_live, JNIEnv *a)
UNUSED(jobjectArray, threads_stacks, JNIEnv *a, jobjectArray b)
UNUSED(jobjectArray, thread_stack, JNIEnv *a, jobject b)
UNUSED(jstring, saved_property, JNIEnv *a, jstring b)
UNUSED(int32_t, flag_number, const char *a, int32_t b)
UNUSED(jobjectArray, frames_classes, JNIEnv *a, jobjectArray b)
UNUSED(jobjectArray, frames_of_throwable, JNIEnv *a, jthrowable b, jint c)
UNUSED(jobjectArray, members_list, JNIEnv *a, jclass b, bool c, jint d)
UNUSED(jint, member_number, JNIEnv *a, jclass b, jstring c)
UNUSED(jbyteArray, method_lines, JNIEnv *a, jclass b, jint c)
UNUSED(jbyteArray, method_bytecodes, JNIEnv *a, jclass b, jstring c, jstring d, enum path_outcome *e)
UNUSED(jobjectArray, references_count, JNIEnv *a, uint64_t b, enum path_outcome *c)
UNUSED(jint, exceptions_report, bool a)
UNUSED(jobject, monitors_owner, jvmtiEnv *a, JNIEnv *b, jint *c)
UNUSED(jint, members_instance_size, JNIEnv *a, jclass b)
UNUSED(jobjectArray, path_to_loader, JNIEnv *a, jobject b, enum path_outcome *c)
UNUSED(void, timer_set, uint64_t a)
UNUSED(void, timer_poll_every, uint64_t a)
UNUSED(jlongArray, threads_numbers, JNIEnv *a, jobjectArray b)
UNUSED(void, threads_statuses, JNIEnv *a, jobjectArray b, jlongArray c, jlongArray d)
UNUSED(bool, management_is_known, JNIEnv *a)
UNUSED(enum management_state, management_state, JNIEnv *a, jobjectArray b, bool c)
UNUSED(jobjectArray, management_dump, JNIEnv *a, jlongArray b)
UNUSED(bool, management_allocated, JNIEnv *a, jlongArray b, jlongArray c)
UNUSED(void, polling_monitors, JNIEnv *a, jobjectArray b, jobjectArray c, jlongArray d, jobjectArray e, jlongArray f)
UNUSED(bool, events_collect_as_requested, JNIEnv *a)
UNUSED(enum command_outcome, command_ask, const char *a, int b, char **c, size_t *d)
UNUSED(jobjectArray, class_interfaces, JNIEnv *a, jclass b)
UNUSED(jobject, class_field, JNIEnv *a, jobject b, jstring c, jstring d, jstring e)

static void eachMethodIsRegisteredOnce(void) {
    registers = true;
    CHECK(natives_register(&env, vm) == FAILURE_NONE && registered_count > 10);
    for (jint i = 0; i < registered_count; i++) {
        CHECK(registered[i].fnPtr != NULL && registered[i].signature[0] == '(');
        for (jint j = 0; j < i; j++) {
            CHECK(strcmp(registered[i].name, registered[j].name) != 0 && registered[i].fnPtr != registered[j].fnPtr);
        }
    }
}

static void methodsThatTheClassLacksAreAFailureWithoutAnException(void) {
    registers = false;
    CHECK(natives_register(&env, vm) == FAILURE_NATIVES && !pending);
}

static void onlyPreparedClassesThatAreNoArraysAreLoadedClasses(void) {
    has_environment = lists = has_array = true;
    kept = 0;
    deleted = 0;
    CHECK(vm_loaded_classes(&env, vm) == (jobjectArray)&object);
    CHECK(kept == (1u << 1 | 1u << 4) && deleted == CLASSES && users == 0);
}

static void theEnvironmentIsReleasedIfTheClassesCannotBeListed(void) {
    has_environment = true;
    lists = false;
    CHECK(vm_loaded_classes(&env, vm) == NULL && users == 0);
    lists = true;
    has_array = false;
    deleted = 0;
    CHECK(vm_loaded_classes(&env, vm) == NULL && users == 0 && deleted == CLASSES);
    has_environment = false;
    CHECK(vm_loaded_classes(&env, vm) == NULL && users == 0);
}

static void aFlagWhoseNameCannotBeReadIsNotSet(void) {
    text = NULL;
    was_asked = false;
    CHECK(!vm_flag(&env, vm, (jstring)&object) && !was_asked);
    text = "UseG1GC";
    CHECK(vm_flag(&env, vm, (jstring)&object) && was_asked);
}

static void theBytesOfAnEmissionAreCopied(void) {
    was_asked = false;
    CHECK(!vm_emit(&env, vm, (jbyteArray)&object) && was_asked);
}

static void aDetachBeginsUnderTheLock(void) {
    pthread_mutex_init(&host.lock, NULL);
    vm_begin_detach(&env, vm, 5000000000);
    CHECK(expected_nanos == 5000000000 && pthread_mutex_trylock(&host.lock) == 0);
}

static void anIntervalIsSetWithOrWithoutAnEnvironment(void) {
    has_environment = false;
    CHECK(vm_set_sampling_interval(&env, vm, 1024) == JVMTI_ERROR_INTERNAL && set_in == NULL && set_interval == 1024);
    has_environment = true;
    CHECK(vm_set_sampling_interval(&env, vm, 2048) == JVMTI_ERROR_INTERNAL && set_in == &environment);
    CHECK(set_interval == 2048 && users == 0);
}

static void anObjectHasTheSizeThatJvmtiReports(void) {
    has_environment = true;
    CHECK(vm_object_size(&env, vm, (jobject)&object) == 24 && users == 0);
    has_environment = false;
    CHECK(vm_object_size(&env, vm, (jobject)&object) == 0 && users == 0);
}

static void aThrowingCallbackIsCounted(void) {
    host.record = &shared;
    vm_count_thrown(&env, vm);
    vm_count_thrown(&env, vm);
    CHECK(shared.thrown == 2);
}

int main(void) {
    RUN(eachMethodIsRegisteredOnce);
    RUN(methodsThatTheClassLacksAreAFailureWithoutAnException);
    RUN(onlyPreparedClassesThatAreNoArraysAreLoadedClasses);
    RUN(theEnvironmentIsReleasedIfTheClassesCannotBeListed);
    RUN(aFlagWhoseNameCannotBeReadIsNotSet);
    RUN(theBytesOfAnEmissionAreCopied);
    RUN(aDetachBeginsUnderTheLock);
    RUN(anIntervalIsSetWithOrWithoutAnEnvironment);
    RUN(anObjectHasTheSizeThatJvmtiReports);
    RUN(aThrowingCallbackIsCounted);
}
