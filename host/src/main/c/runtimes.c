/*
 * Selects one of several JVMs. JVMs of different JDKs each have their own namespace of the dynamic linker (dlmopen),
 * with their own C library. The attach mechanism answers for one of them: the JVM whose SIGQUIT handler was installed
 * last. If the request is for another, this library is opened a second time in that JVM's namespace and runs there, on
 * threads that the C library of the other JVM creates: only threads created by a C library have its thread-local
 * variables.
 *
 * Ranks the JVMs by the rule of ProcessRuntimes, which ranks them from outside: by the start time of their reference
 * handlers, then by the addresses of their libraries. A profiler that is loaded at launch needs the rank before any
 * command could supply it. The tables of a JVM are found through the dynamic linker, not in the file of libjvm, which
 * this process may be unable to open. The two ranks of a launched JVM differ only if another JVM
 * - starts in the same clock tick (10 ms) at a lower address: ProcessRuntimes waits for the end of the tick, but a
 *   launch is not delayed;
 * - has a reference handler but cannot be read here, such as a JVM of JDK 11, which describes no list of its threads:
 *   ProcessRuntimes counts the handler;
 * or if /proc is that of another pid namespace, in which the threads have other ids: then no start is found here, and
 * the rank is 1.
 */
#define _GNU_SOURCE
#include "runtimes.h"
#include "host.h"
#include "memory.h"
#include "tables.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Upper bound on the ranked JVMs of a process. */
enum { MAX_RUNTIMES = 64 };
/*
 * Upper bound on the inspected entries of a JVM's thread list. Only the thread that created the JVM precedes the
 * reference handler in it.
 */
enum { MAX_THREADS_READ = 64 };
/* Upper bound on the attempts to read a list that the JVM replaces meanwhile; the same as in ThreadList. */
enum { MAX_LISTS_READ = 8 };

/* Returns the start address of the library that contains an address; 0 if there is none. */
static uint64_t runtime_library_start(const void *address, struct link_map **map) {
    Dl_info info;
    return dladdr1(address, &info, (void **)map, RTLD_DL_LINKMAP) == 0 ? 0 : (uint64_t)(uintptr_t)info.dli_fbase;
}

/*
 * Returns a reference to the library that contains an address, and its namespace; NULL if there is none. The link map
 * alone is insufficient for dlsym: a library loaded as a dependency of another has no search list.
 */
static void *runtime_open_library(const void *address, Lmid_t *namespace) {
    struct link_map *map;
    return runtime_library_start(address, &map) == 0 || dlinfo(map, RTLD_DI_LMID, namespace) != 0 ? NULL
            : dlmopen(*namespace, map->l_name, RTLD_NOW | RTLD_NOLOAD);
}

/* Returns a reference to libjvm of the JVM that hosts this library, which the caller closes; or NULL. */
void *runtime_library(void) {
    Lmid_t namespace;
    return runtime_open_library((const void *)(uintptr_t)(*host.vm)->GetEnv, &namespace);
}

/* Returns the start address of the library of a JVM; 0 if it is not found. */
uint64_t runtime_address(JavaVM *vm) {
    struct link_map *map;
    return runtime_library_start((const void *)(uintptr_t)(*vm)->GetEnv, &map);
}

/* Returns true if the JVM's library begins at this address; 0 means any library. */
bool runtime_is_at(JavaVM *vm, uint64_t library) {
    return library == 0 || runtime_address(vm) == library;
}

/* Returns true if the function belongs to the JVM that hosts this library. */
bool runtime_has(const void *function) {
    struct link_map *map;
    uint64_t library = runtime_library_start(function, &map);
    return library != 0 && runtime_is_at(host.vm, library);
}

/*
 * Returns true if a line of /proc/self/maps is code of a file named libjvm.so, and the address at which it begins. The
 * kernel writes a line feed of a path as \012, and appends " (deleted)" to the path of a file without a name.
 */
static bool is_jvm_code(const char *line, const void **code) {
    static const char name[] = "/libjvm.so";
    static const char deleted[] = " (deleted)";
    unsigned long from;
    char flags[5] = "";
    int path = 0;
    if (sscanf(line, "%lx-%*x %4s %*x %*s %*u %n", &from, flags, &path) != 2 || flags[2] != 'x' || line[path] != '/') {
        return false;
    }
    size_t end = (size_t)path + strcspn(line + path, "\n");
    if (end >= path + strlen(deleted) && strncmp(line + end - strlen(deleted), deleted, strlen(deleted)) == 0) {
        end -= strlen(deleted);
    }
    *code = (const void *)from;
    return end >= path + strlen(name) && strncmp(line + end - strlen(name), name, strlen(name)) == 0;
}

/*
 * Finds the start addresses of the mapped libjvms, at most MAX_RUNTIMES; 0 stands for those that the dynamic linker
 * does not know. Returns their number.
 */
