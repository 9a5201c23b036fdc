/*
 * The places that usually retain a profiler are inspected one by one, without JVMTI: thread-local variables, timers,
 * executors, hooks, MBeans, virtual threads. Private fields of the JDK are read by JNI; a field missing in a JDK is
 * skipped.
 */
#define _GNU_SOURCE
#include "retainers.h"
#include "classes.h"
#include "java.h"
#include "threads.h"

#include <stdio.h>
#include <string.h>

/* The first Java versions with holders of tasks, and with virtual threads; old headers lack them. */
enum { JNI_VERSION_19_ = 0x00130000, JNI_VERSION_21_ = 0x00150000 };

enum { MAX_ENTRIES = 1 << 16, MAX_SCHEDULED = 1 << 12, MAX_NAME = 512 };

struct retainer_search {
    JNIEnv *env;
    jobject loader;
    char *text;
    size_t size;
};

static bool clear_exception(JNIEnv *env) {
    bool thrown = (*env)->ExceptionCheck(env);
    (*env)->ExceptionClear(env);
    return thrown;
}

/* Clears the error if there is no memory for the frame: JNI permits no further call while it is pending. */
static bool enter_frame(JNIEnv *env, jint capacity) {
    bool entered = (*env)->PushLocalFrame(env, capacity) == 0;
    clear_exception(env);
    return entered;
}

/* Returns a reference field of an object, or of a class if there is no object; NULL if there is none. */
static jobject object_field(JNIEnv *env, jclass class, jobject object, const char *name, const char *type) {
    jfieldID id = class == NULL ? NULL : object == NULL ? (*env)->GetStaticFieldID(env, class, name, type)
            : (*env)->GetFieldID(env, class, name, type);
    if (clear_exception(env) || id == NULL) {
        return NULL;
    }
    return object == NULL ? (*env)->GetStaticObjectField(env, class, id) : (*env)->GetObjectField(env, object, id);
}

static jobject call_method(JNIEnv *env, jobject object, const char *name, const char *type) {
    jmethodID id = object == NULL ? NULL : (*env)->GetMethodID(env, (*env)->GetObjectClass(env, object), name, type);
    jobject result = clear_exception(env) || id == NULL ? NULL : (*env)->CallObjectMethod(env, object, id);
    return clear_exception(env) ? NULL : result;
}

/* Copies a Java string's characters, truncated, for human readers. */
static void copy_string(JNIEnv *env, jstring string, char *to, size_t size) {
    const char *text = string == NULL ? NULL : (*env)->GetStringUTFChars(env, string, NULL);
    snprintf(to, size, "%s", text == NULL ? "?" : text);
    if (text != NULL) {
        (*env)->ReleaseStringUTFChars(env, string, text);
    }
}

/* Returns true if the object is of exactly this class. Compares names, because looking up the class would load it. */
static bool is_exactly(JNIEnv *env, jobject object, const char *class) {
    char name[MAX_NAME] = "";
    if (object != NULL && enter_frame(env, 8)) {
        copy_string(env, call_method(env, (*env)->GetObjectClass(env, object), "getName", "()Ljava/lang/String;"),
                name, sizeof name);
        (*env)->PopLocalFrame(env, NULL);
    }
    return strcmp(name, class) == 0;
}

static jobject class_loader_of(JNIEnv *env, jobject object) {
    return call_method(env, (*env)->GetObjectClass(env, object), "getClassLoader", "()Ljava/lang/ClassLoader;");
}

/*
 * Returns true if the object's class is the host's, whose loader is the first loader; the profiler's, whose loader is
 * the host's; or one for probes, whose loader is the profiler's.
 */
static bool is_profilers_object(const struct retainer_search *in, jobject object) {
    JNIEnv *env = in->env;
    if (object == NULL || !enter_frame(env, 16)) {
        return false;
    }
    jobject loader = class_loader_of(env, object);
    jobject above = loader == NULL ? NULL : class_loader_of(env, loader);
    jobject first = above == NULL ? NULL : class_loader_of(env, above);
    bool ours = (*env)->IsSameObject(env, object, in->loader)
            || (loader != NULL && (*env)->IsSameObject(env, loader, in->loader))
            || (above != NULL && (*env)->IsSameObject(env, above, in->loader))
            || (first != NULL && (*env)->IsSameObject(env, first, in->loader));
    (*env)->PopLocalFrame(env, NULL);
    return ours;
}

