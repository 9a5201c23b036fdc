/*
 * Sampled allocations. One environment of the JVM at a time can hold the capability for them, and only its holder can
 * set the sampling interval, which belongs to the whole JVM and cannot be read. Both are given back when the profiler
 * unsubscribes, so that other agents find what they would find in a JVM without a profiler.
 */
#define _GNU_SOURCE
#include "allocations.h"
#include "callbacks.h"
#include "java.h"
#include "wire.h"

#include <pthread.h>
#include <stddef.h>

/* The JVM's interval when it starts: ThreadHeapSampler::_sampling_interval of HotSpot, bytes. */
enum { INITIAL_INTERVAL = 512 << 10 };

/* Protects the interval: a thread that sets it must not do so after another has restored the JVM's. */
static pthread_mutex_t allocations_lock = PTHREAD_MUTEX_INITIALIZER;
static jint allocations_interval = INITIAL_INTERVAL;
static bool allocations_on;

/*
 * The callback's own allocations are not reported. Java code takes the size from the object: a parameter would have to
 * be allocated here, before the callback has begun.
 */
static void JNICALL on_sampled_allocation(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jclass class,
        jlong size) {
    (void)env;
    (void)class;
    (void)size;
    if (thread != NULL && !callback_is_inside()) {
        java_deliver(jni, UPCALL_KIND_ALLOCATION_SAMPLED, object);
    }
}

void allocations_add_callbacks(jvmtiEventCallbacks *callbacks) {
    callbacks->SampledObjectAlloc = on_sampled_allocation;
}

/* Acquires the capability. Returns 0, an error of JVMTI, or EVENT_ERROR_SAMPLING_HELD if another agent holds it. */
jint allocations_prepare(jvmtiEnv *env) {
    jvmtiCapabilities wanted = {.can_generate_sampled_object_alloc_events = 1};
    jint failed = (*env)->AddCapabilities(env, &wanted);
    return failed == JVMTI_ERROR_NOT_AVAILABLE ? EVENT_ERROR_SAMPLING_HELD : failed;
}

static jint allocations_begin(jvmtiEnv *env) {
    jint failed = (*env)->SetHeapSamplingInterval(env, allocations_interval);
    if (failed == 0) {
        failed = (*env)->SetEventNotificationMode(env, JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
    }
    allocations_on = failed == 0;
    return failed;
}

static jint allocations_end(jvmtiEnv *env) {
    jvmtiCapabilities released = {.can_generate_sampled_object_alloc_events = 1};
    allocations_on = false;
    jint failed = (*env)->SetEventNotificationMode(env, JVMTI_DISABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
    if (failed == 0) {
        failed = (*env)->SetHeapSamplingInterval(env, INITIAL_INTERVAL);
    }
    if (failed == 0) {
        failed = (*env)->RelinquishCapabilities(env, &released);
    }
    return failed;
}

/*
 * Enables the event; or disables it, restores the JVM's interval and releases the capability. Returns 0 or an error of
 * JVMTI.
 */
jint allocations_switch(jvmtiEnv *env, bool on) {
    jvmtiCapabilities held = {0};
    jint failed = (*env)->GetCapabilities(env, &held);
    if (failed != 0 || !held.can_generate_sampled_object_alloc_events) {
        return failed != 0 || !on ? failed : JVMTI_ERROR_NOT_AVAILABLE;
    }
    pthread_mutex_lock(&allocations_lock);
    failed = on ? allocations_begin(env) : allocations_end(env);
    pthread_mutex_unlock(&allocations_lock);
    return failed;
}

/*
 * Sets the interval for the present and for later subscriptions. The environment may be NULL if there is none. Returns
 * 0, or an error of JVMTI, after which the interval is unchanged.
 */
jint allocations_set_interval(jvmtiEnv *env, jint bytes) {
    pthread_mutex_lock(&allocations_lock);
    jint failed = env != NULL && allocations_on ? (*env)->SetHeapSamplingInterval(env, bytes) : 0;
    if (failed == 0) {
        allocations_interval = bytes;
    }
    pthread_mutex_unlock(&allocations_lock);
    return failed;
}
