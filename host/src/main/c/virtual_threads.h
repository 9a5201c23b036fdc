/* The start and the end of virtual threads. */
#ifndef MAYFLY_VIRTUAL_THREADS_H
#define MAYFLY_VIRTUAL_THREADS_H

#include <jvmti.h>
#include <stdbool.h>

void virtual_threads_add_callbacks(jvmtiEventCallbacks *callbacks);
jint virtual_threads_switch(jvmtiEnv *env, bool on);

#endif
