/* The references between the classes of the objects in the heap. */
#ifndef MAYFLY_REFERENCE_COUNTS_H
#define MAYFLY_REFERENCE_COUNTS_H

#include <jni.h>
#include <stdint.h>

#include "wire.h"

jobjectArray references_count(JNIEnv *env, uint64_t limit_nanos, enum path_outcome *outcome);

#endif
