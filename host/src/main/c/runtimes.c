/*
 * Which of several JVMs. Those of different JDKs are each in a namespace of the dynamic linker of its own (dlmopen), with a C
 * library of its own. The attach mechanism answers for one of them: the one whose handler of SIGQUIT came last. If another is
 * meant, this library is opened once more, beside that one, and does its work there: on threads of the C library that the JVM there
 * uses, because it has variables for each thread that only its own threads have.
 */
#define _GNU_SOURCE
#include "host.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

enum { STACK_BYTES = 1 << 20 };

/* Where the library begins that an address is in; 0 if it is in none. */
static uint64_t library_start(const void *address, struct link_map **map) {
    Dl_info info;
    return dladdr1(address, &info, (void **)map, RTLD_DL_LINKMAP) == 0 ? 0 : (uint64_t)(uintptr_t)info.dli_fbase;
}

/*
 * A reference to the library that an address is in, and its namespace; NULL if it is in none. Its link map alone would not do
 * for dlsym: that of a library which came as the dependency of another has no list to search in.
 */
static void *open_library(const void *address, Lmid_t *namespace) {
    struct link_map *map;
    return library_start(address, &map) == 0 || dlinfo(map, RTLD_DI_LMID, namespace) != 0 ? NULL
            : dlmopen(*namespace, map->l_name, RTLD_NOW | RTLD_NOLOAD);
}

/* A reference to libjvm of the JVM that we are in, to be closed; or NULL. */
void *runtime_library(void) {
    Lmid_t namespace;
    return open_library((const void *)(uintptr_t)(*host.vm)->GetEnv, &namespace);
}

/* Whether a JVM's library begins there; any is meant by 0. */
bool runtime_is_at(JavaVM *vm, uint64_t library) {
    struct link_map *map;
    return library == 0 || library_start((const void *)(uintptr_t)(*vm)->GetEnv, &map) == library;
}

/* Whether a function is one of the JVM that we are in. */
bool runtime_has(const void *function) {
    struct link_map *map;
    uint64_t library = library_start(function, &map);
    return library != 0 && runtime_is_at(host.vm, library);
}

/* Whether the process has another JVM beside the one that we are in. */
bool runtime_has_company(void) {
    FILE *maps = fopen("/proc/self/maps", "re");
    int count = 0;
    char line[512];
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        char flags[5] = "";
        sscanf(line, "%*s %4s", flags);
        count += flags[2] == 'x' && strstr(line, "/libjvm.so") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return count > 1;
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

/* On a thread of the C library that the JVM uses; the JVM itself needs it, by whatever name it has. */
static bool call_there(void *jvm, void *copy, struct call *call) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
            (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))(uintptr_t)dlsym(jvm, "pthread_create");
    int (*join)(pthread_t, void **) = (int (*)(pthread_t, void **))(uintptr_t)dlsym(jvm, "pthread_join");
    call->entry = (jint (JNICALL *)(JavaVM *, char *, void *))(uintptr_t)dlsym(copy, "Agent_OnAttach");
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK_BYTES);
    return create != NULL && join != NULL && call->entry != NULL && create(&thread, &small, run_call, call) == 0
            && join(thread, NULL) == 0;
}

/* In a copy of this library, in the namespace of the JVM's. */
static jint call_beside(void *jvm, Lmid_t namespace, struct call *call) {
    Dl_info ours;
    void *copy = dladdr((const void *)(uintptr_t)&call_beside, &ours) == 0 ? NULL
            : dlmopen(namespace, ours.dli_fname, RTLD_NOW);
    jint code = copy != NULL && call_there(jvm, copy, call) ? call->code : OTHER_RUNTIME;
    if (copy != NULL) {
        dlclose(copy);
    }
    return code;
}

/*
 * Has a copy of this library, beside the libjvm that begins there, do what the options say, and returns what it returned;
 * OTHER_RUNTIME if there is no JVM, or no way to it.
 */
jint runtime_forward(uint64_t library, const char *options) {
    struct link_map *map;
    Lmid_t namespace;
    struct call call = {0};
    const void *start = (const void *)(uintptr_t)library;
    void *jvm = library_start(start, &map) != library ? NULL : open_library(start, &namespace);
    if (jvm == NULL) {
        return OTHER_RUNTIME;
    }
    /* Without the address, which is the last; o: the listener is another JVM's. */
    snprintf(call.options, sizeof call.options, "%.*so", (int)(strrchr(options, ',') - options), options);
    call.vm = created_in(jvm);
    jint code = call.vm == NULL ? OTHER_RUNTIME : call_beside(jvm, namespace, &call);
    dlclose(jvm);
    return code;
}
