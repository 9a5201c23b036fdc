/* Doubles for retainers_test.c: each place that may retain the profiler, with a reference to any object. */
#ifndef MAYFLY_PLANTED_PLACES_H
#define MAYFLY_PLANTED_PLACES_H

#include "check.h"
#include "planted_objects.h"

static char *maps;              /* NULL if it cannot be read */
static int open_files;

static struct object *thread;   /* the only one of the program */
static struct object *ours;     /* an object of the profiler */
static struct object *theirs;   /* an object of the program */
static FILE *planted_fopen(const char *path, const char *mode) {
    CHECK(strcmp(path, "/proc/self/maps") == 0 && strcmp(mode, "re") == 0);
    open_files += maps != NULL;
    return maps == NULL ? NULL : fmemopen(maps, strlen(maps), "r");
}

static int planted_fclose(FILE *file) {
    open_files--;
    return fclose(file);
}

static struct object *one(struct object *element) {
    static struct object *elements[OBJECTS];
    static int next;
    next = (next + 1) % OBJECTS;
    elements[next] = element;
    return make_array(&elements[next], 1);
}

/* Starts a JVM in which nothing retains the profiler. */
static void begin(void) {
    static char management[] = "7f00-7f01 r-xp 00000000 00:00 0 /jdk/lib/server/libjvm.so\n"
            "7f01-7f02 r-xp 00000000 00:00 0 /jdk/lib/libmanagement.so\n";
    object_count = value_count = queries = errors = texts = 0;
    steps = failing_step = 0;
    missing_method = missing_class = throwing_method = "";
    missing_field = NULL;
    version = JNI_VERSION_21_;
    maps = management;
    first_loader = make("java.security.SecureClassLoader");
    host_loader = make("mayfly.host.Memory");
    host_loader->class->loader = first_loader;
    ours = make("mayfly.example.Task");
    ours->class->loader = host_loader;
    theirs = make("com.acme.Task");
    theirs->class->loader = make("jdk.internal.loader.ClassLoaders$AppClassLoader");
    thread = make_thread("java.lang.Thread", "main");
    threads = one(thread);
    bean_names = make_array(NULL, 0);
}

/* ---- The places ---- */

static void by_task(struct object *task) {
    set(thread, "holder", set(make("java.lang.Thread$FieldHolder"), "task", task));
}

/* Before JDK 19. */
static void by_target(struct object *task) {
    version = 0x000a0000;       /* that of JDK 17 */
    missing_field = &fields[0];
    set(thread, "target", task);
}

static void by_context(struct object *context) {
    set(thread, "contextClassLoader", context);
}

static struct object *locals_with(struct object *value) {
    struct object *entry = set(make("java.lang.ThreadLocal$ThreadLocalMap$Entry"), "value", value);
    return set(make("java.lang.ThreadLocal$ThreadLocalMap"), "table", one(entry));
}

static void by_locals(struct object *value) {
    set(thread, "threadLocals", locals_with(value));
}

static void by_inherited_locals(struct object *value) {
    set(thread, "inheritableThreadLocals", locals_with(value));
}

static void by_timer(struct object *task) {
    thread->class = named_class("java.util.TimerThread");
    set(thread, "queue", set(make("java.util.TaskQueue"), "queue", one(task)));
}

static struct object *executor_of_thread(void) {
    struct object *executor = make("java.util.concurrent.ThreadPoolExecutor");
    by_task(set(make("java.util.concurrent.ThreadPoolExecutor$Worker"), "this$0", executor));
    return executor;
}

static void by_factory(struct object *factory) {
    set(executor_of_thread(), "threadFactory", factory);
}

static void by_schedule(struct object *callable) {
    struct object *future = make("java.util.concurrent.ScheduledThreadPoolExecutor$ScheduledFutureTask");
    struct object *queue = make("java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue");
    set(executor_of_thread(), "workQueue", set(queue, "queue", one(set(future, "callable", callable))));
}

