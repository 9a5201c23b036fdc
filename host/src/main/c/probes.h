/* The code of methods: reads it, and lets the Java half change it while the program runs. */
#ifndef MAYFLY_PROBES_H
#define MAYFLY_PROBES_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

#include "wire.h"

void probes_add_capabilities(jvmtiCapabilities *wanted, bool probes);
jobject probes_call(JNIEnv *env, jvmtiEnv *jvmti, enum probe_call call, jobject argument);

#endif
