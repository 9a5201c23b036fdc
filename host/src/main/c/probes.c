/*
 * Probes, as far as JVMTI is needed for them. The Java half decides which classes have probes (the watched classes) and
 * writes their class files. When one of them is redefined, by the host or by another agent, the JVM asks this file for
 * the class file, and this file asks the Java half. For all other classes the answer is immediate: no change.
 */
#define _GNU_SOURCE
#include "probes.h"
#include "anchor.h"
#include "bytecodes.h"
#include "class_files.h"
#include "classes.h"
#include "host.h"
#include "java.h"
#include "life.h"
#include "record.h"
#include "threads.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Frames that are read at once. The bound on the frames of a thread only limits the work for one. */
enum { FRAMES_AT_ONCE = 512, MAX_FRAMES = 1 << 14 };

static pthread_mutex_t probes_lock = PTHREAD_MUTEX_INITIALIZER;
static jweak *probes_watched;       /* the classes that have probes; protected by the lock */
static jint probes_watched_count;
static _Atomic uint32_t probes_thread;      /* the thread by which the host itself retransforms classes, or 0 */

static bool probes_is_watched(JNIEnv *env, jclass class) {
    bool watched = false;
    pthread_mutex_lock(&probes_lock);
    for (jint i = 0; i < probes_watched_count && !watched; i++) {
        watched = (*env)->IsSameObject(env, probes_watched[i], class);
    }
    pthread_mutex_unlock(&probes_lock);
    return watched;
}

/* Returns the class file that the Java half makes of this one, a byte[]; NULL if it stays as it is. */
static jobject probes_ask(JNIEnv *env, jclass class, const unsigned char *file, jint length) {
    jclass object = class_find(env, "java/lang/Object");
    jobjectArray argument = object == NULL ? NULL : (*env)->NewObjectArray(env, 3, object, NULL);
    jbyteArray bytes = argument == NULL ? NULL : (*env)->NewByteArray(env, length);
    if (bytes == NULL) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    bool own = atomic_load(&probes_thread) == (uint32_t)syscall(SYS_gettid);
    (*env)->SetByteArrayRegion(env, bytes, 0, length, (const jbyte *)file);
    (*env)->SetObjectArrayElement(env, argument, 0, class);
    (*env)->SetObjectArrayElement(env, argument, 1, bytes);
    (*env)->SetObjectArrayElement(env, argument, 2, own ? NULL : class);
    return java_redefine(env, argument);
}

/* Called for each class that is redefined while a class is watched, or new classes are reported. */
static void probes_redefine(jvmtiEnv *jvmti, JNIEnv *env, jclass class, jint length, const unsigned char *file,
        jint *new_length, unsigned char **new_file) {
    if (!probes_is_watched(env, class) || (*env)->PushLocalFrame(env, 16) != 0) {
        (*env)->ExceptionClear(env);
        return;
    }
    jobject changed = probes_ask(env, class, file, length);
    jint size = changed == NULL ? 0 : (*env)->GetArrayLength(env, changed);
    unsigned char *copy = NULL;
    if (size > 0 && (*jvmti)->Allocate(jvmti, size, &copy) == JVMTI_ERROR_NONE) {
        (*env)->GetByteArrayRegion(env, changed, 0, size, (jbyte *)copy);
        *new_file = copy;
        *new_length = size;
    }
    (*env)->PopLocalFrame(env, NULL);
}

void probes_add_capabilities(jvmtiCapabilities *wanted, bool probes) {
    wanted->can_retransform_classes = probes;
    wanted->can_get_bytecodes = probes;
    wanted->can_get_constant_pool = probes;
}

/* ---- Calls of the Java half ---- */

/* Returns a long[] with one number; NULL, without an exception, if the heap is full. */
static jlongArray probes_number(JNIEnv *env, jlong number) {
    jlongArray numbers = (*env)->NewLongArray(env, 1);
    if (numbers != NULL) {
        (*env)->SetLongArrayRegion(env, numbers, 0, 1, &number);
    }
    (*env)->ExceptionClear(env);
    return numbers;
}

/*
 * Returns the map in which ZoneRulesProvider.getRules looks up the provider of a time zone; NULL if this JDK has none.
 * JNI reads the private field without regard to modules. The class is initialised by this.
 */
static jobject probes_slot(JNIEnv *env) {
    jclass providers = class_find(env, "java/time/zone/ZoneRulesProvider");
    jfieldID zones = providers == NULL ? NULL
            : (*env)->GetStaticFieldID(env, providers, "ZONES", "Ljava/util/concurrent/ConcurrentMap;");
    jobject map = zones == NULL ? NULL : (*env)->GetStaticObjectField(env, providers, zones);
    (*env)->ExceptionClear(env);
    return map;
}

static void probes_forget(JNIEnv *env, jweak *classes, jint count) {
    for (jint i = 0; i < count; i++) {
        (*env)->DeleteWeakGlobalRef(env, classes[i]);
    }
    free(classes);
}

