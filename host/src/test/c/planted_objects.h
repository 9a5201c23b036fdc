/*
 * Doubles for retainers_test.c: objects with the fields that the JDK declares, and the functions of a JVM that read
 * them. A call while an exception is pending ends the program.
 */
#ifndef MAYFLY_PLANTED_OBJECTS_H
#define MAYFLY_PLANTED_OBJECTS_H

#include "check.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>

/* An object of Java. An object with a name is also the string of its name; one with elements, its own iterator. */
struct object {
    struct object *class;
    const char *name;           /* of a class, a thread or an MBean */
    struct object *loader;      /* of a class, or of an MBean */
    struct object **elements;
    jsize length;
    jsize at;                   /* the next element of the iterator */
};

/* The fields that are read, by the names of JDK 25; target is that of JDK 17. The last ones are static. */
static const struct field { const char *class; const char *name; const char *type; } fields[] = {
    {"java.lang.Thread", "holder", "Ljava/lang/Thread$FieldHolder;"},
    {"java.lang.Thread$FieldHolder", "task", "Ljava/lang/Runnable;"},
    {"java.lang.Thread", "target", "Ljava/lang/Runnable;"},
    {"java.lang.Thread", "contextClassLoader", "Ljava/lang/ClassLoader;"},
    {"java.lang.Thread", "threadLocals", "Ljava/lang/ThreadLocal$ThreadLocalMap;"},
    {"java.lang.Thread", "inheritableThreadLocals", "Ljava/lang/ThreadLocal$ThreadLocalMap;"},
    {"java.lang.ThreadLocal$ThreadLocalMap", "table", "[Ljava/lang/ThreadLocal$ThreadLocalMap$Entry;"},
    {"java.lang.ThreadLocal$ThreadLocalMap$Entry", "value", "Ljava/lang/Object;"},
    {"java.util.TimerThread", "queue", "Ljava/util/TaskQueue;"},
    {"java.util.TaskQueue", "queue", "[Ljava/util/TimerTask;"},
    {"java.util.concurrent.ThreadPoolExecutor$Worker", "this$0", "Ljava/util/concurrent/ThreadPoolExecutor;"},
    {"java.util.concurrent.ThreadPoolExecutor", "threadFactory", "Ljava/util/concurrent/ThreadFactory;"},
    {"java.util.concurrent.ThreadPoolExecutor", "workQueue", "Ljava/util/concurrent/BlockingQueue;"},
    {"java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", "queue",
        "[Ljava/util/concurrent/RunnableScheduledFuture;"},
    {"java.util.concurrent.ScheduledThreadPoolExecutor$ScheduledFutureTask", "callable",
        "Ljava/util/concurrent/Callable;"},
    {"java.util.concurrent.FutureTask", "callable", "Ljava/util/concurrent/Callable;"},
    {"java.util.concurrent.ThreadPerTaskExecutor$ThreadBoundFuture", "callable", "Ljava/util/concurrent/Callable;"},
    {"java.util.concurrent.Executors$RunnableAdapter", "task", "Ljava/lang/Runnable;"},
    {"java.util.concurrent.ThreadPerTaskExecutor$TaskRunner", "task", "Ljava/lang/Runnable;"},
    {"java.util.concurrent.ThreadPerTaskExecutor", "threads", "Ljava/util/Set;"},
    {"java.lang.VirtualThread", "cont", "Ljdk/internal/vm/Continuation;"},
    {"jdk.internal.vm.Continuation", "target", "Ljava/lang/Runnable;"},
    {"java.lang.VirtualThread$VThreadContinuation$1", "val$task", "Ljava/lang/Runnable;"},
    {"java.lang.ref.Reference", "referent", "Ljava/lang/Object;"},
    {"jdk.internal.vm.ThreadContainers", "CONTAINER_REGISTRY", "Ljava/util/Set;"},
    {"jdk.internal.vm.ThreadContainers$RootContainer$TrackingRootContainer", "VTHREADS", "Ljava/util/Set;"},
    {"java.lang.ApplicationShutdownHooks", "hooks", "Ljava/util/IdentityHashMap;"},
    {"java.lang.management.ManagementFactory", "platformMBeanServer", "Ljavax/management/MBeanServer;"},
};
enum { FIELDS = sizeof fields / sizeof fields[0], FIRST_STATIC = FIELDS - 4, OBJECTS = 128 };

static struct object objects[OBJECTS];
static int object_count;
static struct { struct object *of; const struct field *field; struct object *value; } values[OBJECTS];
static int value_count;
static struct object class_class;
static struct object *first_loader;     /* the loader of the host's classes; NULL once collected */
static struct object *host_loader;      /* the loader of the profiler's classes */
static struct object *threads;
static struct object *bean_names;
static const char *missing_method;
static const char *missing_class;
static const char *throwing_method;
static const struct field *missing_field;
static jint version;
static int queries;             /* of MBean servers */
static bool pending;            /* an exception */
static int errors;              /* that the JVM created because a class lacks a member */
static int frames;              /* of local references */
static int texts;               /* the characters of a string, not released yet */
static int steps;               /* calls that may fail */
static int failing_step;

