/*
 * The JVM's own interface for tools, taken only if an event needs it. Two traps of HotSpot shape this file: the last
 * environment must never be disposed (an empty one, the anchor, stays for ever), and a disposed environment is freed at the
 * start of a collection, but only when no thread is just posting an event: that it has been freed is the proof that nobody
 * holds a pointer to our code any more.
 */
#define _GNU_SOURCE
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* What a page of the address space says when an anchor is there. A later Mayfly looks for it too. */
#define ANCHOR "MAYFLY-JVMTI-ANCHOR-1"

/* Events that wait for the profiler's thread; more are counted and dropped. */
enum { MOST_QUEUED = 1 << 16 };

/* HotSpot's JvmtiEnvBase::_magic, one word behind the functions' table: alive, disposed; anything else is freed. */
enum { MAGIC_OFFSET = 8, DISPOSED_MAGIC = 0xDEFC };

struct event {
    struct event *next;
    enum upcall kind;
    jlong numbers[4];           /* time; then tag, or address, size */
    char *text[3];              /* class, method, descriptor */
    jclass class;               /* a global reference, for a class loaded during a callback */
};

static jvmtiEnv *jvmti;
static jvmtiEnv *disposed;
static uint32_t enabled;
static jvmtiCapabilities held;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static struct event *queue_first;
static struct event *queue_last;
static int queued;
static _Atomic uint32_t generating;     /* the thread that enumerates compiled methods */
static struct event *generated;

jvmtiEnv *events_environment(void) {
    return jvmti;
}

/* ---- What is brought by the profiler's thread ---- */

static void free_event(JNIEnv *env, struct event *event) {
    for (int i = 0; i < 3; i++) {
        free(event->text[i]);
    }
    if (event->class != NULL) {
        (*env)->DeleteGlobalRef(env, event->class);
    }
    free(event);
}

static struct event *new_event(enum upcall kind, jlong first, jlong second) {
    struct event *event = calloc(1, sizeof *event);
    if (event != NULL) {
        event->kind = kind;
        (*jvmti)->GetTime(jvmti, &event->numbers[0]);
        event->numbers[1] = first;
        event->numbers[2] = second;
    }
    return event;
}

/*
 * Takes the event, or frees it; on whatever thread, also one of the JVM's own that stops the world: no lock here is held for
 * long. The thread's environment is needed only for an event with a class.
 */
static void enqueue(JNIEnv *env, struct event *event) {
    pthread_mutex_lock(&queue_lock);
    bool full = event == NULL || queued >= MOST_QUEUED;
    if (!full) {
        *(queue_last == NULL ? &queue_first : &queue_last->next) = event;
        queue_last = event;
        queued++;
    }
    pthread_mutex_unlock(&queue_lock);
    if (full) {
        atomic_fetch_add(&host.record->lost, 1);
        if (event != NULL) {
            free_event(env, event);
        }
        return;
    }
    pthread_mutex_lock(&host.lock);
    pthread_cond_broadcast(&host.changed);
    pthread_mutex_unlock(&host.lock);
}

static char *copy(const char *text) {
    return text == NULL ? NULL : strdup(text);
}

static void JNICALL on_gc_start(jvmtiEnv *env) {
    (void)env;
    enqueue(NULL, new_event(GC_STARTED, 0, 0));
}

static void JNICALL on_gc_finish(jvmtiEnv *env) {
    (void)env;
    enqueue(NULL, new_event(GC_FINISHED, 0, 0));
}

static void JNICALL on_object_free(jvmtiEnv *env, jlong tag) {
    (void)env;
    enqueue(NULL, new_event(CLASS_UNLOADED, tag, 0));
}

