/*
 * Which of several JVMs. Those of different JDKs are each in a namespace of the dynamic linker of its own (dlmopen), with a C
 * library of its own. The attach mechanism answers for one of them, the one that took SIGQUIT last. If another is meant, this
 * library is opened once more, beside that one, and does its work there: on threads of the C library that the JVM there uses,
 * because it has variables for each thread that only its own threads have.
 */
#define _GNU_SOURCE
#include "host.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* The library that an address is in, as dlsym takes it: in the GNU C library a handle is the link map. NULL if in none. */
static void *library_at(const void *address, uint64_t *start) {
    Dl_info info;
    struct link_map *map = NULL;
    if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) == 0) {
        return NULL;
    }
    *start = (uint64_t)(uintptr_t)info.dli_fbase;
    return map;
}

/* libjvm of the JVM that we are in, or NULL. It is never closed. */
void *runtime_library(void) {
    uint64_t start;
    return library_at((const void *)(uintptr_t)(*host.vm)->GetEnv, &start);
}

/* Whether a JVM's library begins there; any is meant by 0. */
bool runtime_is_at(JavaVM *vm, uint64_t library) {
    uint64_t start;
    return library == 0
            || (library_at((const void *)(uintptr_t)(*vm)->GetEnv, &start) != NULL && start == library);
}

/* Whether a function is one of the JVM that we are in. */
bool runtime_has(const void *function) {
    uint64_t start;
    return library_at(function, &start) != NULL && runtime_is_at(host.vm, start);
}

/* The JVM in a library, or NULL. */
static JavaVM *created_in(void *library) {
    jint (JNICALL *created)(JavaVM **, jsize, jsize *) =
            (jint (JNICALL *)(JavaVM **, jsize, jsize *))(uintptr_t)dlsym(library, "JNI_GetCreatedJavaVMs");
    JavaVM *vm = NULL;
    jsize count = 0;
    return created != NULL && created(&vm, 1, &count) == 0 && count == 1 ? vm : NULL;
}

struct call {
    jint (JNICALL *entry)(JavaVM *, char *, void *);
    JavaVM *vm;
    char options[256];
    jint code;
};

static void *run_call(void *argument) {
    struct call *call = argument;
    call->code = call->entry(call->vm, call->options, NULL);
    return NULL;
}

/* On a thread of the C library that the other copy uses. */
static bool call_there(void *copy, struct call *call) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
            (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))(uintptr_t)dlsym(copy, "pthread_create");
    int (*join)(pthread_t, void **) = (int (*)(pthread_t, void **))(uintptr_t)dlsym(copy, "pthread_join");
    call->entry = (jint (JNICALL *)(JavaVM *, char *, void *))(uintptr_t)dlsym(copy, "Agent_OnAttach");
    pthread_t thread;
    return create != NULL && join != NULL && call->entry != NULL && create(&thread, NULL, run_call, call) == 0
            && join(thread, NULL) == 0;
}

/* A copy of this library in the namespace of another, or NULL. */
static void *open_beside(void *other) {
    Dl_info ours;
    Lmid_t namespace;
    return dladdr((const void *)(uintptr_t)&open_beside, &ours) == 0 || dlinfo(other, RTLD_DI_LMID, &namespace) != 0 ? NULL
            : dlmopen(namespace, ours.dli_fname, RTLD_NOW);
}

/*
 * Has a copy of this library, beside the libjvm that begins there, do what the options say, and returns what it returned;
 * OTHER_RUNTIME if there is no JVM, or no way to it.
 */
jint runtime_forward(uint64_t library, const char *options) {
    struct call call = {.code = OTHER_RUNTIME};
    uint64_t start = 0;
    void *jvm = library_at((const void *)(uintptr_t)library, &start);
    call.vm = jvm == NULL || start != library ? NULL : created_in(jvm);
    void *copy = call.vm == NULL ? NULL : open_beside(jvm);
    if (copy == NULL) {
        return OTHER_RUNTIME;
    }
    /* Without the address, which is the last; o: the listener is another JVM's. */
    snprintf(call.options, sizeof call.options, "%.*so", (int)(strrchr(options, ',') - options), options);
    jint code = call_there(copy, &call) ? call.code : OTHER_RUNTIME;
    dlclose(copy);
    return code;
}
