/*
 * The release of the JVMTI environment: it waits for each thread that uses the environment, and is woken by the last.
 */
#include "../../main/c/events.c"

#include "check.h"

/* Doubles: an environment that counts its disposals, and sampled allocations. */
static _Atomic int disposals;
static bool samples;
static int users_at_last_look;

static jvmtiError JNICALL dispose(jvmtiEnv *env) {
    (void)env;
    atomic_fetch_add(&disposals, 1);
    return JVMTI_ERROR_NONE;
}

static struct jvmtiInterface_1_ functions = {.DisposeEnvironment = dispose};
static jvmtiEnv environment = &functions;

bool life_has_environment(void) {
    users_at_last_look = atomic_load(&environment_users);
    return host.life < HOST_LIFE_RELEASED;
}

void queue_clear(JNIEnv *env) {
    (void)env;
}

void exceptions_clear(void) {
}

jint allocations_switch(jvmtiEnv *env, bool on) {
    CHECK(env == &environment && disposals == 0);
    samples = on;
    return 0;
}

/* No test calls these functions. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define UNUSED(TYPE, NAME, ...) TYPE NAME(__VA_ARGS__) { abort(); }
UNUSED(void, java_deliver, JNIEnv *a, enum upcall_kind b, jobject c)
UNUSED(bool, callback_is_inside, void)
UNUSED(void, allocations_add_callbacks, jvmtiEventCallbacks *a)
UNUSED(jint, allocations_prepare, jvmtiEnv *a)
UNUSED(void, monitors_add_callbacks, jvmtiEventCallbacks *a)
UNUSED(void, virtual_threads_add_callbacks, jvmtiEventCallbacks *a)
UNUSED(jint, virtual_threads_switch, jvmtiEnv *a, bool b)
UNUSED(void, probes_add_capabilities, jvmtiCapabilities *a, bool b)
UNUSED(jvmtiEnv *, anchor_find, void)
UNUSED(jint, exceptions_prepare, jvmtiEnv *a)
UNUSED(jint, exceptions_switch, bool a)
UNUSED(void, class_files_add_callbacks, jvmtiEventCallbacks *a)
UNUSED(jint, class_files_report_loads, jvmtiEnv *a, bool b)
UNUSED(void, compiled_add_callbacks, jvmtiEventCallbacks *a)
UNUSED(bool, memory_read, const void *a, void *b, size_t c)
UNUSED(void, record_begin, void)
UNUSED(void, record_end, void)
UNUSED(bool, vmlog_set, uint32_t a)
UNUSED(void, vmlog_restore, uint32_t a)
UNUSED(bool, listener_is_others, void)

static void begin(void) {
    pthread_mutex_init(&host.lock, NULL);
    pthread_cond_init(&host.changed, NULL);
    atomic_store(&host.life, HOST_LIFE_RUNDOWN);
    events_jvmti = &environment;
    disposals = 0;
    samples = true;
}

static void *close_events(void *unused) {
    host.life = HOST_LIFE_RELEASED;
    events_close(NULL);
    return unused;
}

static void theEnvironmentIsDisposedAfterItsLastUserReleasesIt(void) {
    begin();
    CHECK(events_use() == &environment && events_use() == &environment);
    pthread_t closing;
    CHECK(pthread_create(&closing, NULL, close_events, NULL) == 0);
    while (host.life != HOST_LIFE_RELEASED) {
    }
    CHECK(events_use() == NULL && disposals == 0);
    events_release();
    CHECK(disposals == 0);
    events_release();
    CHECK(pthread_join(closing, NULL) == 0 && disposals == 1 && !samples);
}

/* If the user were counted after the read of the state, the environment could be disposed in between. */
static void aUserIsCountedBeforeTheStateIsRead(void) {
    begin();
    CHECK(events_use() == &environment && users_at_last_look == 1);
    events_release();
    host.life = HOST_LIFE_RELEASED;
    CHECK(events_use() == NULL && environment_users == 0);
}

int main(void) {
    RUN(theEnvironmentIsDisposedAfterItsLastUserReleasesIt);
    RUN(aUserIsCountedBeforeTheStateIsRead);
}
