/*
 * The classes, methods and bytecode indexes of walked frames. A stack trace has only names, but the JVM's own form of
 * it has more: the backtrace of a Throwable, and the class of a StackTraceElement that the JDK has not processed yet.
 * Both are fields of the JDK, which are read by JNI. If a JDK has another form, the frames have names only.
 */
#define _GNU_SOURCE
#include "frames.h"
#include "classes.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The backtrace is a list of chunks (javaClasses.hpp: java_lang_Throwable). A chunk is an Object[] with a short[] of
 * methods, an int[] of bytecode indexes, an Object[] of classes, and the next chunk among the elements that follow.
 */
enum { CHUNK_METHODS, CHUNK_INDEXES, CHUNK_CLASSES, CHUNK_MORE, CHUNK_FRAMES = 32 };

struct frame_arrays {
    jclass class;           /* java.lang.Class */
    jobjectArray classes;
    jintArray numbers;
    jintArray indexes;
};

static jobject frame_field(JNIEnv *env, const char *class, jobject object, const char *name, const char *type) {
    jclass declaring = class_find(env, class);
    jfieldID field = declaring == NULL ? NULL : (*env)->GetFieldID(env, declaring, name, type);
    if (field == NULL) {
        (*env)->ExceptionClear(env);
    }
    (*env)->DeleteLocalRef(env, declaring);
    return field == NULL ? NULL : (*env)->GetObjectField(env, object, field);
}

/* Returns an element of a chunk if it is an instance of the class; otherwise NULL. */
static jobject chunk_element(JNIEnv *env, jobjectArray chunk, jsize at, const char *class) {
    jobject element = at < (*env)->GetArrayLength(env, chunk) ? (*env)->GetObjectArrayElement(env, chunk, at) : NULL;
    if (element != NULL && !class_is(env, element, class)) {
        (*env)->DeleteLocalRef(env, element);
        return NULL;
    }
    return element;
}

static jobjectArray chunk_next(JNIEnv *env, jobjectArray chunk) {
    jobjectArray next = NULL;
    for (jsize i = CHUNK_MORE; i < (*env)->GetArrayLength(env, chunk) && next == NULL; i++) {
        next = chunk_element(env, chunk, i, "[Ljava/lang/Object;");
    }
    return next;
}

/* Copies the frames of a chunk from a position on; returns the position after them, or -1. */
static jint chunk_copy(JNIEnv *env, jobjectArray chunk, const struct frame_arrays *to, jint at, jint depth) {
    jshortArray methods = chunk_element(env, chunk, CHUNK_METHODS, "[S");
    jintArray indexes = chunk_element(env, chunk, CHUNK_INDEXES, "[I");
    jobjectArray classes = chunk_element(env, chunk, CHUNK_CLASSES, "[Ljava/lang/Object;");
    jint count = depth - at < CHUNK_FRAMES ? depth - at : CHUNK_FRAMES;
    bool expected = methods != NULL && indexes != NULL && classes != NULL
            && (*env)->GetArrayLength(env, methods) >= count && (*env)->GetArrayLength(env, indexes) >= count
            && (*env)->GetArrayLength(env, classes) >= count;
    if (expected) {
        jshort numbers[CHUNK_FRAMES];
        jint wide[CHUNK_FRAMES];
        jint merged[CHUNK_FRAMES];
        (*env)->GetShortArrayRegion(env, methods, 0, count, numbers);
        (*env)->GetIntArrayRegion(env, indexes, 0, count, merged);
        for (jint i = 0; i < count && expected; i++) {
            wide[i] = (uint16_t)numbers[i];
            jobject class = (*env)->GetObjectArrayElement(env, classes, i);
            expected = class != NULL && (*env)->IsInstanceOf(env, class, to->class);
            if (expected) {
                (*env)->SetObjectArrayElement(env, to->classes, at + i, class);
            }
            (*env)->DeleteLocalRef(env, class);
        }
        if (expected) {
            (*env)->SetIntArrayRegion(env, to->numbers, at, count, wide);
            (*env)->SetIntArrayRegion(env, to->indexes, at, count, merged);
        }
    }
    (*env)->DeleteLocalRef(env, methods);
    (*env)->DeleteLocalRef(env, indexes);
    (*env)->DeleteLocalRef(env, classes);
    return expected ? at + count : -1;
}