static uint32_t runtime_libraries(uint64_t *libraries) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t size = 0;
    uint32_t count = 0;
    while (maps != NULL && count < MAX_RUNTIMES && getline(&line, &size, maps) > 0) {
        const void *code;
        if (is_jvm_code(line, &code)) {
            struct link_map *map;
            uint64_t library = runtime_library_start(code, &map);
            bool known = false;
            for (uint32_t i = 0; i < count; i++) {
                known = known || libraries[i] == library;
            }
            libraries[count] = library;
            count += known ? 0 : 1;
        }
    }
    free(line);
    if (maps != NULL) {
        fclose(maps);
    }
    return count;
}

/* Returns true if the process has another libjvm, in which a JVM may have been started. */
bool runtime_has_company(void) {
    uint64_t libraries[MAX_RUNTIMES];
    return runtime_libraries(libraries) > 1;
}

/* Returns the JVM created by a library, or NULL. */
static JavaVM *jvm_created_in(void *library) {
    jint (JNICALL *created)(JavaVM **, jsize, jsize *) =
            (jint (JNICALL *)(JavaVM **, jsize, jsize *))(uintptr_t)dlsym(library, "JNI_GetCreatedJavaVMs");
    JavaVM *vm = NULL;
    jsize count = 0;
    return created != NULL && created(&vm, 1, &count) == 0 && count == 1 ? vm : NULL;
}

struct runtime_call {
    jint (JNICALL *entry)(JavaVM *, char *, void *);
    JavaVM *vm;
    char options[256];
    jint code;
};

static void *runtime_call_run(void *argument) {
    struct runtime_call *call = argument;
    call->code = call->entry(call->vm, call->options, NULL);
    return NULL;
}

/*
 * Makes the call on a thread that the C library of the JVM creates. The lookup through the JVM finds that library,
 * whatever its name, because the JVM depends on it.
 */
static bool runtime_call_there(void *jvm, void *copy, struct runtime_call *call) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
            (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))
            (uintptr_t)dlsym(jvm, "pthread_create");
    int (*join)(pthread_t, void **) = (int (*)(pthread_t, void **))(uintptr_t)dlsym(jvm, "pthread_join");
    call->entry = (jint (JNICALL *)(JavaVM *, char *, void *))(uintptr_t)dlsym(copy, "Agent_OnAttach");
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, HOST_STACK_BYTES);
    return create != NULL && join != NULL && call->entry != NULL && create(&thread, &small, runtime_call_run, call) == 0
            && join(thread, NULL) == 0;
}

/* Makes the call in a copy of this library, in the namespace of the JVM's library. */
static jint runtime_call_beside(void *jvm, Lmid_t namespace, struct runtime_call *call) {
    Dl_info ours;
    void *copy = dladdr((const void *)(uintptr_t)&runtime_call_beside, &ours) == 0 ? NULL
            : dlmopen(namespace, ours.dli_fname, RTLD_NOW);
    jint code = copy != NULL && runtime_call_there(jvm, copy, call) ? call->code : LOAD_RESULT_OTHER_RUNTIME;
    if (copy != NULL) {
        dlclose(copy);
    }
    return code;
}

/*
 * Loads a copy of this library beside the libjvm at this address, and passes the options to it. Returns the copy's
 * result, or OTHER_RUNTIME if there is no JVM or it cannot be reached.
 */
jint runtime_forward(uint64_t library, const char *options) {
    struct link_map *map;
    Lmid_t namespace;
    struct runtime_call call = {0};
    const void *start = (const void *)(uintptr_t)library;
    void *jvm = runtime_library_start(start, &map) != library ? NULL : runtime_open_library(start, &namespace);
    if (jvm == NULL) {
        return LOAD_RESULT_OTHER_RUNTIME;
    }
    /* Omits the address, which is the last option, and adds o: the listener belongs to another JVM. */
    snprintf(call.options, sizeof call.options, "%.*so", (int)(strrchr(options, ',') - options), options);
    call.vm = jvm_created_in(jvm);
    jint code = call.vm == NULL ? LOAD_RESULT_OTHER_RUNTIME : runtime_call_beside(jvm, namespace, &call);
    dlclose(jvm);
    return code;
}

/*
 * Returns the start time of a thread of this process, in clock ticks since boot (field 22 of its stat); 0 if it has
 * ended.
 */
static uint64_t thread_start_time(pid_t thread) {
    char path[64];
    char line[1024];
    unsigned long long start = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        size_t length = fread(line, 1, sizeof line - 1, file);
        line[length] = 0;
        char *name_end = strrchr(line, ')');
        if (name_end == NULL
                || sscanf(name_end + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
                " %*s %llu", &start) != 1) {
            start = 0;
        }
        fclose(file);
    }
    return start;
}

