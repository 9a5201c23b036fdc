/*
 * JVMTI, acquired only if an event needs it. Two properties of HotSpot determine the design of this file. First,
 * disposing the last environment crashes the JVM, so one of them, the anchor, stays permanently; the only events that
 * it may have are exceptions. Second, a disposed environment is freed at the start of a collection, but only when no
 * thread is posting an event. Once it is freed, no thread holds a pointer to the host's code.
 */
#define _GNU_SOURCE
#include "events.h"
#include "allocations.h"
#include "anchor.h"
#include "callbacks.h"
#include "class_files.h"
#include "classes.h"
#include "command.h"
#include "compiled.h"
#include "exceptions.h"
#include "flags.h"
#include "host.h"
#include "java.h"
#include "life.h"
#include "listener.h"
#include "memory.h"
#include "monitors.h"
#include "probes.h"
#include "queue.h"
#include "record.h"
#include "virtual_threads.h"
#include "vmlog.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * HotSpot's JvmtiEnvBase::_magic is one word after the function table. It has this value from the disposal of the
 * environment until its memory is freed.
 */
enum { MAGIC_OFFSET = 8, DISPOSED_MAGIC = 0xDEFC };

/* The events that give ids to classes, modules or loaders. */
enum {
    EVENTS_OF_CLASSES = EVENT_BIT_CLASS_LOADS | EVENT_BIT_CLASS_LOAD_STARTS | EVENT_BIT_MODULE_LOADS
            | EVENT_BIT_ALLOCATIONS | EVENT_BIT_MONITORS | EVENT_BIT_METHOD_PROBES,
};

static _Atomic(jvmtiEnv *) events_jvmti;
static jvmtiEnv *events_disposed;
static jvmtiEnv *events_anchor;
static uint32_t events_enabled;       /* the enabled events that JVMTI reports */
static uint32_t events_logged;        /* the enabled events that the JVM logs */

/* Threads that use the environment; events_close waits for the last one. life.c explains the order of the accesses. */
static _Atomic int environment_users;

/* Returns false once the environment has been released. */
static bool enter_environment(void) {
    atomic_fetch_add(&environment_users, 1);
    if (!life_has_environment()) {
        events_release();
        return false;
    }
    return true;
}

/* Returns the environment, valid until it is released; NULL if there is none. */
jvmtiEnv *events_use(void) {
    if (!enter_environment()) {
        return NULL;
    }
    jvmtiEnv *environment = atomic_load(&events_jvmti);
    if (environment == NULL) {
        events_release();
    }
    return environment;
}

void events_release(void) {
    if (atomic_fetch_sub(&environment_users, 1) == 1 && !life_has_environment()) {
        pthread_mutex_lock(&host.lock);
        pthread_cond_broadcast(&host.changed);
        pthread_mutex_unlock(&host.lock);
    }
}

/* ---- Events delivered by the host's thread ---- */

static void JNICALL on_gc_start(jvmtiEnv *env) {
    (void)env;
    queue_add(NULL, event_new(UPCALL_KIND_GC_STARTED, 0, 0));
}

static void JNICALL on_gc_finish(jvmtiEnv *env) {
    (void)env;
    queue_add(NULL, event_new(UPCALL_KIND_GC_FINISHED, 0, 0));
}

/* ---- Events delivered on the thread that causes them ---- */

static void JNICALL on_thread_start(jvmtiEnv *env, JNIEnv *jni, jthread thread) {
    (void)env;
    java_deliver(jni, UPCALL_KIND_THREAD_CREATED, thread);
}

static void JNICALL on_thread_end(jvmtiEnv *env, JNIEnv *jni, jthread thread) {
    (void)env;
    java_deliver(jni, UPCALL_KIND_THREAD_DESTROYED, thread);
}

static void JNICALL on_class_prepare(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass class) {
    (void)env;
    (void)thread;
    if (!callback_is_inside()) {
        java_deliver(jni, UPCALL_KIND_CLASS_LOADED, class);
        return;
    }
    struct event *event = event_new(UPCALL_KIND_CLASS_LOADED, 0, 0);
    if (event != NULL) {
        event->object = (*jni)->NewGlobalRef(jni, class);
    }
    queue_add(jni, event);
}

