/* The loaded classes, without JVMTI. */
#ifndef MAYFLY_CLASS_GRAPH_H
#define MAYFLY_CLASS_GRAPH_H

#include <jni.h>

jobjectArray class_graph_read(JNIEnv *env);

#endif
