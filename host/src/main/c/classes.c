/*
 * Looks up classes of the JDK by their exact names in the boot loader alone, as the java launcher does. On a thread
 * without Java frames, FindClass uses the system class loader, which may be an object of the program.
 */
#define _GNU_SOURCE
#include "classes.h"
#include "runtimes.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <stdatomic.h>

typedef jclass (JNICALL *find_function)(JNIEnv *, const char *);

/* Returns JVM_FindClassFromBootLoader (jvm.h of the JDK) of the JVM that hosts this library, or NULL if it has none. */
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

/*
 * Returns a local reference to a class such as "java/lang/String" or "[B"; NULL, without an exception, if there is
 * none.
 */
jclass class_find(JNIEnv *env, const char *name) {
    find_function find = boot_loader();
    jclass class = find == NULL || (*env)->ExceptionCheck(env) ? NULL : find(env, name);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    return class;
}

/* Returns true if the object is an instance of the named class. */
bool class_is(JNIEnv *env, jobject object, const char *name) {
    jclass class = object == NULL ? NULL : class_find(env, name);
    bool is = class != NULL && (*env)->IsInstanceOf(env, object, class);
    (*env)->DeleteLocalRef(env, class);
    return is;
}

/*
 * Reserves local references after JVMTI has created this many. Without capacity for them and for some references of the
 * host, -Xcheck:jni prints a warning at the next JNI call. The capacity counts from the present number of references; a
 * single call cannot request more than -XX:MaxJNILocalCapacity.
 */
void locals_reserve(JNIEnv *env, jint count) {
    enum { OWN = 16, MAX_LOCALS = 65536 };
    (*env)->EnsureLocalCapacity(env, count > MAX_LOCALS - OWN ? MAX_LOCALS : count + OWN);
}

/* Returns the direct superinterfaces of a class; NULL, without an exception, if this JDK does not list them. */
jobjectArray class_interfaces(JNIEnv *env, jclass of) {
    jclass class = class_find(env, "java/lang/Class");
    jmethodID get = class == NULL ? NULL : (*env)->GetMethodID(env, class, "getInterfaces0", "()[Ljava/lang/Class;");
    jobjectArray interfaces = get == NULL ? NULL : (*env)->CallNonvirtualObjectMethod(env, of, class, get);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        interfaces = NULL;
    }
    (*env)->DeleteLocalRef(env, class);
    return interfaces;
}

/*
 * Returns a reference field of an object, declared by this class of the JDK; NULL, without an exception, if there is
 * none or the object is not an instance of the class.
 */
jobject class_field(JNIEnv *env, jobject object, jstring declaring, jstring name, jstring descriptor) {
    jstring strings[] = {declaring, name, descriptor};
    const char *texts[3] = {NULL, NULL, NULL};
    bool read = true;
    for (int i = 0; i < 3 && read; i++) {
        texts[i] = (*env)->GetStringUTFChars(env, strings[i], NULL);
        read = texts[i] != NULL;
    }
    jclass class = read ? class_find(env, texts[0]) : NULL;
    bool has = class != NULL && (*env)->IsInstanceOf(env, object, class);
    jfieldID field = has ? (*env)->GetFieldID(env, class, texts[1], texts[2]) : NULL;
    (*env)->ExceptionClear(env);
    jobject value = field == NULL ? NULL : (*env)->GetObjectField(env, object, field);
    for (int i = 0; i < 3 && texts[i] != NULL; i++) {
        (*env)->ReleaseStringUTFChars(env, strings[i], texts[i]);
    }
    (*env)->DeleteLocalRef(env, class);
    return value;
}