/* ---- Life ---- */

static jint new_anchor(void) {
    struct anchor *page = anchor_page();
    jint failed = page == NULL ? JNI_ENOMEM : (*host.vm)->GetEnv(host.vm, (void **)&events_anchor, JVMTI_VERSION_9);
    if (failed == 0) {
        anchor_mark(page, events_anchor);
    } else if (page != NULL) {
        anchor_drop(page);
        events_anchor = NULL;
    }
    return failed;
}

/* Ensures that an environment exists that is never disposed. Returns 0 or a JNI error. */
static jint events_take_jvmti(void) {
    events_anchor = events_anchor == NULL ? anchor_find() : events_anchor;
    jint failed = events_anchor == NULL ? new_anchor() : 0;
    if (failed == 0) {
        pthread_mutex_lock(&host.lock);
        record_begin();
        host.record->jvmti = 1;
        record_end();
        pthread_mutex_unlock(&host.lock);
    }
    return failed;
}

static jint open_environment(void) {
    jint failed = events_take_jvmti();
    jvmtiEnv *opened = NULL;
    if (failed == 0) {
        failed = (*host.vm)->GetEnv(host.vm, (void **)&opened, JVMTI_VERSION_9);
    }
    if (failed != 0) {
        return failed;
    }
    jvmtiEventCallbacks callbacks = {
        .ThreadStart = on_thread_start, .ThreadEnd = on_thread_end, .ClassPrepare = on_class_prepare,
        .GarbageCollectionStart = on_gc_start, .GarbageCollectionFinish = on_gc_finish,
    };
    class_files_add_callbacks(&callbacks);
    compiled_add_callbacks(&callbacks);
    allocations_add_callbacks(&callbacks);
    monitors_add_callbacks(&callbacks);
    virtual_threads_add_callbacks(&callbacks);
    atomic_store(&events_jvmti, opened);
    return (*opened)->SetEventCallbacks(opened, &callbacks, sizeof callbacks);
}

static jint prepare_environment(uint32_t mask) {
    jint failed = host.never_collects ? EVENT_ERROR_NEVER_COLLECTS : events_jvmti != NULL ? 0 : open_environment();
    if (failed != 0) {
        return failed;
    }
    jvmtiCapabilities wanted = {0};
    wanted.can_generate_garbage_collection_events = (mask & (EVENT_BIT_GARBAGE_COLLECTIONS | EVENTS_OF_CLASSES)) != 0;
    wanted.can_generate_compiled_method_load_events = (mask & EVENT_BIT_COMPILED_METHODS) != 0;
    wanted.can_generate_all_class_hook_events = (mask & EVENT_BIT_CLASS_LOAD_STARTS) != 0;
    wanted.can_generate_monitor_events = (mask & EVENT_BIT_MONITORS) != 0;
    wanted.can_get_monitor_info = (mask & EVENT_BIT_MONITORS) != 0;
    wanted.can_support_virtual_threads = (mask & EVENT_BIT_VIRTUAL_THREADS) != 0;
    /* Once the event for class files has been enabled, the JVM no longer offers this capability to the environment. */
    probes_add_capabilities(&wanted, (mask & (EVENT_BIT_METHOD_PROBES | EVENT_BIT_CLASS_LOAD_STARTS)) != 0);
    failed = (*events_jvmti)->AddCapabilities(events_jvmti, &wanted);
    if (failed == 0 && (mask & EVENT_BIT_EXCEPTIONS) != 0) {
        failed = exceptions_prepare(events_anchor);
    }
    if (failed == 0 && (mask & EVENT_BIT_ALLOCATIONS) != 0) {
        failed = allocations_prepare(events_jvmti);     /* last: a later failure would keep other agents from it */
    }
    return failed;
}

/* Acquires what these events need and enables none of them. Returns 0, or an error of JNI, JVMTI or the host. */
jint events_prepare(uint32_t mask) {
    jint failed = JVMTI_ERROR_INVALID_ENVIRONMENT;
    if (enter_environment()) {
        failed = prepare_environment(mask);
        events_release();
    }
    return failed;
}

