/* Running compilations of the profiler's code, which retain it. */
#ifndef MAYFLY_COMPILATIONS_H
#define MAYFLY_COMPILATIONS_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

/*
 * Returns true for the kinds of the roots that a compilation may have: JNI global references; and the references of the
 * JVM itself, which JDK 26 uses in their place.
 */
static inline bool is_global_reference(jvmtiHeapReferenceKind kind) {
    return kind == JVMTI_HEAP_REFERENCE_JNI_GLOBAL || kind == JVMTI_HEAP_REFERENCE_OTHER;
}

bool compilations_retain(JNIEnv *env);

#endif
