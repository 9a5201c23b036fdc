/*
 * The entry point. The JVM's attach listener calls Agent_OnAttach, which opens the record and the channel, starts two
 * threads and returns a nonzero number. The JVM then releases the library and does not list it as an agent.
 */
#define _GNU_SOURCE
#include "callbacks.h"
#include "channel.h"
#include "classes.h"
#include "clock.h"
#include "flags.h"
#include "host.h"
#include "life.h"
#include "listener.h"
#include "record.h"
#include "runtimes.h"
#include "wake.h"
#include "worker.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <errno.h>
#include <jvmti.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool parse_hex(const char *text, uint8_t *to, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned value;
        if (sscanf(text + 2 * i, "%2x", &value) != 1) {
            return false;
        }
        to[i] = (uint8_t)value;
    }
    return true;
}

/* Parses a number that consists only of these digits; strtoull(3) also accepts leading blanks, a sign and "0x". */
static bool parse_number(const char *text, const char *digits, int base, uint64_t *value, char **end) {
    errno = 0;
    *value = strtoull(text, end, base);
    return errno == 0 && *end != text && (size_t)(*end - text) == strspn(text, digits);
}

/*
 * Parses "1,<32 hex>,<deadline>,<some of l, d and o, or ->", followed by ",<hex>" if the process has several JVMs: the
 * address of the library of the requested JVM.
 */
static bool parse_options(const char *options, uint64_t *library) {
    if (options == NULL || strncmp(options, LOAD_OPTION_VERSION, strlen(LOAD_OPTION_VERSION)) != 0
            || strlen(options) > LOAD_OPTION_MAX_LENGTH) {
        return false;
    }
    const char *request = options + strlen(LOAD_OPTION_VERSION);
    if (strspn(request, "0123456789abcdef") != ATTACH_SIZE_REQUEST_DIGITS || request[ATTACH_SIZE_REQUEST_DIGITS] != ','
            || !parse_hex(request, host.request, ATTACH_SIZE_REQUEST)) {
        return false;
    }
    char *end;
    const char *deadline = request + ATTACH_SIZE_REQUEST_DIGITS + 1;
    if (!parse_number(deadline, "0123456789", 10, &host.deadline, &end) || end[0] != ',') {
        return false;
    }
    const char *letters = end + 1;
    size_t count = strspn(letters, "ldo-");
    host.stop_listener = memchr(letters, LOAD_OPTION_STOP_LISTENER, count) != NULL;
    host.remaining_classes_accepted = memchr(letters, LOAD_OPTION_REMAINING_CLASSES, count) != NULL;
    host.listener_is_others = memchr(letters, LOAD_OPTION_LISTENER_OTHERS, count) != NULL;
    if (count > 0 && letters[count] == ',') {
        return parse_number(letters + count + 1, "0123456789abcdef", 16, library, &end) && *end == 0 && *library != 0;
    }
    return count > 0 && letters[count] == 0;
}

/* Takes a reference to this library by the name under which the JVM opened it. */
static bool hold_library(void) {
    Dl_info info;
    if (dladdr((void *)(uintptr_t)&hold_library, &info) == 0 || info.dli_fname == NULL) {
        return false;
    }
    host.self = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    return host.self != NULL;
}

#define OWN_NAME "/" HOST_NAME_FILE
enum { OWN_NAME_LENGTH = sizeof OWN_NAME - 1, OWN_DIRECTORY = OWN_NAME_LENGTH + HOST_NAME_DIRECTORY_DIGITS };

/*
 * Finds the file from which this library was loaded, if the file was created for that purpose. Its path is
 * "DIRECTORY/.mayfly-<16 hex>/.mayfly-<32 hex>.so". Returns false for any other file, such as the memory of a JVM that
 * starts with a profiler.
 */
static bool agent_own_file(char *path, size_t size) {
    Dl_info info;
    if (dladdr((void *)(uintptr_t)&agent_own_file, &info) == 0 || info.dli_fname == NULL
            || snprintf(path, size, "%s", info.dli_fname) >= (int)size) {
        return false;
    }
    char *name = strrchr(path, '/');
    return name != NULL && name - path >= OWN_DIRECTORY
            && strncmp(name - OWN_DIRECTORY, OWN_NAME, OWN_NAME_LENGTH) == 0
            && strncmp(name, OWN_NAME, OWN_NAME_LENGTH) == 0
            && strspn(name + OWN_NAME_LENGTH, "0123456789abcdef") == HOST_NAME_LIBRARY_DIGITS
            && strcmp(name + OWN_NAME_LENGTH + HOST_NAME_LIBRARY_DIGITS, HOST_NAME_LIBRARY_SUFFIX) == 0;
}

/*
 * Removes the file. The trigger or its cleanup process, if one of them still runs, would remove it too. If the file is
 * missing, they conclude that the request was accepted.
 */
static void agent_remove_file(void) {
    char path[256];
    if (agent_own_file(path, sizeof path)) {
        unlink(path);
        *strrchr(path, '/') = 0;
        rmdir(path);
    }
}

/*
 * Binds the channel's socket beside the library, at the library's name without ".so". The process that removes the
 * library also removes the socket if the JVM is killed between the creation of the socket and its removal. A library
 * without a file has no such process.
 */
static int agent_open_channel(void) {
    char path[256];
    if (!agent_own_file(path, sizeof path)) {
        return channel_open_apart();
    }
    *strrchr(path, '.') = 0;
    return channel_open(path);
}