/*
 * Each JVMTI event, with the profiler events that need it. The end of a collection reveals unloaded classes and
 * modules, whose ids are then dropped. ObjectFree is never used: switching it off, or disposing an environment that has
 * it, can stop the whole JVM permanently (decision 0013).
 */
static const struct event_row {
    uint32_t bits;
    jvmtiEvent event;
} event_rows[] = {
    {EVENT_BIT_THREADS, JVMTI_EVENT_THREAD_START}, {EVENT_BIT_THREADS, JVMTI_EVENT_THREAD_END},
    {EVENT_BIT_CLASS_LOADS | EVENT_BIT_MODULE_LOADS, JVMTI_EVENT_CLASS_PREPARE},
    {EVENT_BIT_GARBAGE_COLLECTIONS, JVMTI_EVENT_GARBAGE_COLLECTION_START},
    {EVENT_BIT_GARBAGE_COLLECTIONS | EVENTS_OF_CLASSES, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH},
    {EVENT_BIT_COMPILED_METHODS, JVMTI_EVENT_COMPILED_METHOD_LOAD},
    {EVENT_BIT_COMPILED_METHODS, JVMTI_EVENT_COMPILED_METHOD_UNLOAD},
    {EVENT_BIT_MONITORS, JVMTI_EVENT_MONITOR_CONTENDED_ENTER},
    {EVENT_BIT_MONITORS, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED},
    {EVENT_BIT_MONITORS, JVMTI_EVENT_MONITOR_WAIT}, {EVENT_BIT_MONITORS, JVMTI_EVENT_MONITOR_WAITED},
};

static jint events_switch(uint32_t mask) {
    jint failed = 0;
    for (size_t i = 0; i < sizeof event_rows / sizeof event_rows[0] && failed == 0; i++) {
        bool on = (mask & event_rows[i].bits) != 0;
        failed = (*events_jvmti)->SetEventNotificationMode(events_jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                event_rows[i].event, NULL);
    }
    failed = failed == 0 ? allocations_switch(events_jvmti, (mask & EVENT_BIT_ALLOCATIONS) != 0) : failed;
    failed = failed == 0 ? virtual_threads_switch(events_jvmti, (mask & EVENT_BIT_VIRTUAL_THREADS) != 0) : failed;
    bool starts = (mask & EVENT_BIT_CLASS_LOAD_STARTS) != 0;
    failed = failed == 0 ? class_files_report_loads(events_jvmti, starts) : failed;
    return failed == 0 ? exceptions_switch((mask & EVENT_BIT_EXCEPTIONS) != 0) : failed;
}

static jint events_set_jvmti(uint32_t mask) {
    if (events_jvmti == NULL) {
        return mask == 0 ? 0 : JVMTI_ERROR_INVALID_ENVIRONMENT;
    }
    jint failed = events_switch(mask);
    if (failed != 0) {
        events_switch(events_enabled);
    }
    return failed;
}

static jint events_set_masks(uint32_t mask, uint32_t logged) {
    if (!vmlog_set(logged)) {
        vmlog_restore(events_logged);
        if (events_jvmti != NULL) {
            allocations_switch(events_jvmti, (events_enabled & EVENT_BIT_ALLOCATIONS) != 0);
        }
        return listener_is_others() ? EVENT_ERROR_LISTENER_OTHERS : EVENT_ERROR_LISTENER_SILENT;
    }
    jint failed = events_set_jvmti(mask);
    if (failed != 0) {
        vmlog_restore(events_logged);
        return failed;
    }
    events_enabled = mask;
    events_logged = logged;
    if ((mask & EVENT_BIT_EXCEPTIONS) != 0) {
        atomic_store(&host.immutable, true);
    }
    return 0;
}

/*
 * Enables the events of the first mask by JVMTI and those of the second by the JVM's log, and disables all others. If
 * an event cannot be enabled, the previous masks stay in effect. Returns 0, or an error of JVMTI or the host.
 */
