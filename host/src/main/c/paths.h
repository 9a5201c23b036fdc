/* The path of references to the class loader of a class. */
#ifndef MAYFLY_PATHS_H
#define MAYFLY_PATHS_H

#include <jni.h>

#include "wire.h"

jobjectArray path_to_loader(JNIEnv *env, jobject reference, enum path_outcome *outcome);

#endif
