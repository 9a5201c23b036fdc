/*
 * Classes of the JDK by their exact names, from the boot loader alone, as the java launcher finds its own. FindClass on a thread
 * without Java frames asks the system class loader, which may be a class of the program.
 */
#define _GNU_SOURCE
#include "host.h"
#include "old-glibc.h"

#include <dlfcn.h>

typedef jclass (JNICALL *find_function)(JNIEnv *, const char *);

/* JVM_FindClassFromBootLoader (jvm.h of the JDK), of the JVM that this library is in; NULL if it has none. */
static find_function boot_loader(void) {
    static _Atomic(find_function) known;
    find_function find = atomic_load(&known);
    if (find == NULL) {
        void *jvm = runtime_library();
        find = jvm == NULL ? NULL : (find_function)(uintptr_t)dlsym(jvm, "JVM_FindClassFromBootLoader");
        if (jvm != NULL) {
            dlclose(jvm);
        }
        atomic_store(&known, find);
    }
    return find;
}

/* A local reference to a class such as "java/lang/String" or "[B"; NULL, without an exception, if there is none. */
jclass class_find(JNIEnv *env, const char *name) {
    find_function find = boot_loader();
    jclass class = find == NULL || (*env)->ExceptionCheck(env) ? NULL : find(env, name);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    return class;
}

/* Whether an object is an instance of such a class. */
bool class_is(JNIEnv *env, jobject object, const char *name) {
    jclass class = object == NULL ? NULL : class_find(env, name);
    bool is = class != NULL && (*env)->IsInstanceOf(env, object, class);
    (*env)->DeleteLocalRef(env, class);
    return is;
}

/*
 * After JVMTI has made so many local references: without room for them, and for some of our own, -Xcheck:jni prints a warning at the
 * next call of JNI. It counts from what is there; more than -XX:MaxJNILocalCapacity cannot be asked for at once.
 */
void locals_reserve(JNIEnv *env, jint count) {
    enum { OWN = 16, MOST = 65536 };
    (*env)->EnsureLocalCapacity(env, count > MOST - OWN ? MOST : count + OWN);
}