static bool step_fails(void) {
    CHECK(!pending);
    return ++steps == failing_step;
}

static bool call_throws(jmethodID id) {
    pending = step_fails() || strcmp((const char *)id, throwing_method) == 0;
    return pending;
}

static struct object *named_class(const char *name) {
    for (int i = 0; i < object_count; i++) {
        if (objects[i].class == &class_class && strcmp(objects[i].name, name) == 0) {
            return &objects[i];
        }
    }
    CHECK(object_count < OBJECTS);
    objects[object_count] = (struct object){.class = &class_class, .name = name};
    return &objects[object_count++];
}

static struct object *make(const char *class) {
    struct object *of = named_class(class);
    CHECK(object_count < OBJECTS);
    objects[object_count] = (struct object){.class = of};
    return &objects[object_count++];
}

static struct object *make_array(struct object **elements, jsize length) {
    struct object *array = make("java.lang.Object[]");
    array->elements = elements;
    array->length = length;
    return array;
}

static struct object *make_thread(const char *class, const char *name) {
    struct object *thread = make(class);
    thread->name = name;
    return thread;
}

/* Assigns a field of an object, or of a class. */
static struct object *set(struct object *of, const char *name, struct object *value) {
    const char *class = of->class == &class_class ? of->name : of->class->name;
    int i = 0;
    while (i < FIELDS && (strcmp(fields[i].name, name) != 0 || strcmp(fields[i].class, class) != 0)) {
        i++;
    }
    CHECK(i < FIELDS && value_count < OBJECTS);
    values[value_count].of = of;
    values[value_count].field = &fields[i];
    values[value_count++].value = value;
    return of;
}

static jint JNICALL get_version(JNIEnv *env) {
    (void)env;
    CHECK(!pending);
    return version;
}

static jint JNICALL push_frame(JNIEnv *env, jint capacity) {
    (void)env;
    CHECK(capacity > 0);
    pending = step_fails();
    frames += !pending;
    return pending ? JNI_ENOMEM : 0;
}

static jobject JNICALL pop_frame(JNIEnv *env, jobject result) {
    (void)env;
    CHECK(frames > 0);
    frames--;
    return result;
}

static void JNICALL delete_local(JNIEnv *env, jobject reference) {
    (void)env;
    (void)reference;
}

static jboolean JNICALL is_pending(JNIEnv *env) {
    (void)env;
    return pending;
}

static void JNICALL clear(JNIEnv *env) {
    (void)env;
    pending = false;
}

static jclass JNICALL class_of(JNIEnv *env, jobject object) {
    (void)env;
    CHECK(!pending && object != NULL);
    return (jclass)((struct object *)object)->class;
}

static jboolean JNICALL is_same(JNIEnv *env, jobject first, jobject second) {
    (void)env;
    CHECK(!pending);
    return first == second;
}

static jfieldID find_field(jclass class, const char *name, const char *type, int from, int to) {
    CHECK(!pending && class != NULL);
    for (int i = from; i < to; i++) {
        if (&fields[i] != missing_field && strcmp(((struct object *)class)->name, fields[i].class) == 0
                && strcmp(name, fields[i].name) == 0 && strcmp(type, fields[i].type) == 0) {
            return (jfieldID)(uintptr_t)&fields[i];
        }
    }
    pending = true;
    errors++;
    return NULL;
}

static jfieldID JNICALL field_id(JNIEnv *env, jclass class, const char *name, const char *type) {
    (void)env;
    return find_field(class, name, type, 0, FIRST_STATIC);
}

static jfieldID JNICALL static_field_id(JNIEnv *env, jclass class, const char *name, const char *type) {
    (void)env;
    return find_field(class, name, type, FIRST_STATIC, FIELDS);
}

static jobject JNICALL get_field(JNIEnv *env, jobject object, jfieldID field) {
    (void)env;
    CHECK(!pending && object != NULL);
    for (int i = 0; i < value_count; i++) {
        if ((void *)values[i].of == object && values[i].field == (const struct field *)field) {
            return (jobject)values[i].value;
        }
    }
    return NULL;
}

static jmethodID JNICALL method_id(JNIEnv *env, jclass class, const char *name, const char *type) {
    static const char *const methods[][2] = {
        {"getName", "()Ljava/lang/String;"}, {"toString", "()Ljava/lang/String;"},
        {"getClassLoader", "()Ljava/lang/ClassLoader;"}, {"toArray", "()[Ljava/lang/Object;"},
        {"keySet", "()Ljava/util/Set;"}, {"iterator", "()Ljava/util/Iterator;"}, {"hasNext", "()Z"},
        {"next", "()Ljava/lang/Object;"}, {"getThreads", "()[Ljava/lang/Thread;"},
        {"queryNames", "(Ljavax/management/ObjectName;Ljavax/management/QueryExp;)Ljava/util/Set;"},
        {"getClassLoaderFor", "(Ljavax/management/ObjectName;)Ljava/lang/ClassLoader;"},
    };
    (void)env;
    CHECK(!pending && class != NULL);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (strcmp(name, missing_method) != 0 && strcmp(name, methods[i][0]) == 0
                && strcmp(type, methods[i][1]) == 0) {
            return (jmethodID)(uintptr_t)methods[i][0];
        }
    }
    pending = true;
    errors++;
    return NULL;
}