static bool name_retainer(const struct retainer_search *in, const char *what, const char *whose, jobject object) {
    char class[MAX_NAME] = "?";
    if (object != NULL) {
        copy_string(in->env, call_method(in->env, (*in->env)->GetObjectClass(in->env, object), "getName",
                "()Ljava/lang/String;"), class,
                sizeof class);
    }
    snprintf(in->text, in->size, "%s%s -> %s", what, whose, class);
    return true;
}

static bool look_into_locals(const struct retainer_search *in, jobject thread, const char *name, const char *whose) {
    JNIEnv *env = in->env;
    jclass thread_class = class_find(env, "java/lang/Thread");
    jobject map = object_field(env, thread_class, thread, name, "Ljava/lang/ThreadLocal$ThreadLocalMap;");
    jclass entry_class = class_find(env, "java/lang/ThreadLocal$ThreadLocalMap$Entry");
    jobjectArray table = map == NULL ? NULL : object_field(env, (*env)->GetObjectClass(env, map), map, "table",
            "[Ljava/lang/ThreadLocal$ThreadLocalMap$Entry;");
    jsize count = table == NULL ? 0 : (*env)->GetArrayLength(env, table);
    for (jsize i = 0; i < count && i < MAX_ENTRIES; i++) {
        jobject entry = (*env)->GetObjectArrayElement(env, table, i);
        jobject value = entry == NULL ? NULL : object_field(env, entry_class, entry, "value", "Ljava/lang/Object;");
        if (is_profilers_object(in, value)) {
            return name_retainer(in, "a thread-local variable of ", whose, value);
        }
        (*env)->DeleteLocalRef(env, value);
        (*env)->DeleteLocalRef(env, entry);
    }
    return false;
}

/* Inspects the elements of a collection, up to a limit. */
static bool look_at_all(const struct retainer_search *in, jobject collection,
        bool (*look)(const struct retainer_search *, jobject, jobject), jobject of) {
    JNIEnv *env = in->env;
    jobjectArray all = call_method(env, collection, "toArray", "()[Ljava/lang/Object;");
    jsize count = all == NULL ? 0 : (*env)->GetArrayLength(env, all);
    bool found = false;
    for (jsize i = 0; i < count && i < MAX_ENTRIES && !found && enter_frame(env, 16); i++) {
        found = look(in, (*env)->GetObjectArrayElement(env, all, i), of);
        (*env)->PopLocalFrame(env, NULL);
    }
    return found;
}

/* Returns the task of a thread; since JDK 19 it is in a holder, which a virtual thread lacks. */
static jobject thread_task(JNIEnv *env, jobject thread) {
    jclass class = class_find(env, "java/lang/Thread");
    if ((*env)->GetVersion(env) < JNI_VERSION_19_) {
        return object_field(env, class, thread, "target", "Ljava/lang/Runnable;");
    }
    jobject holder = object_field(env, class, thread, "holder", "Ljava/lang/Thread$FieldHolder;");
    return holder == NULL ? NULL
            : object_field(env, (*env)->GetObjectClass(env, holder), holder, "task", "Ljava/lang/Runnable;");
}

/* Inspects the queue of a java.util.Timer. */
static bool look_into_timer(const struct retainer_search *in, jobject thread, const char *whose) {
    JNIEnv *env = in->env;
    jobject queue = is_exactly(env, thread, "java.util.TimerThread")
            ? object_field(env, (*env)->GetObjectClass(env, thread), thread, "queue", "Ljava/util/TaskQueue;") : NULL;
    jobjectArray tasks = queue == NULL ? NULL : object_field(env, (*env)->GetObjectClass(env, queue), queue, "queue",
            "[Ljava/util/TimerTask;");
    jsize count = tasks == NULL ? 0 : (*env)->GetArrayLength(env, tasks);
    for (jsize i = 0; i < count && i < MAX_ENTRIES; i++) {
        jobject task = (*env)->GetObjectArrayElement(env, tasks, i);
        if (is_profilers_object(in, task)) {
            return name_retainer(in, "a task of ", whose, task);
        }
        (*env)->DeleteLocalRef(env, task);
    }
    return false;
}

/*
 * Inspects the task of a scheduled future, or the adapter that makes a callable of it. The program may schedule objects
 * of other classes, which lack these fields.
 */