static void JNICALL on_compiled_method_load(jvmtiEnv *env, jmethodID method, jint size, const void *address, jint entries,
        const jvmtiAddrLocationMap *map, const void *info) {
    (void)entries;
    (void)map;
    (void)info;
    struct event *event = new_event(METHOD_COMPILED, (jlong)(intptr_t)address, size);
    char *name = NULL;
    char *descriptor = NULL;
    char *signature = NULL;
    jclass declaring = NULL;
    if (event != NULL && (*env)->GetMethodName(env, method, &name, &descriptor, NULL) == JVMTI_ERROR_NONE) {
        if ((*env)->GetMethodDeclaringClass(env, method, &declaring) == JVMTI_ERROR_NONE) {
            (*env)->GetClassSignature(env, declaring, &signature, NULL);
        }
        event->text[0] = copy(signature);
        event->text[1] = copy(name);
        event->text[2] = copy(descriptor);
        (*env)->Deallocate(env, (unsigned char *)signature);
        (*env)->Deallocate(env, (unsigned char *)name);
        (*env)->Deallocate(env, (unsigned char *)descriptor);
    }
    if (event != NULL && atomic_load(&generating) == (uint32_t)syscall(SYS_gettid)) {
        event->next = generated;
        generated = event;
    } else {
        enqueue(NULL, event);
    }
}

static void JNICALL on_compiled_method_unload(jvmtiEnv *env, jmethodID method, const void *address) {
    (void)env;
    (void)method;
    enqueue(NULL, new_event(METHOD_UNLOADED, (jlong)(intptr_t)address, 0));
}

/* ---- What is brought on the thread that it happens on ---- */

static void JNICALL on_thread_start(jvmtiEnv *env, JNIEnv *jni, jthread thread) {
    (void)env;
    java_tell(jni, THREAD_CREATED, thread);
}

static void JNICALL on_thread_end(jvmtiEnv *env, JNIEnv *jni, jthread thread) {
    (void)env;
    java_tell(jni, THREAD_DESTROYED, thread);
}

static void JNICALL on_class_prepare(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass class) {
    (void)env;
    (void)thread;
    if (!callback_is_inside()) {
        java_tell(jni, CLASS_LOADED, class);
        return;
    }
    struct event *event = new_event(CLASS_LOADED, 0, 0);
    if (event != NULL) {
        event->class = (*jni)->NewGlobalRef(jni, class);
    }
    enqueue(jni, event);
}

/* An object for the Java half: Object[] of a long[] and three strings. */
static jobject to_java(JNIEnv *env, const struct event *event) {
    jclass object = (*env)->FindClass(env, "java/lang/Object");
    jobjectArray result = object == NULL ? NULL : (*env)->NewObjectArray(env, 4, object, NULL);
    jlongArray numbers = result == NULL ? NULL : (*env)->NewLongArray(env, 4);
    if (numbers == NULL) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    (*env)->SetLongArrayRegion(env, numbers, 0, 4, event->numbers);
    (*env)->SetObjectArrayElement(env, result, 0, numbers);
    for (int i = 0; i < 3 && event->text[i] != NULL; i++) {
        jstring text = (*env)->NewStringUTF(env, event->text[i]);
        if (text == NULL) {
            (*env)->ExceptionClear(env);
            return NULL;
        }
        (*env)->SetObjectArrayElement(env, result, i + 1, text);
    }
    return result;
}

bool events_wait(void) {
    pthread_mutex_lock(&queue_lock);
    bool waiting = queue_first != NULL;
    pthread_mutex_unlock(&queue_lock);
    return waiting;
}

void events_deliver(JNIEnv *env) {
    pthread_mutex_lock(&queue_lock);
    struct event *event = queue_first;
    queue_first = NULL;
    queue_last = NULL;
    queued = 0;
    pthread_mutex_unlock(&queue_lock);
    while (event != NULL) {
        struct event *next = event->next;
        if ((*env)->PushLocalFrame(env, 16) == 0) {
            jobject argument = event->class != NULL ? event->class : to_java(env, event);
            if (argument != NULL) {
                java_tell(env, event->kind, argument);
            }
            (*env)->PopLocalFrame(env, NULL);
        }
        free_event(env, event);
        event = next;
    }
}