static jobject JNICALL call(JNIEnv *env, jobject object, jmethodID id, ...) {
    (void)env;
    const char *name = (const char *)id;
    struct object *on = (struct object *)object;
    CHECK(on != NULL);
    if (call_throws(id)) {
        return NULL;
    }
    if (strcmp(name, "getClassLoader") == 0) {
        CHECK(on->class == &class_class);
        return (jobject)on->loader;
    }
    if (strcmp(name, "queryNames") == 0) {
        queries++;
        return (jobject)bean_names;
    }
    if (strcmp(name, "getClassLoaderFor") == 0) {
        va_list arguments;
        va_start(arguments, id);
        struct object *bean = va_arg(arguments, void *);
        va_end(arguments);
        return (jobject)bean->loader;
    }
    if (strcmp(name, "next") == 0) {
        CHECK(on->at < on->length);
        return (jobject)on->elements[on->at++];
    }
    on->at = 0;
    return object;
}

static jboolean JNICALL call_boolean(JNIEnv *env, jobject object, jmethodID id, ...) {
    (void)env;
    CHECK(strcmp((const char *)id, "hasNext") == 0);
    return !call_throws(id) && ((struct object *)object)->at < ((struct object *)object)->length;
}

static jobject JNICALL call_static(JNIEnv *env, jclass class, jmethodID id, ...) {
    (void)env;
    (void)class;
    CHECK(strcmp((const char *)id, "getThreads") == 0);
    return call_throws(id) ? NULL : (jobject)threads;
}

static jsize JNICALL length_of(JNIEnv *env, jarray array) {
    (void)env;
    CHECK(!pending);
    return ((struct object *)array)->length;
}

static jobject JNICALL get_element(JNIEnv *env, jobjectArray array, jsize at) {
    (void)env;
    CHECK(!pending && at >= 0 && at < ((struct object *)array)->length);
    return (jobject)((struct object *)array)->elements[at];
}

/* Returns NULL, without an exception, if there is no memory. */
static const char *JNICALL characters(JNIEnv *env, jstring string, jboolean *copied) {
    (void)env;
    const char *text = step_fails() || copied != NULL ? NULL : ((struct object *)string)->name;
    texts += text != NULL;
    return text;
}

static void JNICALL release_characters(JNIEnv *env, jstring string, const char *text) {
    (void)env;
    CHECK(text == ((struct object *)string)->name);
    texts--;
}

static const struct JNINativeInterface_ functions = {
    .GetVersion = get_version, .PushLocalFrame = push_frame, .PopLocalFrame = pop_frame, .DeleteLocalRef = delete_local,
    .ExceptionCheck = is_pending, .ExceptionClear = clear, .GetObjectClass = class_of, .IsSameObject = is_same,
    .GetFieldID = field_id, .GetStaticFieldID = static_field_id, .GetObjectField = get_field,
    .GetStaticObjectField = get_field, .GetMethodID = method_id, .GetStaticMethodID = method_id,
    .CallObjectMethod = call, .CallBooleanMethod = call_boolean, .CallStaticObjectMethod = call_static,
    .GetArrayLength = length_of, .GetObjectArrayElement = get_element, .GetStringUTFChars = characters,
    .ReleaseStringUTFChars = release_characters};
static JNIEnv env = &functions;

/* As the library's own, it clears an exception instead of a look-up. */
jclass class_find(JNIEnv *jni, const char *name) {
    char dotted[128];
    (void)jni;
    if (pending) {
        pending = false;
        return NULL;
    }
    snprintf(dotted, sizeof dotted, "%s", name);
    for (char *at = dotted; *at != 0; at++) {
        *at = *at == '/' ? '.' : *at;
    }
    if (step_fails() || strcmp(dotted, missing_class) == 0) {
        return NULL;
    }
    for (int i = 0; i < FIELDS; i++) {
        if (strcmp(fields[i].class, dotted) == 0) {
            return (jclass)named_class(fields[i].class);
        }
    }
    CHECK(strcmp(dotted, "java.util.Iterator") == 0);
    return (jclass)named_class("java.util.Iterator");
}

jobject java_loader(JNIEnv *jni) {
    (void)jni;
    return (jobject)first_loader;
}

jlong thread_id(JNIEnv *jni, jobject thread) {
    (void)jni;
    CHECK(!pending && thread != NULL);
    return 21;
}

#endif