/* Makes weak references to these classes. Returns NULL if there is no memory for them. */
static jweak *probes_refer_to(JNIEnv *env, jobjectArray classes, jint count) {
    jweak *made = calloc((size_t)count + 1, sizeof *made);
    for (jint i = 0; made != NULL && i < count; i++) {
        jobject class = (*env)->GetObjectArrayElement(env, classes, i);
        made[i] = (*env)->NewWeakGlobalRef(env, class);
        (*env)->DeleteLocalRef(env, class);
        (*env)->ExceptionClear(env);
        if (made[i] == NULL) {
            probes_forget(env, made, i);
            made = NULL;
        }
    }
    return made;
}

/*
 * Replaces the watched classes, a Class[]. Returns an error of JVMTI; after an error, the former ones are watched. The
 * Java half leaves a class as it is that is watched and has no probe.
 */
static jint probes_watch(JNIEnv *env, jvmtiEnv *jvmti, jobjectArray classes) {
    jint count = (*env)->GetArrayLength(env, classes);
    if (!life_probe(count > 0)) {
        return JVMTI_ERROR_WRONG_PHASE;
    }
    jweak *made = probes_refer_to(env, classes, count);
    jint failed = made == NULL ? JVMTI_ERROR_OUT_OF_MEMORY
            : class_files_pass_redefinitions(jvmti, count > 0 ? probes_redefine : NULL);
    pthread_mutex_lock(&probes_lock);
    jweak *dropped = failed == 0 ? probes_watched : made;
    jint made_count = made == NULL ? 0 : count;
    jint dropped_count = failed == 0 ? probes_watched_count : made_count;
    if (failed == 0) {
        probes_watched = made;
        probes_watched_count = count;
    }
    bool watches = probes_watched_count > 0;
    pthread_mutex_unlock(&probes_lock);
    probes_forget(env, dropped, dropped_count);
    if (failed != 0) {
        life_probe(watches);
    }
    return failed;
}

static jbyteArray probes_bytes(JNIEnv *env, const unsigned char *at, jint length) {
    jbyteArray bytes = (*env)->NewByteArray(env, length);
    if (bytes != NULL) {
        (*env)->SetByteArrayRegion(env, bytes, 0, length, (const jbyte *)at);
    }
    return bytes;
}

static bool probes_put(JNIEnv *env, jobjectArray into, jint index, jobject value) {
    if (value != NULL) {
        (*env)->SetObjectArrayElement(env, into, index, value);
        (*env)->DeleteLocalRef(env, value);
    }
    return value != NULL;
}

