/* The places that usually retain a detached profiler. */
#ifndef MAYFLY_RETAINERS_H
#define MAYFLY_RETAINERS_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

bool retainers_find(JNIEnv *env, char *text, size_t size, bool also_virtual);

#endif