/*
 * Starts a thread with all signals blocked, so that it runs no signal handler of the program: such a handler may need a
 * larger stack or a thread of the program. Signals raised by an instruction of the thread itself are not blocked. The
 * JVM unblocks the signals that it needs when the thread is attached to it.
 */
static int start_thread(pthread_t *thread, void *(*run)(void *), void *argument) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    pthread_attr_t small;
    sigset_t blocked;
    sigset_t before;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, HOST_STACK_BYTES);
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        sigdelset(&blocked, own[i]);
    }
    /*
     * A new thread inherits this thread's mask. pthread_sigmask has the symbol version GLIBC_2.32 in newer C libraries,
     * so sigprocmask is called, which on Linux also sets the calling thread's mask.
     */
    sigprocmask(SIG_SETMASK, &blocked, &before);
    int failed = pthread_create(thread, &small, run, argument);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return failed;
}

static int start_worker(enum work work) {
    static enum work given;
    pthread_t worker;
    given = work;
    int failed = start_thread(&worker, worker_run, &given);
    if (failed == 0) {
        pthread_detach(worker);
    }
    return failed;
}

static int start_threads(void) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&host.lock, NULL);
    pthread_cond_init(&host.changed, &monotonic);
    int failed = start_thread(&host.channel, channel_run, NULL);
    if (failed == 0) {
        failed = start_worker(HOST_A_PROFILER);
        if (failed != 0) {
            life_to(HOST_LIFE_GONE);
            wake_channel();
            pthread_join(host.channel, NULL);
        }
    }
    return failed;
}

/* Returns true if the profiler can be unloaded, or if the user accepted that its classes stay loaded. */
static bool can_detach(void) {
    host.never_collects = flag_is_set("UseEpsilonGC", false);
    host.remaining_classes = host.never_collects || !flag_is_set("ClassUnloading", true);
    return !host.remaining_classes || host.remaining_classes_accepted;
}

/*
 * Returns true if the program has a security manager. JDK methods that the host calls would call it on the host's
 * thread.
 */
static bool has_security_manager(void) {
    JNIEnv *env;
    if ((*host.vm)->GetEnv(host.vm, (void **)&env, JNI_VERSION_10) != 0) {
        return false;
    }
    jclass system = class_find(env, "java/lang/System");
    jmethodID get = system == NULL ? NULL
            : (*env)->GetStaticMethodID(env, system, "getSecurityManager", "()Ljava/lang/SecurityManager;");
    jobject found = get == NULL ? NULL : (*env)->CallStaticObjectMethod(env, system, get);
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, found);
    (*env)->DeleteLocalRef(env, system);
    return found != NULL;
}

static int open_host(void) {
    if (record_find()) {
        return LOAD_RESULT_ALREADY_ACTIVE;
    }
    if (has_security_manager()) {
        return LOAD_RESULT_SECURITY_MANAGER;
    }
    if (!can_detach()) {
        return LOAD_RESULT_NO_UNLOADING;
    }
    if (now_boottime() >= host.deadline) {
        return LOAD_RESULT_EXPIRED;
    }
    int failed = agent_open_channel();
    if (failed == 0) {
        failed = record_open(life_published());
    }
    if (failed == 0 && !hold_library()) {
        failed = ENOEXEC;
    }
    if (failed == 0) {
        failed = callbacks_open();
    }
    if (failed == 0) {
        failed = start_threads();
        if (failed != 0) {
            callbacks_close();
        }
    }
    if (failed != 0) {
        channel_close_files();
        record_close();
        if (host.self != NULL) {
            dlclose(host.self);
        }
        return LOAD_RESULT_NOT_OPENED - failed;
    }
    return LOAD_RESULT_ATTACHED;
}

/*
 * Refuses the request. A listener that was started for this request still ends once it has sent the answer. Otherwise a
 * separate thread closes the library after the JVM has closed it: if the JVM held the last reference, HotSpot 17 would
 * log the library's name after the C library has freed it (os::dll_unload). A trigger inside the JVM, or a copy
 * of this library beside another JVM, closes the library without HotSpot.
 */
static jint agent_refuse(jint code) {
    bool by_listener = listener_note_caller();
    if ((host.stop_listener || by_listener) && hold_library()
            && start_worker(host.stop_listener ? STOP_LISTENER : AWAIT_CLOSE) != 0) {
        dlclose(host.self);
    }
    return code;
}

static jint agent_attach(JavaVM *vm, char *options) {
    if (host.vm != NULL) {
        return LOAD_RESULT_ALREADY_ACTIVE;
    }
    uint64_t library = 0;
    if (!parse_options(options, &library)) {
        host.stop_listener = false;
        return agent_refuse(LOAD_RESULT_BAD_OPTIONS);
    }
    if (!runtime_is_at(vm, library)) {
        jint code = runtime_forward(library, options);
        host.stop_listener = host.stop_listener && code == LOAD_RESULT_OTHER_RUNTIME;
        return agent_refuse(code);
    }
    host.vm = vm;
    host.library = runtime_address(vm);
    int code = open_host();
    host.stop_listener = host.stop_listener && code != LOAD_RESULT_ALREADY_ACTIVE;
    return code == LOAD_RESULT_ATTACHED ? code : agent_refuse(code);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    jint code = agent_attach(vm, options);
    agent_remove_file();  /* last: another JVM of the process also opens the file */
    return code;
}