jint events_set(uint32_t mask, uint32_t logged) {
    jint failed = JVMTI_ERROR_INVALID_ENVIRONMENT;
    if (enter_environment()) {
        failed = events_set_masks(mask, logged);
        events_release();
    }
    return failed;
}

/*
 * Stops the posting of events; those already being posted are completed. The anchor is never disposed, but a thread
 * that posts one of its events also prevents the JVM from freeing the other environment, for which the host waits
 * (events_are_gone).
 */
void events_stop(void) {
    if (events_jvmti != NULL) {
        events_switch(0);
        (*events_jvmti)->SetEventCallbacks(events_jvmti, NULL, 0);
    }
    exceptions_clear();
}

/* Waits for the last user of the environment, and disposes it. Requires that the state no longer admits users. */
void events_close(JNIEnv *env) {
    pthread_mutex_lock(&host.lock);
    while (atomic_load(&environment_users) != 0) {
        pthread_cond_wait(&host.changed, &host.lock);
    }
    pthread_mutex_unlock(&host.lock);
    exceptions_clear();     /* a call that began before events_stop may have set the callbacks again */
    if (events_jvmti != NULL) {
        allocations_switch(events_jvmti, false);
        events_disposed = events_jvmti;
        (*events_jvmti)->DisposeEnvironment(events_jvmti);
        events_jvmti = NULL;
    }
    queue_clear(env);
}

/*
 * Returns true if an environment of a host costs this JVM nothing more: one exists, so virtual threads already have
 * their lasting cost.
 */
bool events_have_environment(void) {
    events_anchor = events_anchor == NULL ? anchor_find() : events_anchor;
    return events_anchor != NULL;
}

/*
 * Returns an environment without callbacks, which the caller disposes immediately. Returns NULL if JVMTI has not been
 * acquired, acquiring it would slow virtual threads for the rest of the JVM's life, and the user did not accept that
 * cost.
 */
jvmtiEnv *events_temporary(JNIEnv *env) {
    jvmtiEnv *temporary;
    bool costs = host.record->jvmti == 0 && !host.lasting_cost_accepted
            && (*env)->GetVersion(env) >= LASTING_COST_SINCE_JNI && !events_have_environment();
    if (costs || host.never_collects || (host.record->jvmti == 0 && events_take_jvmti() != 0)) {
        return NULL;
    }
    return (*host.vm)->GetEnv(host.vm, (void **)&temporary, JVMTI_VERSION_9) == 0 ? temporary : NULL;
}

/*
 * Collects as System.gc does, even where -XX:+DisableExplicitGC switches that off. Returns false if that needs the
 * attach listener, and it did not answer. Any thread may call this.
 */
bool events_collect_as_requested(JNIEnv *env) {
    if (flag_is_set("DisableExplicitGC", false)) {
        return command_run("GC.run") == COMMAND_DONE;
    }
    jclass system = class_find(env, "java/lang/System");
    jmethodID gc = system == NULL ? NULL : (*env)->GetStaticMethodID(env, system, "gc", "()V");
    if (gc != NULL) {
        (*env)->CallStaticVoidMethod(env, system, gc);
    }
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, system);
    return true;
}

/*
 * Forces a full collection; returns false if none can be requested. It uses the anchor: any other environment would
 * remain until the next collection frees it.
 */
bool events_collect(JNIEnv *env) {
    events_anchor = events_anchor == NULL ? anchor_find() : events_anchor;
    return events_anchor == NULL ? events_collect_as_requested(env)
            : (*events_anchor)->ForceGarbageCollection(events_anchor) == JVMTI_ERROR_NONE;
}

/*
 * Returns true if the environment has been freed. The result is stored, because another environment may be allocated at
 * the same address.
 */
bool events_are_gone(void) {
    uint32_t magic = 0;
    if (events_disposed != NULL
            && (!memory_read((const char *)events_disposed + MAGIC_OFFSET, &magic, sizeof magic)
                || magic != DISPOSED_MAGIC)) {
        events_disposed = NULL;
    }
    return events_disposed == NULL;
}
