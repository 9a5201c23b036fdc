/* The state and the CPU time of threads, whose descriptions may be freed meanwhile. */
#define _GNU_SOURCE
#include <time.h>
static int planted_clock_gettime(clockid_t clock, struct timespec *now);
#define clock_gettime planted_clock_gettime
#include "../../main/c/thread_cpu.c"
#undef clock_gettime

#include "check.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int object;
static bool held;               /* the status is in a holder */
static jint status;
static jlong native;            /* Thread.eetop */
static jlong native_afterwards;
static int natives_read;
static struct {
    uint64_t before[2];
    uint64_t osthread;          /* at 16 */
} java_thread;
static struct {
    uint32_t before[3];
    int32_t tid;                /* at 12 */
} os_thread;
static jlong results[2];
static jsize element_at;

static int planted_clock_gettime(clockid_t clock, struct timespec *now) {
    clockid_t expected;
    if (pthread_getcpuclockid(pthread_self(), &expected) == 0 && os_thread.tid == (int32_t)syscall(SYS_gettid)) {
        CHECK(clock == expected);
    }
    return clock_gettime(clock, now);
}

static int status_field;
static int native_field;
static int holder_field;

static jfieldID JNICALL field(JNIEnv *env, jclass class, const char *name, const char *type) {
    (void)env;
    (void)class;
    (void)type;
    return (jfieldID)(strcmp(name, "eetop") == 0 ? &native_field : strcmp(name, "holder") == 0 ? &holder_field
            : &status_field);
}

static jlong JNICALL get_long(JNIEnv *env, jobject thread, jfieldID of) {
    (void)env;
    (void)thread;
    CHECK((void *)of == &native_field);
    return natives_read++ == 0 ? native : native_afterwards;
}

static jint JNICALL get_int(JNIEnv *env, jobject thread, jfieldID of) {
    (void)env;
    (void)thread;
    CHECK((void *)of == &status_field);
    return status;
}

static jobject JNICALL get_object(JNIEnv *env, jobject thread, jfieldID of) {
    (void)env;
    (void)thread;
    CHECK((void *)of == &holder_field && held);
    return (jobject)&object;
}

static void JNICALL clear(JNIEnv *env) { (void)env; }
static void JNICALL delete_local(JNIEnv *env, jobject reference) { (void)env; (void)reference; }
static jsize thread_count = 1;
static jsize JNICALL length_of(JNIEnv *env, jarray array) { (void)env; (void)array; return thread_count; }

static jlongArray JNICALL new_longs(JNIEnv *env, jsize length) {
    (void)env;
    CHECK(length == 2);
    return (jlongArray)&object;
}

static jobject JNICALL element(JNIEnv *env, jobjectArray array, jsize at) {
    (void)env;
    (void)array;
    CHECK(at < thread_count);
    element_at = at;
    return (jobject)&object;
}

static int array_of_numbers;
static int array_of_statuses;
static jlong many_numbers[200];
static jlong many_statuses[200];

static void set_many(jlongArray array, jsize from, jsize count, const jlong *values) {
    CHECK(from >= 0 && count > 0 && from + count <= thread_count);
    memcpy(((void *)array == &array_of_numbers ? many_numbers : many_statuses) + from, values,
            (size_t)count * sizeof *values);
}

static void JNICALL set_longs(JNIEnv *env, jlongArray array, jsize from, jsize count, const jlong *values) {
    (void)env;
    if ((void *)array == &array_of_numbers || (void *)array == &array_of_statuses) {
        set_many(array, from, count, values);
        return;
    }
    CHECK(from == 0 && count == 2);
    memcpy(results, values, sizeof results);
}

static const struct JNINativeInterface_ functions = {
    .GetFieldID = field, .GetLongField = get_long, .GetIntField = get_int, .GetObjectField = get_object,
    .ExceptionClear = clear, .DeleteLocalRef = delete_local, .GetArrayLength = length_of, .NewLongArray = new_longs,
    .GetObjectArrayElement = element, .SetLongArrayRegion = set_longs};