/* Puts the name, the descriptor and the bytecodes of a method into three elements. Returns an error of JVMTI. */
static jint probes_put_method(JNIEnv *env, jvmtiEnv *jvmti, jmethodID method, jobjectArray into, jint index) {
    char *name = NULL;
    char *descriptor = NULL;
    unsigned char *code = NULL;
    jint length = 0;
    jint failed = (*jvmti)->GetMethodName(jvmti, method, &name, &descriptor, NULL);
    failed = failed == 0 ? bytecodes_read(jvmti, method, &length, &code) : failed;
    if (failed == 0 && !(probes_put(env, into, index, (*env)->NewStringUTF(env, name))
            && probes_put(env, into, index + 1, (*env)->NewStringUTF(env, descriptor))
            && probes_put(env, into, index + 2, probes_bytes(env, code, length)))) {
        failed = JVMTI_ERROR_OUT_OF_MEMORY;
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
    (*jvmti)->Deallocate(jvmti, code);
    return failed;
}

/* The constant pool: a long[] with the number of its entries, and its bytes. Returns an error of JVMTI. */
static jint probes_put_pool(JNIEnv *env, jvmtiEnv *jvmti, jclass class, jobjectArray into) {
    jint entries = 0;
    jint length = 0;
    unsigned char *pool = NULL;
    jint failed = (*jvmti)->GetConstantPool(jvmti, class, &entries, &length, &pool);
    if (failed == 0 && !(probes_put(env, into, 0, probes_number(env, entries))
            && probes_put(env, into, 1, probes_bytes(env, pool, length)))) {
        failed = JVMTI_ERROR_OUT_OF_MEMORY;
    }
    (*jvmti)->Deallocate(jvmti, pool);
    return failed;
}

/*
 * Returns the code of a class: the two elements of its constant pool, then the three of each method. Returns a long[]
 * with an error of JVMTI if the JVM does not change this class or does not show its code.
 */
static jobject probes_code(JNIEnv *env, jvmtiEnv *jvmti, jclass class) {
    jboolean modifiable = JNI_FALSE;
    jint count = 0;
    jmethodID *methods = NULL;
    jint failed = (*jvmti)->IsModifiableClass(jvmti, class, &modifiable);
    failed = failed == 0 && !modifiable ? JVMTI_ERROR_UNMODIFIABLE_CLASS : failed;
    failed = failed == 0 ? (jint)(*jvmti)->GetClassMethods(jvmti, class, &count, &methods) : failed;
    jclass object = failed == 0 ? class_find(env, "java/lang/Object") : NULL;
    jobjectArray code = object == NULL ? NULL : (*env)->NewObjectArray(env, 2 + 3 * count, object, NULL);
    failed = failed == 0 && code == NULL ? JVMTI_ERROR_OUT_OF_MEMORY : failed;
    failed = failed == 0 ? probes_put_pool(env, jvmti, class, code) : failed;
    for (jint i = 0; i < count && failed == 0; i++) {
        failed = probes_put_method(env, jvmti, methods[i], code, 2 + 3 * i);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
    (*env)->ExceptionClear(env);
    return failed == 0 ? (jobject)code : probes_number(env, failed);
}

/* Retransforms all of these classes or, if the JVM refuses one, none. Returns an error of JVMTI. */
static jint probes_retransform(JNIEnv *env, jvmtiEnv *jvmti, jobjectArray classes) {
    jint count = (*env)->GetArrayLength(env, classes);
    jclass *each = calloc((size_t)count + 1, sizeof *each);
    if (each == NULL) {
        return JVMTI_ERROR_OUT_OF_MEMORY;
    }
    locals_reserve(env, count);
    for (jint i = 0; i < count; i++) {
        each[i] = (*env)->GetObjectArrayElement(env, classes, i);
    }
    atomic_store(&probes_thread, (uint32_t)syscall(SYS_gettid));
    jint failed = count == 0 ? 0 : (jint)(*jvmti)->RetransformClasses(jvmti, count, each);
    atomic_store(&probes_thread, 0);
    (*env)->ExceptionClear(env);
    if (failed == 0 && count > 0 && !anchor_count_redefinition(jvmti, each, count)) {
        atomic_fetch_add(&host.record->unmarked_redefinitions, 1);
    }
    for (jint i = 0; i < count; i++) {
        (*env)->DeleteLocalRef(env, each[i]);
    }
    free(each);
    return failed;
}

/* Returns the number of a thread's frames that run replaced code. A thread that has ended has none. */
static jlong probes_frames_of(jvmtiEnv *jvmti, jthread thread, jvmtiFrameInfo *frames) {
    jlong replaced = 0;
    for (jint from = 0; from < MAX_FRAMES;) {
        jint read = 0;
        if ((*jvmti)->GetStackTrace(jvmti, thread, from, FRAMES_AT_ONCE, frames, &read) != JVMTI_ERROR_NONE) {
            break;
        }
        for (jint i = 0; i < read; i++) {
            jboolean obsolete = JNI_FALSE;
            (*jvmti)->IsMethodObsolete(jvmti, frames[i].method, &obsolete);
            replaced += obsolete ? 1 : 0;
        }
        if (read < FRAMES_AT_ONCE) {
            break;
        }
        from += read;
    }
    return replaced;
}

/* Counts the frames of live platform threads that run replaced code. Returns -1 if the threads cannot be listed. */
static jlong probes_frames(JNIEnv *env, jvmtiEnv *jvmti) {
    jobjectArray threads = threads_live(env);
    jvmtiFrameInfo *frames = calloc(FRAMES_AT_ONCE, sizeof *frames);
    jsize count = threads == NULL || frames == NULL ? 0 : (*env)->GetArrayLength(env, threads);
    jlong replaced = count == 0 ? -1 : 0;
    for (jsize i = 0; i < count; i++) {
        jobject thread = (*env)->GetObjectArrayElement(env, threads, i);
        replaced += thread == NULL ? 0 : probes_frames_of(jvmti, thread, frames);
        (*env)->DeleteLocalRef(env, thread);
    }
    free(frames);
    (*env)->ExceptionClear(env);
    if (replaced >= 0) {
        atomic_store(&host.record->replaced_frames, (uint32_t)replaced);
    }
    return replaced;
}

/*
 * Executes a call. Apart from the slot and the code of a class, the result is a long[] with one number: an error of
 * JVMTI or the number of frames. Returns NULL, without an exception, if there is no slot or no room in the heap.
 */
jobject probes_call(JNIEnv *env, jvmtiEnv *jvmti, enum probe_call call, jobject argument) {
    switch (call) {
        case PROBE_CALL_WATCH:
            return probes_number(env, probes_watch(env, jvmti, argument));
        case PROBE_CALL_CODE:
            return probes_code(env, jvmti, argument);
        case PROBE_CALL_RETRANSFORM:
            return probes_number(env, probes_retransform(env, jvmti, argument));
        case PROBE_CALL_FRAMES:
            return probes_number(env, probes_frames(env, jvmti));
        case PROBE_CALL_SLOT:
            java_know_probes_loader(env, argument);
            break;
    }
    return probes_slot(env);
}
