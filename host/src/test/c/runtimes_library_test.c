/* The library of a JVM, and the host's library opened again beside another JVM. */
#define _GNU_SOURCE
#include "jvms.h"

static const char *missing = "";    /* a symbol that no library exports */
static _Thread_local bool is_there;     /* a thread that the C library of the other JVM has created */
static void *(*run_there)(void *);
static bool called_there;
static JavaVM *passed_vm;
static char passed_options[256];

static void *start_there(void *argument) {
    is_there = true;
    return run_there(argument);
}

static int create_there(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    size_t size;
    CHECK(pthread_attr_getstacksize(attributes, &size) == 0 && size == HOST_STACK_BYTES);
    run_there = run;
    return pthread_create(thread, NULL, start_there, argument);
}

static int join_there(pthread_t thread, void **result) {
    return pthread_join(thread, result);
}

static jint JNICALL attach_there(JavaVM *vm, char *options, void *reserved) {
    called_there = is_there;
    passed_vm = vm;
    strcpy(passed_options, options);
    CHECK(reserved == NULL);
    return LOAD_RESULT_ATTACHED;
}

static struct jvm *asked;       /* the JVM whose library was searched for JNI_GetCreatedJavaVMs */

static jint JNICALL created_vms(JavaVM **vms, jsize size, jsize *count) {
    CHECK(size == 1);
    *vms = &asked->vm;
    *count = asked->is_created;
    return 0;
}

static void *planted_dlsym(void *handle, const char *name) {
    if (strcmp(name, missing) == 0) {
        return NULL;
    }
    if (strcmp(name, "Agent_OnAttach") == 0) {
        CHECK(handle == &copy);
        return (void *)(uintptr_t)attach_there;
    }
    asked = handle;
    return strcmp(name, "JNI_GetCreatedJavaVMs") == 0 ? (void *)(uintptr_t)created_vms
            : strcmp(name, "pthread_create") == 0 ? (void *)(uintptr_t)create_there
            : strcmp(name, "pthread_join") == 0 ? (void *)(uintptr_t)join_there : NULL;
}

static void anAddressBelongsToTheJvmWhoseLibraryContainsIt(void) {
    begin();
    struct jvm *ours = mapped("/a/libjvm.so", 100);
    struct jvm *other = mapped("/b/libjvm.so", 200);
    host.vm = &ours->vm;
    CHECK(runtime_has((const void *)(uintptr_t)(ours->start + 0x1234)));
    CHECK(!runtime_has((const void *)(uintptr_t)(other->start + 0x1234)));
    CHECK(!runtime_has((const void *)(uintptr_t)0x1234));
    CHECK(runtime_is_at(&ours->vm, ours->start) && !runtime_is_at(&ours->vm, other->start));
    CHECK(runtime_is_at(&ours->vm, 0));
}

static void theLibraryOfTheJvmIsOpenedInItsNamespace(void) {
    begin();
    mapped("/a/libjvm.so", 100);
    struct jvm *ours = mapped("/a/libjvm.so", 200);
    host.vm = &ours->vm;
    CHECK(runtime_library() == ours && references == 1);
    planted_dlclose(ours);
}

static void aRequestForAnotherJvmIsPassedOnWithoutTheAddress(void) {
    begin();
    mapped("/a/libjvm.so", 100);
    struct jvm *other = mapped("/b/libjvm.so", 200);
    called_there = false;
    CHECK(runtime_forward(other->start, "abc,123,7f0001000000") == LOAD_RESULT_ATTACHED);
    CHECK(called_there && copy_beside == other && passed_vm == &other->vm);
    CHECK(strcmp(passed_options, "abc,123o") == 0 && references == 0);
}

static void aRequestForAJvmThatCannotBeReachedIsRefused(void) {
    static const char *const needed[] = {"JNI_GetCreatedJavaVMs", "Agent_OnAttach", "pthread_create", "pthread_join"};
    begin();
    struct jvm *other = mapped("/b/libjvm.so", 200);
    called_there = false;
    CHECK(runtime_forward(other->start + 0x1000, "abc,7f0000000000") == LOAD_RESULT_OTHER_RUNTIME);
    CHECK(runtime_forward(0x1000, "abc,7f0000000000") == LOAD_RESULT_OTHER_RUNTIME);
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        missing = needed[i];
        CHECK(runtime_forward(other->start, "abc,7f0000000000") == LOAD_RESULT_OTHER_RUNTIME && references == 0);
    }
    missing = "";
    other->is_created = false;
    CHECK(runtime_forward(other->start, "abc,7f0000000000") == LOAD_RESULT_OTHER_RUNTIME);
    CHECK(!called_there && references == 0);
}

int main(void) {
    RUN(anAddressBelongsToTheJvmWhoseLibraryContainsIt);
    RUN(theLibraryOfTheJvmIsOpenedInItsNamespace);
    RUN(aRequestForAnotherJvmIsPassedOnWithoutTheAddress);
    RUN(aRequestForAJvmThatCannotBeReachedIsRefused);
}