/* What is compiled now, as an Object[] of what events bring. */
jobjectArray events_compiled(JNIEnv *env) {
    jclass object = (*env)->FindClass(env, "java/lang/Object");
    uint32_t nobody = 0;
    if (object == NULL || jvmti == NULL || !held.can_generate_compiled_method_load_events
            || !atomic_compare_exchange_strong(&generating, &nobody, (uint32_t)syscall(SYS_gettid))) {
        return NULL;
    }
    (*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
    struct event *first = generated;
    generated = NULL;
    atomic_store(&generating, 0);
    jsize count = 0;
    for (struct event *event = first; event != NULL; event = event->next) {
        count++;
    }
    jobjectArray result = (*env)->NewObjectArray(env, count, object, NULL);
    for (jsize i = 0; first != NULL; i++) {
        struct event *next = first->next;
        if (result != NULL && (*env)->PushLocalFrame(env, 16) == 0) {
            (*env)->SetObjectArrayElement(env, result, i, to_java(env, first));
            (*env)->PopLocalFrame(env, NULL);
        }
        free_event(env, first);
        first = next;
    }
    return result;
}

/* ---- Life ---- */

/* Looks through this process's map for the page that says so. */
static bool has_anchor(void) {
    FILE *maps = fopen("/proc/self/maps", "re");
    bool found = false;
    char line[512];
    while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL) {
        unsigned long from;
        unsigned long to;
        char flags[5];
        if (sscanf(line, "%lx-%lx %4s", &from, &to, flags) == 3 && strcmp(flags, "r--p") == 0 && to - from == 4096
                && strchr(line, '/') == NULL && strchr(line, '[') == NULL) {
            found = memcmp((const void *)from, ANCHOR, sizeof ANCHOR) == 0;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

static jint drop_anchor(void) {
    jvmtiEnv *anchor;
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return JVMTI_ERROR_OUT_OF_MEMORY;
    }
    jint failed = (*host.vm)->GetEnv(host.vm, (void **)&anchor, JVMTI_VERSION_9);
    if (failed != 0) {
        munmap(page, 4096);
        return failed;
    }
    memcpy(page, ANCHOR, sizeof ANCHOR);
    /* Neighbours with the same rights would be merged with it and hide it; a fence on each side is not worth it, because
       the page is looked for again only to save another environment. */
    mprotect(page, 4096, PROT_READ);
    return 0;
}

static jint open_environment(void) {
    jint failed = has_anchor() ? 0 : drop_anchor();
    if (failed == 0) {
        failed = (*host.vm)->GetEnv(host.vm, (void **)&jvmti, JVMTI_VERSION_9);
    }
    if (failed != 0) {
        jvmti = NULL;
        return failed;
    }
    pthread_mutex_lock(&host.lock);
    record_begin();
    host.record->jvmti = 1;
    record_end();
    pthread_mutex_unlock(&host.lock);
    jvmtiEventCallbacks callbacks = {
        .ThreadStart = on_thread_start, .ThreadEnd = on_thread_end, .ClassPrepare = on_class_prepare,
        .ObjectFree = on_object_free, .GarbageCollectionStart = on_gc_start, .GarbageCollectionFinish = on_gc_finish,
        .CompiledMethodLoad = on_compiled_method_load, .CompiledMethodUnload = on_compiled_method_unload,
    };
    return (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
}

/* Takes what these events need, and enables none. 0, or an error of JNI or JVMTI. */
jint events_prepare(uint32_t mask) {
    jint failed = jvmti != NULL ? 0 : open_environment();
    if (failed != 0) {
        return failed;
    }
    jvmtiCapabilities wanted = {0};
    wanted.can_tag_objects = (mask & (CLASS_LOADS | MODULE_LOADS)) != 0;
    wanted.can_generate_object_free_events = (mask & CLASS_LOADS) != 0;
    wanted.can_generate_garbage_collection_events = (mask & (GARBAGE_COLLECTIONS | MODULE_LOADS)) != 0;
    wanted.can_generate_compiled_method_load_events = (mask & COMPILED_METHODS) != 0;
    failed = (*jvmti)->AddCapabilities(jvmti, &wanted);
    if (failed == 0) {
        failed = (*jvmti)->GetCapabilities(jvmti, &held);
    }
    return failed;
}

/* Each event of the JVM, and the events of a profiler that need it. The end of a collection tells of modules that went. */
static const struct row {
    uint32_t bits;
    jvmtiEvent event;
} rows[] = {
    {THREADS, JVMTI_EVENT_THREAD_START}, {THREADS, JVMTI_EVENT_THREAD_END},
    {CLASS_LOADS | MODULE_LOADS, JVMTI_EVENT_CLASS_PREPARE}, {CLASS_LOADS, JVMTI_EVENT_OBJECT_FREE},
    {GARBAGE_COLLECTIONS, JVMTI_EVENT_GARBAGE_COLLECTION_START},
    {GARBAGE_COLLECTIONS | MODULE_LOADS, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH},
    {COMPILED_METHODS, JVMTI_EVENT_COMPILED_METHOD_LOAD}, {COMPILED_METHODS, JVMTI_EVENT_COMPILED_METHOD_UNLOAD},
};

static jint switch_to(uint32_t mask) {
    jint failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && failed == 0; i++) {
        bool on = (mask & rows[i].bits) != 0;
        failed = (*jvmti)->SetEventNotificationMode(jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE, rows[i].event, NULL);
    }
    return failed;
}

/* All or nothing: what cannot be enabled leaves the former mask in force. 0, or an error of JVMTI. */
jint events_set(uint32_t mask) {
    if (jvmti == NULL) {
        return mask == 0 ? 0 : JVMTI_ERROR_INVALID_ENVIRONMENT;
    }
    jint failed = switch_to(mask);
    if (failed != 0) {
        switch_to(enabled);
        return failed;
    }
    enabled = mask;
    return 0;
}

/* No event is posted to us from now on; those being posted end as they began. */
void events_stop(void) {
    if (jvmti != NULL) {
        events_set(0);
        (*jvmti)->SetEventCallbacks(jvmti, NULL, 0);
    }
}

void events_close(JNIEnv *env) {
    if (jvmti != NULL) {
        disposed = jvmti;
        (*jvmti)->DisposeEnvironment(jvmti);
        jvmti = NULL;
    }
    for (struct event *event; (event = queue_first) != NULL;) {
        queue_first = event->next;
        free_event(env, event);
    }
}

/* A whole collection: through an environment without callbacks if there is one to be had, else as System.gc. */
void events_collect(JNIEnv *env) {
    jvmtiEnv *temporary;
    if (host.record->jvmti != 0) {
        if ((*host.vm)->GetEnv(host.vm, (void **)&temporary, JVMTI_VERSION_9) == 0) {
            (*temporary)->ForceGarbageCollection(temporary);
            (*temporary)->DisposeEnvironment(temporary);
        }
        return;
    }
    jclass system = (*env)->FindClass(env, "java/lang/System");
    jmethodID gc = system == NULL ? NULL : (*env)->GetStaticMethodID(env, system, "gc", "()V");
    if (gc != NULL) {
        (*env)->CallStaticVoidMethod(env, system, gc);
    }
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, system);
}

/* The memory may have been given back: it is read by a call that may fail. */
static bool is_only_disposed(void) {
    uint32_t magic = 0;
    struct iovec to = {&magic, sizeof magic};
    struct iovec from = {(char *)disposed + MAGIC_OFFSET, sizeof magic};
    return syscall(SYS_process_vm_readv, getpid(), &to, 1, &from, 1, 0) == (long)sizeof magic && magic == DISPOSED_MAGIC;
}

bool events_are_gone(JNIEnv *env, uint32_t *collections) {
    if (disposed != NULL && is_only_disposed()) {
        events_collect(env);
        ++*collections;
    }
    return disposed == NULL || !is_only_disposed();
}
