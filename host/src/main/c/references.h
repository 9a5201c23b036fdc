/* The path of references that retains a detached profiler. */
#ifndef MAYFLY_REFERENCES_H
#define MAYFLY_REFERENCES_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool references_find(JNIEnv *env, char *text, size_t size, bool at_any_cost, uint64_t *pause);

#endif