static JNIEnv env = &functions;

jclass class_find(JNIEnv *jni, const char *name) {
    (void)jni;
    return strcmp(name, "java/lang/Thread") == 0 || held ? (jclass)&object : NULL;
}

jlong thread_id(JNIEnv *jni, jobject thread) {
    (void)jni;
    CHECK((void *)thread == &object);
    return 1000 + element_at;
}

void *runtime_library(void) { return NULL; }

bool memory_read(const void *from, void *to, size_t size) {
    if ((uintptr_t)from < 4096) {
        return false;
    }
    memcpy(to, from, size);
    return true;
}

bool table_field(void *jvm, const char *type, const char *name, struct field_place *place) {
    (void)jvm; (void)type; (void)name; (void)place;
    abort();
}

static const struct thread_layout layout = {16, 12, true};

static void plant(void) {
    native = native_afterwards = (jlong)(intptr_t)&java_thread;
    java_thread.osthread = (uint64_t)(uintptr_t)&os_thread;
    os_thread.tid = (int32_t)syscall(SYS_gettid);
    natives_read = 0;
}

static jlong cpu(void) {
    const struct thread_fields fields = fields_now(&env);
    natives_read = 0;
    return cpu_of(&env, &fields, &layout, (jobject)&object);
}

static void theCpuTimeIsThatOfTheKernelsClock(void) {
    struct timespec before;
    struct timespec after;
    plant();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    jlong used = cpu();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    CHECK(used >= before.tv_sec * 1000000000 + before.tv_nsec && used <= after.tv_sec * 1000000000 + after.tv_nsec);
}

static void aThreadThatEndsMeanwhileHasNoCpuTime(void) {
    plant();
    native_afterwards = 0;
    CHECK(cpu() == -1);
    plant();
    native = native_afterwards = 0;
    CHECK(cpu() == -1);
}

static void impossibleDescriptionsHaveNoCpuTime(void) {
    plant();
    java_thread.osthread = 0;
    CHECK(cpu() == -1);
    plant();
    java_thread.osthread = 8;
    CHECK(cpu() == -1);
    plant();
    os_thread.tid = -1;
    CHECK(cpu() == -1);
    plant();
    os_thread.tid = 0x7fffffff;
    CHECK(cpu() == -1);
}

static void theStatusIsReadFromTheThreadOrItsHolder(void) {
    plant();
    status = 225;
    for (int i = 0; i < 2; i++) {
        held = i == 1;
        natives_read = 0;
        CHECK(threads_numbers(&env, (jobjectArray)&object) == (jlongArray)&object);
        CHECK(results[0] == 225 && results[1] == -1);
    }
    held = false;
}

static void numbersAndStatusesOfManyThreadsAreReadInParts(void) {
    static const jsize counts[] = {0, 1, 63, 64, 65, 200};
    status = 1025;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        memset(many_numbers, 0, sizeof many_numbers);
        thread_count = counts[i];
        threads_statuses(&env, (jobjectArray)&object, (jlongArray)&array_of_numbers, (jlongArray)&array_of_statuses);
        for (jsize at = 0; at < thread_count; at++) {
            CHECK(many_numbers[at] == 1000 + at && many_statuses[at] == 1025);
        }
        CHECK(thread_count == 200 || many_numbers[thread_count] == 0);
    }
    thread_count = 1;
}

int main(void) {
    RUN(numbersAndStatusesOfManyThreadsAreReadInParts);
    RUN(theCpuTimeIsThatOfTheKernelsClock);
    RUN(aThreadThatEndsMeanwhileHasNoCpuTime);
    RUN(impossibleDescriptionsHaveNoCpuTime);
    RUN(theStatusIsReadFromTheThreadOrItsHolder);
}