static struct object *adapter_of(struct object *task) {
    return set(make("java.util.concurrent.Executors$RunnableAdapter"), "task", task);
}

static void by_adapted_schedule(struct object *task) {
    by_schedule(adapter_of(task));
}

static void by_hook(struct object *hook) {
    set(named_class("java.lang.ApplicationShutdownHooks"), "hooks", one(hook));
}

static void by_task_of_hook(struct object *task) {
    struct object *holder = set(make("java.lang.Thread$FieldHolder"), "task", task);
    by_hook(set(make_thread("java.lang.Thread", "hook"), "holder", holder));
}

static void bean_of(const char *server, const char *name_class, struct object *loader) {
    struct object *name = make_thread(name_class, "com.acme:type=Cache");
    name->loader = loader;
    bean_names = one(name);
    set(named_class("java.lang.management.ManagementFactory"), "platformMBeanServer", make(server));
}

static void by_bean(struct object *loader) {
    bean_of("com.sun.jmx.mbeanserver.JmxMBeanServer", "javax.management.ObjectName", loader);
}

static struct object *virtual_thread(struct object *task, const char *name) {
    struct object *target = set(make("java.lang.VirtualThread$VThreadContinuation$1"), "val$task", task);
    struct object *continuation = set(make("jdk.internal.vm.Continuation"), "target", target);
    return set(make_thread("java.lang.VirtualThread", name), "cont", continuation);
}

static void list_virtual(struct object *listed) {
    set(named_class("jdk.internal.vm.ThreadContainers$RootContainer$TrackingRootContainer"), "VTHREADS", one(listed));
}

static void by_virtual(struct object *task) {
    list_virtual(virtual_thread(task, ""));
}

static void by_named_virtual(struct object *task) {
    list_virtual(virtual_thread(task, "worker"));
}

static void by_runner(struct object *task) {
    by_virtual(set(make("java.util.concurrent.ThreadPerTaskExecutor$TaskRunner"), "task", task));
}

static void by_callable(struct object *callable) {
    by_virtual(set(make("java.util.concurrent.ThreadPerTaskExecutor$ThreadBoundFuture"), "callable", callable));
}

static void by_future(struct object *callable) {
    by_virtual(set(make("java.util.concurrent.FutureTask"), "callable", callable));
}

static void by_adapted_future(struct object *task) {
    by_future(adapter_of(task));
}

static void by_container(struct object *task) {
    struct object *listed = one(virtual_thread(task, ""));
    struct object *container = set(make("java.util.concurrent.ThreadPerTaskExecutor"), "threads", listed);
    set(named_class("jdk.internal.vm.ThreadContainers"), "CONTAINER_REGISTRY",
            one(set(make("java.lang.ref.Reference"), "referent", container)));
}

static const struct place {
    void (*refer)(struct object *);
    const char *text;           /* the description of the object */
} places[] = {
    {by_task, "thread \"main\""}, {by_target, "thread \"main\""},
    {by_context, "the context class loader of thread \"main\""},
    {by_locals, "a thread-local variable of thread \"main\""},
    {by_inherited_locals, "a thread-local variable of thread \"main\""}, {by_timer, "a task of thread \"main\""},
    {by_factory, "the factory of thread \"main\""}, {by_schedule, "a task of the executor of thread \"main\""},
    {by_adapted_schedule, "a task of the executor of thread \"main\""}, {by_hook, "a shutdown hook"},
    {by_task_of_hook, "a shutdown hook"}, {by_bean, "the MBean com.acme:type=Cache"},
    {by_virtual, "virtual thread #21"}, {by_named_virtual, "virtual thread #21 \"worker\""},
    {by_runner, "virtual thread #21"}, {by_callable, "virtual thread #21"},
    {by_future, "virtual thread #21"}, {by_adapted_future, "virtual thread #21"},
    {by_container, "virtual thread #21"},
};
enum { PLACES = sizeof places / sizeof places[0] };

#endif