/*
 * Returns the frames of a Throwable, leaf first: a Class[], an int[] of the numbers of the methods in their classes,
 * and an int[] with the bytecode index in the high half, and a number of the class in the low half. Returns NULL if the
 * backtrace has another form or fewer frames. An exception thrown by the JVM, which has no memory, stays pending.
 */
jobjectArray frames_of_throwable(JNIEnv *env, jthrowable throwable, jint depth) {
    if ((*env)->PushLocalFrame(env, 32) != 0) {
        return NULL;
    }
    jclass object = class_find(env, "java/lang/Object");
    jclass class = class_find(env, "java/lang/Class");
    jobjectArray result = object == NULL || class == NULL ? NULL : (*env)->NewObjectArray(env, 3, object, NULL);
    struct frame_arrays to = {.class = class};
    to.classes = result == NULL ? NULL : (*env)->NewObjectArray(env, depth, class, NULL);
    to.numbers = to.classes == NULL ? NULL : (*env)->NewIntArray(env, depth);
    to.indexes = to.numbers == NULL ? NULL : (*env)->NewIntArray(env, depth);
    jint at = 0;
    jobjectArray chunk = to.indexes == NULL ? NULL
            : frame_field(env, "java/lang/Throwable", throwable, "backtrace", "Ljava/lang/Object;");
    chunk = chunk == NULL || class_is(env, chunk, "[Ljava/lang/Object;") ? chunk : NULL;
    while (chunk != NULL && at >= 0 && at < depth) {
        at = chunk_copy(env, chunk, &to, at, depth);
        jobjectArray next = at < 0 ? NULL : chunk_next(env, chunk);
        (*env)->DeleteLocalRef(env, chunk);
        chunk = next;
    }
    if (to.indexes != NULL && at == depth) {
        (*env)->SetObjectArrayElement(env, result, 0, to.classes);
        (*env)->SetObjectArrayElement(env, result, 1, to.numbers);
        (*env)->SetObjectArrayElement(env, result, 2, to.indexes);
    } else {
        result = NULL;
    }
    return (*env)->PopLocalFrame(env, result);
}

/*
 * Returns the classes of frames that the JVM has filled in and the JDK has not processed, with null for a frame without
 * a class. Returns NULL if there is no memory; the exception stays pending.
 */
jobjectArray frames_classes(JNIEnv *env, jobjectArray elements) {
    jclass class = class_find(env, "java/lang/Class");
    jclass element_class = class_find(env, "java/lang/StackTraceElement");
    jsize count = (*env)->GetArrayLength(env, elements);
    jfieldID field = element_class == NULL ? NULL
            : (*env)->GetFieldID(env, element_class, "declaringClassObject", "Ljava/lang/Class;");
    if (field == NULL) {
        (*env)->ExceptionClear(env);
    }
    jobjectArray result = class == NULL ? NULL : (*env)->NewObjectArray(env, count, class, NULL);
    for (jsize i = 0; i < count && field != NULL && result != NULL; i++) {
        jobject element = (*env)->GetObjectArrayElement(env, elements, i);
        jobject declaring = element == NULL ? NULL : (*env)->GetObjectField(env, element, field);
        (*env)->SetObjectArrayElement(env, result, i, declaring);
        (*env)->DeleteLocalRef(env, declaring);
        (*env)->DeleteLocalRef(env, element);
    }
    (*env)->DeleteLocalRef(env, element_class);
    (*env)->DeleteLocalRef(env, class);
    return result;
}
