/* Threads and stacks, read by methods that a JDK may lack and that may throw. */
#include "../../main/c/threads.c"

#include "check.h"

#include <stddef.h>
#include <string.h>

static int object;              /* stands for any object */
static int empty;               /* an array of StackTraceElement without elements */
static const char *missing = "";    /* the member or class that this JDK lacks */
static bool throws;             /* the JVM's method throws */
static bool is_virtual;
static bool has_frames;
static bool pending;
static int field_lookups;

static void *member(const char *name) {
    pending = strcmp(name, missing) == 0;
    return pending ? NULL : &object;
}

static jmethodID JNICALL method(JNIEnv *env, jclass class, const char *name, const char *type) {
    (void)env;
    (void)class;
    (void)type;
    return member(name);
}

static jfieldID JNICALL field(JNIEnv *env, jclass class, const char *name, const char *type) {
    (void)env;
    (void)class;
    (void)type;
    field_lookups++;
    return member(name);
}

/* A JavaThread and its OSThread; a thread of Java is the address of one of them. */
struct native {
    int vtable[2];
    const struct os_thread *os;
};

struct os_thread {
    int vtable[3];
    jint number;
};

static const struct os_thread os_threads[] = {{.number = 4711}, {.number = -1}};
static const struct native natives[] = {{.os = &os_threads[0]}, {.os = &os_threads[1]}, {.os = NULL}};
static jobject thread_array[5];
static jlong numbers[5];
static const char *described_by = "JavaThread";      /* the type that describes the OSThread of a thread */

static jlong JNICALL number(JNIEnv *env, jobject thread, jfieldID of) {
    (void)env;
    CHECK((void *)of == &object);
    return (void *)thread == &object ? 42 : (jlong)(intptr_t)thread;
}

void *runtime_library(void) {
    return dlopen(NULL, RTLD_LAZY);
}

bool table_field(void *jvm, const char *type, const char *name, struct field_place *place) {
    (void)jvm;
    bool of_thread = strcmp(type, described_by) == 0 && strcmp(name, "_osthread") == 0;
    bool of_number = strcmp(type, "OSThread") == 0 && strcmp(name, "_thread_id") == 0;
    place->offset = of_thread ? offsetof(struct native, os) : offsetof(struct os_thread, number);
    return of_thread || of_number;
}

bool memory_read(const void *from, void *to, size_t size) {
    bool mapped = from != NULL && (uintptr_t)from > 4096;
    if (mapped) {
        memcpy(to, from, size);
    }
    return mapped;
}

static jsize JNICALL length(JNIEnv *env, jarray array) {
    (void)env;
    CHECK((void *)array == thread_array);
    return 5;
}

static jobject JNICALL element(JNIEnv *env, jobjectArray array, jsize at) {
    (void)env;
    (void)array;
    return thread_array[at];
}

static jlongArray JNICALL new_longs(JNIEnv *env, jsize count) {
    (void)env;
    CHECK(count == 5);
    memset(numbers, 0, sizeof numbers);
    return (jlongArray)numbers;
}

static void JNICALL set_longs(JNIEnv *env, jlongArray array, jsize at, jsize count, const jlong *from) {
    (void)env;
    CHECK((void *)array == numbers && count == 1);
    numbers[at] = *from;
}

static jobject JNICALL call_static(JNIEnv *env, jclass class, jmethodID id, ...) {
    (void)env;
    (void)class;
    (void)id;
    pending = throws;
    return throws ? NULL : (jobject)&object;
}

static jobject JNICALL call_exactly(JNIEnv *env, jobject thread, jclass class, jmethodID id, ...) {
    (void)env;
    (void)thread;
    (void)class;
    (void)id;
    pending = throws;
    return throws || !has_frames ? NULL : (jobject)&object;
}

static jobjectArray JNICALL new_array(JNIEnv *env, jsize length, jclass class, jobject first) {
    (void)env;
    (void)class;
    (void)first;
    CHECK(length == 0);
    return (jobjectArray)&empty;
}

static jboolean JNICALL instance_of(JNIEnv *env, jobject thread, jclass class) {
    (void)env;
    (void)thread;
    (void)class;
    return is_virtual;
}

static jboolean JNICALL is_pending(JNIEnv *env) {
    (void)env;
    return pending;
}

static void JNICALL clear(JNIEnv *env) {
    (void)env;
    pending = false;
}

static void JNICALL forget(JNIEnv *env, jobject reference) {
    (void)env;
    (void)reference;
}

