/* Threads and stacks, read by methods that a JDK may lack and that may throw. */
#include "../../main/c/threads.c"

#include "check.h"

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

static jlong JNICALL number(JNIEnv *env, jobject thread, jfieldID of) {
    (void)env;
    CHECK((void *)thread == &object && (void *)of == &object);
    return 42;
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
    .IsInstanceOf = instance_of, .ExceptionCheck = is_pending, .ExceptionClear = clear, .DeleteLocalRef = forget};
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
    RUN(aJdkWithoutTheMethodsHasNoThreadsAndNoException);
    RUN(anExceptionOfTheJvmStaysPendingForTheJavaHalf);
    RUN(onlyAThreadThatIsNotVirtualHasAnEmptyStack);
}
