/* The line numbers and the bytecodes of a method. */
#ifndef MAYFLY_METHOD_CODE_H
#define MAYFLY_METHOD_CODE_H

#include <jni.h>

#include "wire.h"

jbyteArray method_lines(JNIEnv *env, jclass class, jint number);
jbyteArray method_bytecodes(JNIEnv *env, jclass class, jstring name, jstring descriptor, enum path_outcome *outcome);

#endif