jclass class_find(JNIEnv *env, const char *name) {
    (void)env;
    return strcmp(name, missing) == 0 ? NULL : (jclass)&object;
}

static const struct JNINativeInterface_ functions = {
    .GetMethodID = method, .GetStaticMethodID = method, .GetFieldID = field, .GetLongField = number,
    .CallStaticObjectMethod = call_static, .CallNonvirtualObjectMethod = call_exactly, .NewObjectArray = new_array,
    .GetArrayLength = length, .GetObjectArrayElement = element, .NewLongArray = new_longs,
    .SetLongArrayRegion = set_longs, .IsInstanceOf = instance_of,
    .ExceptionCheck = is_pending, .ExceptionClear = clear, .DeleteLocalRef = forget};
static JNIEnv env = &functions;
static const jobject thread = (jobject)&object;

/* Runs first: a field that was found is kept. */
static void theNumberOfAThreadIsReadByItsField(void) {
    missing = "java/lang/Thread";
    CHECK(thread_id(&env, thread) == 0 && field_lookups == 0);
    missing = "tid";
    CHECK(thread_id(&env, thread) == 0 && !pending && field_lookups == 1);
    missing = "";
    CHECK(thread_id(&env, thread) == 42 && thread_id(&env, thread) == 42 && field_lookups == 2);
}

/* A thread without an OSThread, one with an impossible number, one that has ended and none have no number. */
static void theKernelsNumberOfAThreadIsReadFromTheJvmsThread(void) {
    thread_array[0] = (jobject)(intptr_t)&natives[1];
    thread_array[1] = (jobject)(intptr_t)&natives[2];
    thread_array[2] = (jobject)(intptr_t)&natives[0];
    thread_array[3] = NULL;
    thread_array[4] = (jobject)(intptr_t)8;
    CHECK(threads_os_ids(&env, (jobjectArray)thread_array) == (jlongArray)numbers);
    CHECK(numbers[0] == 0 && numbers[1] == 0 && numbers[2] == 4711 && numbers[3] == 0 && numbers[4] == 0);
    described_by = "Thread";
    CHECK(threads_os_ids(&env, (jobjectArray)thread_array) == (jlongArray)numbers && numbers[2] == 4711);
    described_by = "";
    CHECK(threads_os_ids(&env, (jobjectArray)thread_array) == NULL);
}

static void aJdkWithoutTheMethodsHasNoThreadsAndNoException(void) {
    missing = "getThreads";
    CHECK(threads_live(&env) == NULL && !pending);
    missing = "dumpThreads";
    CHECK(threads_stacks(&env, thread) == NULL && !pending);
    missing = "getStackTrace0";
    CHECK(thread_stack(&env, thread) == NULL && !pending);
    missing = "getSavedProperty";
    CHECK(saved_property(&env, thread) == NULL && !pending);
    missing = "java/lang/Thread";
    CHECK(threads_live(&env) == NULL && threads_stacks(&env, thread) == NULL && thread_stack(&env, thread) == NULL);
    missing = "";
    CHECK(threads_live(&env) == thread && threads_stacks(&env, thread) == thread);
    CHECK(saved_property(&env, thread) == thread);
}

static void anExceptionOfTheJvmStaysPendingForTheJavaHalf(void) {
    throws = true;
    CHECK(threads_live(&env) == NULL && pending);
    pending = false;
    CHECK(threads_stacks(&env, thread) == NULL && pending);
    pending = false;
    CHECK(thread_stack(&env, thread) == NULL && pending);
    pending = false;
    CHECK(saved_property(&env, thread) == NULL && !pending);     /* the default is used instead */
    throws = false;
}

static void onlyAThreadThatIsNotVirtualHasAnEmptyStack(void) {
    has_frames = true;
    CHECK(thread_stack(&env, thread) == thread);
    has_frames = false;
    CHECK(thread_stack(&env, thread) == (jobject)&empty);
    is_virtual = true;
    CHECK(thread_stack(&env, thread) == NULL && !pending);
    missing = "java/lang/BaseVirtualThread";
    CHECK(thread_stack(&env, thread) == (jobject)&empty);
    missing = "";
}

int main(void) {
    RUN(theNumberOfAThreadIsReadByItsField);
    RUN(theKernelsNumberOfAThreadIsReadFromTheJvmsThread);
    RUN(aJdkWithoutTheMethodsHasNoThreadsAndNoException);
    RUN(anExceptionOfTheJvmStaysPendingForTheJavaHalf);
    RUN(onlyAThreadThatIsNotVirtualHasAnEmptyStack);
}
