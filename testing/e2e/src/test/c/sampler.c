/*
 * A JVMTI agent that samples allocations with the JVM's present interval. It is loaded again for each of its options;
 * the result of the load is the answer: "hold" subscribes, 0 or an error of JVMTI; "count" is the number of samples
 * plus 1; "release" disposes the environment, 0.
 */
#include <jvmti.h>
#include <stdatomic.h>
#include <string.h>

static jvmtiEnv *sampler;
static _Atomic jint samples;

static void JNICALL on_sample(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object, jclass class, jlong size) {
    (void)jvmti;
    (void)env;
    (void)thread;
    (void)object;
    (void)class;
    (void)size;
    atomic_fetch_add(&samples, 1);
}

static jint hold(JavaVM *vm) {
    jvmtiCapabilities wanted = {.can_generate_sampled_object_alloc_events = 1};
    jvmtiEventCallbacks callbacks = {.SampledObjectAlloc = on_sample};
    if (sampler == NULL && (*vm)->GetEnv(vm, (void **)&sampler, JVMTI_VERSION_11) != JNI_OK) {
        return JNI_ERR;
    }
    jint failed = (jint)(*sampler)->AddCapabilities(sampler, &wanted);
    if (failed == 0) {
        failed = (jint)(*sampler)->SetEventCallbacks(sampler, &callbacks, sizeof callbacks);
    }
    if (failed == 0) {
        failed = (jint)(*sampler)->SetEventNotificationMode(sampler, JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
                NULL);
    }
    return failed;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    if (strcmp(options, "hold") == 0) {
        return hold(vm);
    }
    if (strcmp(options, "count") == 0) {
        return atomic_load(&samples) + 1;
    }
    jvmtiEnv *released = sampler;
    sampler = NULL;
    return released == NULL ? JNI_ERR : (jint)(*released)->DisposeEnvironment(released);
}