/*
 * Returns true if the kernel's thread name is that of a reference handler. Since JDK 26, HotSpot cuts names in the
 * middle.
 */
static bool is_reference_handler(pid_t thread) {
    char path[64];
    char line[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)thread);
    FILE *file = fopen(path, "re");
    bool named = file != NULL && fgets(line, sizeof line, file) != NULL
            && (strcmp(line, "Reference Handl\n") == 0 || strcmp(line, "Referen..andler\n") == 0);
    if (file != NULL) {
        fclose(file);
    }
    return named;
}

/* Reads a pointer or number of a JVM. If the JVM is ending and its memory is already unmapped, returns 0. */
static uint64_t runtime_read_word(const char *at, size_t size) {
    uint64_t value = 0;
    return at != NULL && memory_read(at, &value, size) ? value : 0;
}

/* The places of a JVM's list of threads and of the fields that lead to the kernel's id of a thread. */
struct thread_places {
    struct field_place list;
    struct field_place length;
    struct field_place threads;
    struct field_place os_thread;
    struct field_place id;
};

static bool find_thread_places(void *jvm, struct thread_places *at) {
    return table_field(jvm, "ThreadsSMRSupport", "_java_thread_list", &at->list)
            && table_field(jvm, "ThreadsList", "_length", &at->length)
            && table_field(jvm, "ThreadsList", "_threads", &at->threads)
            /* Described as a field of JavaThread until JDK 17 at least, of Thread in JDK 25. */
            && (table_field(jvm, "JavaThread", "_osthread", &at->os_thread)
                    || table_field(jvm, "Thread", "_osthread", &at->os_thread))
            && table_field(jvm, "OSThread", "_thread_id", &at->id);
}

/* Returns the start time of the reference handler in a list of threads; 0 if it is not found. */
static uint64_t start_time_in(const char *list, const struct thread_places *at) {
    uint64_t count = runtime_read_word(list + at->length.offset, sizeof(uint32_t));
    const char *all = (const char *)(uintptr_t)runtime_read_word(list + at->threads.offset, sizeof(void *));
    for (uint64_t i = 0; all != NULL && i < count && i < MAX_THREADS_READ; i++) {
        const char *thread = (const char *)(uintptr_t)runtime_read_word(all + i * sizeof(void *), sizeof(void *));
        const char *os = thread == NULL ? NULL
                : (const char *)(uintptr_t)runtime_read_word(thread + at->os_thread.offset, sizeof(void *));
        pid_t tid = os == NULL ? 0 : (pid_t)runtime_read_word(os + at->id.offset, sizeof(uint32_t));
        if (tid > 0 && is_reference_handler(tid)) {
            return thread_start_time(tid);
        }
    }
    return 0;
}

/*
 * Returns the start time of a JVM in clock ticks: that of its reference handler, the first thread that a JVM starts for
 * Java. It outlives DestroyJavaVM. Returns 0 if no JVM has been started in that library. A JVM replaces its list when a
 * thread starts or ends, and may reuse the memory of the old one at once.
 */
static uint64_t jvm_start_time(void *jvm) {
    struct thread_places at;
    const char *last = NULL;
    uint64_t start = 0;
    bool replaced = find_thread_places(jvm, &at);
    for (int i = 0; i < MAX_LISTS_READ && start == 0 && replaced; i++) {
        const char *list = (const char *)(uintptr_t)runtime_read_word(at.list.address, sizeof(void *));
        replaced = list != last;
        start = replaced && list != NULL ? start_time_in(list, &at) : 0;
        last = list;
    }
    return start;
}

/* Returns the start time of the JVM whose libjvm is at this address; 0 if none has been started. */
static uint64_t runtime_start_time(uint64_t library) {
    Lmid_t namespace;
    void *jvm = runtime_open_library((const void *)(uintptr_t)library, &namespace);
    uint64_t start = jvm == NULL ? 0 : jvm_start_time(jvm);
    if (jvm != NULL) {
        dlclose(jvm);
    }
    return start;
}

/*
 * Returns the rank of this JVM among the started JVMs of the process, from 1: ordered by start time, then by library
 * address. Commands outside use the same rule (StartedVms, ProcessRuntimes). This is computed only at launch; otherwise
 * the trigger supplies the rank.
 */
uint32_t runtime_rank(void) {
    uint64_t ours = host.library;
    uint64_t start = runtime_start_time(ours);
    uint64_t others[MAX_RUNTIMES];
    uint32_t count = runtime_libraries(others);
    uint32_t rank = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t other = others[i] == 0 || others[i] == ours ? 0 : runtime_start_time(others[i]);
        rank += other != 0 && (other < start || (other == start && others[i] < ours));
    }
    return rank;
}
