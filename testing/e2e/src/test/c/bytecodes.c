/*
 * A JVMTI agent, not a Mayfly profiler, for the comparison of the code of a class. The option is the class's signature
 * without L and ;. The result is a hash of the bytecodes of all methods of the class, as the JVM executes them now, in
 * the order of their names and descriptors, which does not matter to the sum; or a negative number.
 */
#include <jvmti.h>
#include <stdint.h>
#include <string.h>

static uint32_t hashed(uint32_t hash, const unsigned char *at, size_t length) {
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ at[i]) * 16777619u;
    }
    return hash;
}

static uint32_t of_method(jvmtiEnv *env, jmethodID method) {
    char *name = NULL;
    char *descriptor = NULL;
    unsigned char *code = NULL;
    jint length = 0;
    uint32_t hash = 2166136261u;
    if ((*env)->GetMethodName(env, method, &name, &descriptor, NULL) == 0) {
        hash = hashed(hash, (unsigned char *)name, strlen(name));
        hash = hashed(hash, (unsigned char *)descriptor, strlen(descriptor));
    }
    if ((*env)->GetBytecodes(env, method, &length, &code) == 0) {
        hash = hashed(hash, code, (size_t)length);
        (*env)->Deallocate(env, code);
    }
    (*env)->Deallocate(env, (unsigned char *)name);
    (*env)->Deallocate(env, (unsigned char *)descriptor);
    return hash;
}

static jint of_class(jvmtiEnv *env, jclass class) {
    jint count = 0;
    jmethodID *methods = NULL;
    uint32_t sum = 0;
    if ((*env)->GetClassMethods(env, class, &count, &methods) != 0) {
        return -3;
    }
    for (jint i = 0; i < count; i++) {
        sum += of_method(env, methods[i]);
    }
    (*env)->Deallocate(env, (unsigned char *)methods);
    return (jint)(sum & 0x7fffffff);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    jvmtiEnv *env;
    jvmtiCapabilities wanted = {.can_get_bytecodes = 1};
    jint count = 0;
    jclass *classes = NULL;
    jint result = -2;
    if ((*vm)->GetEnv(vm, (void **)&env, JVMTI_VERSION_9) != 0 || (*env)->AddCapabilities(env, &wanted) != 0
            || (*env)->GetLoadedClasses(env, &count, &classes) != 0) {
        return -1;
    }
    for (jint i = 0; i < count; i++) {
        char *signature = NULL;
        if ((*env)->GetClassSignature(env, classes[i], &signature, NULL) == 0) {
            size_t length = strlen(signature);
            if (length == strlen(options) + 2 && strncmp(signature + 1, options, length - 2) == 0) {
                result = of_class(env, classes[i]);
            }
            (*env)->Deallocate(env, (unsigned char *)signature);
        }
    }
    (*env)->Deallocate(env, (unsigned char *)classes);
    (*env)->RelinquishCapabilities(env, &wanted);
    return result;
}