static bool look_at_scheduled(const struct retainer_search *in, jobject future, const char *whose) {
    JNIEnv *env = in->env;
    jobject callable = !is_exactly(env, future, "java.util.concurrent.ScheduledThreadPoolExecutor$ScheduledFutureTask")
            ? NULL
            : object_field(env, (*env)->GetObjectClass(env, future), future, "callable",
                    "Ljava/util/concurrent/Callable;");
    jobject task = !is_exactly(env, callable, "java.util.concurrent.Executors$RunnableAdapter") ? NULL
            : object_field(env, (*env)->GetObjectClass(env, callable), callable, "task", "Ljava/lang/Runnable;");
    jobject ours = is_profilers_object(in, callable) ? callable : is_profilers_object(in, task) ? task : NULL;
    return ours != NULL && name_retainer(in, "a task of the executor of ", whose, ours);
}

/*
 * Inspects the executor of a thread: its thread factory and its periodic tasks. Other queued tasks end by themselves.
 * Only fields are read and no method is called: a method could be one of the program, or could wait for a lock.
 */
static bool look_into_executor(const struct retainer_search *in, jobject thread, const char *whose) {
    JNIEnv *env = in->env;
    jobject worker = thread_task(env, thread);
    jobject executor = !is_exactly(env, worker, "java.util.concurrent.ThreadPoolExecutor$Worker") ? NULL
            : object_field(env, (*env)->GetObjectClass(env, worker), worker, "this$0",
                    "Ljava/util/concurrent/ThreadPoolExecutor;");
    jclass class = executor == NULL ? NULL : (*env)->GetObjectClass(env, executor);
    jobject factory = class == NULL ? NULL : object_field(env, class, executor, "threadFactory",
            "Ljava/util/concurrent/ThreadFactory;");
    if (is_profilers_object(in, factory)) {
        return name_retainer(in, "the factory of ", whose, factory);
    }
    jobject queue = class == NULL ? NULL : object_field(env, class, executor, "workQueue",
            "Ljava/util/concurrent/BlockingQueue;");
    jobjectArray all = !is_exactly(env, queue, "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue")
            ? NULL
            : object_field(env, (*env)->GetObjectClass(env, queue), queue, "queue",
                    "[Ljava/util/concurrent/RunnableScheduledFuture;");
    jsize count = all == NULL ? 0 : (*env)->GetArrayLength(env, all);
    bool found = false;
    for (jsize i = 0; i < count && i < MAX_SCHEDULED && !found && enter_frame(env, 16); i++) {
        found = look_at_scheduled(in, (*env)->GetObjectArrayElement(env, all, i), whose);
        (*env)->PopLocalFrame(env, NULL);
    }
    return found;
}

static bool look_at_any_thread(const struct retainer_search *in, jobject thread, jobject task, const char *whose) {
    JNIEnv *env = in->env;
    jobject runs = is_profilers_object(in, thread) ? thread : is_profilers_object(in, task) ? task : NULL;
    if (runs != NULL) {
        return name_retainer(in, "", whose, runs);
    }
    jobject context = object_field(env, class_find(env, "java/lang/Thread"), thread, "contextClassLoader",
            "Ljava/lang/ClassLoader;");
    if (is_profilers_object(in, context)) {
        return name_retainer(in, "the context class loader of ", whose, context);
    }
    return look_into_locals(in, thread, "threadLocals", whose)
            || look_into_locals(in, thread, "inheritableThreadLocals", whose);
}

static bool look_at_thread(const struct retainer_search *in, jobject thread) {
    JNIEnv *env = in->env;
    char name[MAX_NAME];
    char whose[MAX_NAME + 16];
    copy_string(env, call_method(env, thread, "getName", "()Ljava/lang/String;"), name, sizeof name);
    snprintf(whose, sizeof whose, "thread \"%s\"", name);
    return look_at_any_thread(in, thread, thread_task(env, thread), whose)
            || look_into_timer(in, thread, whose) || look_into_executor(in, thread, whose);
}

/*
 * Returns the task of a virtual thread, which java.lang.VirtualThread$VThreadContinuation wraps. A thread of an
 * executor runs a future, which holds the task or a wrapper of it. A field is looked up only in a class that has it:
 * otherwise the JVM would create an error in the program's heap each time, and the flight recorder would record it.
 */
