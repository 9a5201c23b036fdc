/* The native methods of mayfly.host.Vm. */
#ifndef MAYFLY_NATIVES_H
#define MAYFLY_NATIVES_H

#include <jni.h>

#include "failures.h"

enum failure natives_register(JNIEnv *env, jclass vm);

#endif
