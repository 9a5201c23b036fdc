/* Sampled allocations. */
#ifndef MAYFLY_ALLOCATIONS_H
#define MAYFLY_ALLOCATIONS_H

#include <jvmti.h>
#include <stdbool.h>

void allocations_add_callbacks(jvmtiEventCallbacks *callbacks);
jint allocations_prepare(jvmtiEnv *env);
jint allocations_switch(jvmtiEnv *env, bool on);
jint allocations_set_interval(jvmtiEnv *env, jint bytes);

#endif