static jobject virtual_thread_task(const struct retainer_search *in, jobject thread) {
    JNIEnv *env = in->env;
    jobject continuation = object_field(env, (*env)->GetObjectClass(env, thread), thread, "cont",
            "Ljdk/internal/vm/Continuation;");
    jobject target = continuation == NULL ? NULL : object_field(env, class_find(env, "jdk/internal/vm/Continuation"),
            continuation, "target",
            "Ljava/lang/Runnable;");
    jobject task = target == NULL ? NULL : object_field(env, (*env)->GetObjectClass(env, target), target, "val$task",
            "Ljava/lang/Runnable;");
    if (is_exactly(env, task, "java.util.concurrent.ThreadPerTaskExecutor$TaskRunner")) {
        return object_field(env, (*env)->GetObjectClass(env, task), task, "task", "Ljava/lang/Runnable;");
    }
    bool is_future = is_exactly(env, task, "java.util.concurrent.ThreadPerTaskExecutor$ThreadBoundFuture")
            || is_exactly(env, task, "java.util.concurrent.FutureTask");
    jobject callable = !is_future ? NULL : object_field(env, (*env)->GetObjectClass(env, task), task, "callable",
            "Ljava/util/concurrent/Callable;");
    jobject runnable = !is_exactly(env, callable, "java.util.concurrent.Executors$RunnableAdapter") ? NULL
            : object_field(env, (*env)->GetObjectClass(env, callable), callable, "task", "Ljava/lang/Runnable;");
    return is_profilers_object(in, callable) ? callable : is_profilers_object(in, runnable) ? runnable : task;
}

/* Most virtual threads have no name, so the number comes first. */
static bool look_at_virtual_thread(const struct retainer_search *in, jobject thread) {
    char name[MAX_NAME];
    char whose[MAX_NAME + 64];
    copy_string(in->env, call_method(in->env, thread, "getName", "()Ljava/lang/String;"), name, sizeof name);
    const char *quote = name[0] == 0 ? "" : "\"";
    snprintf(whose, sizeof whose, "virtual thread #%lld%s%s%s%s", (long long)thread_id(in->env, thread),
            name[0] == 0 ? "" : " ", quote, name, quote);
    return look_at_any_thread(in, thread, virtual_thread_task(in, thread), whose);
}

/* Inspects the elements of a set one by one, because an array of all elements would use the program's heap. */
static bool look_at_each(const struct retainer_search *in, jobject set,
        bool (*look)(const struct retainer_search *, jobject)) {
    JNIEnv *env = in->env;
    jobject iterator = call_method(env, set, "iterator", "()Ljava/util/Iterator;");
    jclass class = iterator == NULL ? NULL : class_find(env, "java/util/Iterator");
    jmethodID has_next = class == NULL ? NULL : (*env)->GetMethodID(env, class, "hasNext", "()Z");
    jmethodID next = has_next == NULL ? NULL : (*env)->GetMethodID(env, class, "next", "()Ljava/lang/Object;");
    bool found = false;
    for (int i = 0; next != NULL && i < MAX_ENTRIES && !found; i++) {
        jboolean more = (*env)->CallBooleanMethod(env, iterator, has_next);
        if (clear_exception(env) || !more || !enter_frame(env, 64)) {
            break;
        }
        jobject element = (*env)->CallObjectMethod(env, iterator, next);
        found = !clear_exception(env) && element != NULL && look(in, element);
        (*env)->PopLocalFrame(env, NULL);
    }
    clear_exception(env);
    return found;
}

/* Inspects a weakly referenced container that keeps its threads in a set: the executor with a thread for each task. */
static bool look_at_container(const struct retainer_search *in, jobject reference) {
    JNIEnv *env = in->env;
    jobject container = object_field(env, class_find(env, "java/lang/ref/Reference"), reference, "referent",
            "Ljava/lang/Object;");
    jobject threads = !is_exactly(env, container, "java.util.concurrent.ThreadPerTaskExecutor") ? NULL
            : object_field(env, (*env)->GetObjectClass(env, container), container, "threads", "Ljava/util/Set;");
    return look_at_each(in, threads, look_at_virtual_thread);
}

/*
 * Inspects the JDK's own lists of virtual threads, which exist since JDK 21. This may be the first use of their
 * classes. With -Djdk.trackAllThreads=false the JDK lists no virtual threads other than those started by an executor.
 */
static bool look_at_virtual_threads(const struct retainer_search *in) {
    JNIEnv *env = in->env;
    if ((*env)->GetVersion(env) < JNI_VERSION_21_) {
        return false;
    }
    jclass root = class_find(env, "jdk/internal/vm/ThreadContainers$RootContainer$TrackingRootContainer");
    jclass all = class_find(env, "jdk/internal/vm/ThreadContainers");
    return look_at_each(in, object_field(env, root, NULL, "VTHREADS", "Ljava/util/Set;"), look_at_virtual_thread)
            || look_at_each(in, object_field(env, all, NULL, "CONTAINER_REGISTRY", "Ljava/util/Set;"),
                    look_at_container);
}

static bool look_at_threads(const struct retainer_search *in) {
    JNIEnv *env = in->env;
    jclass class = class_find(env, "java/lang/Thread");
    jmethodID get = class == NULL ? NULL : (*env)->GetStaticMethodID(env, class, "getThreads", "()[Ljava/lang/Thread;");
    jobjectArray threads = clear_exception(env) || get == NULL ? NULL : (*env)->CallStaticObjectMethod(env, class, get);
    jsize count = clear_exception(env) || threads == NULL ? 0 : (*env)->GetArrayLength(env, threads);
    bool found = false;
    for (jsize i = 0; i < count && !found && enter_frame(env, 64); i++) {
        found = look_at_thread(in, (*env)->GetObjectArrayElement(env, threads, i));
        (*env)->PopLocalFrame(env, NULL);
    }
    return found;
}

static bool look_at_hook(const struct retainer_search *in, jobject hook, jobject unused) {
    JNIEnv *env = in->env;
    (void)unused;
    jobject task = thread_task(env, hook);
    jobject ours = is_profilers_object(in, hook) ? hook : is_profilers_object(in, task) ? task : NULL;
    return ours != NULL && name_retainer(in, "a shutdown hook", "", ours);
}

static bool look_at_hooks(const struct retainer_search *in) {
    jobject hooks = object_field(in->env, class_find(in->env, "java/lang/ApplicationShutdownHooks"), NULL, "hooks",
            "Ljava/util/IdentityHashMap;");
    return look_at_all(in, call_method(in->env, hooks, "keySet", "()Ljava/util/Set;"), look_at_hook, NULL);
}

static bool look_at_bean(const struct retainer_search *in, jobject name, jobject server) {
    JNIEnv *env = in->env;
    jmethodID get = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, server), "getClassLoaderFor",
            "(Ljavax/management/ObjectName;)Ljava/lang/ClassLoader;");
    jobject loader = clear_exception(env) || get == NULL ? NULL : (*env)->CallObjectMethod(env, server, get, name);
    if (clear_exception(env) || !is_profilers_object(in, loader)) {
        return false;
    }
    char text[MAX_NAME];
    /* The toString of another class may be the program's. */
    bool readable = is_exactly(env, name, "javax.management.ObjectName");
    copy_string(env, readable ? call_method(env, name, "toString", "()Ljava/lang/String;") : NULL, text, sizeof text);
    return name_retainer(in, "the MBean ", text, loader);
}

/* Returns true if the JDK's management is already in use; loading it would leave a library mapped. */
static bool has_management_library(void) {
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL) {
        found = strstr(line, "/libmanagement.so") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

static bool look_at_beans(const struct retainer_search *in) {
    JNIEnv *env = in->env;
    jobject server = !has_management_library() ? NULL : object_field(env, class_find(env,
            "java/lang/management/ManagementFactory"), NULL,
            "platformMBeanServer", "Ljavax/management/MBeanServer;");
    /* The program may use an MBean server of its own class. */
    jmethodID query = !is_exactly(env, server, "com.sun.jmx.mbeanserver.JmxMBeanServer") ? NULL
            : (*env)->GetMethodID(env, (*env)->GetObjectClass(env, server), "queryNames",
            "(Ljavax/management/ObjectName;Ljavax/management/QueryExp;)Ljava/util/Set;");
    jobject names = clear_exception(env) || query == NULL ? NULL : (*env)->CallObjectMethod(env, server, query, NULL,
            NULL);
    return !clear_exception(env) && names != NULL && look_at_all(in, names, look_at_bean, server);
}

/* Returns false if none of the usual places refers to the profiler. Virtual threads are included on request. */
bool retainers_find(JNIEnv *env, char *text, size_t size, bool also_virtual) {
    bool found = false;
    if (enter_frame(env, 64)) {
        const struct retainer_search in = {.env = env, .loader = java_loader(env), .text = text, .size = size};
        found = in.loader != NULL && (look_at_threads(&in) || look_at_hooks(&in) || look_at_beans(&in)
                || (also_virtual && look_at_virtual_threads(&in)));
        (*env)->PopLocalFrame(env, NULL);
    }
    clear_exception(env);
    return found;
}
