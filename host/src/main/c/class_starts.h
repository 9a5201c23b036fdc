/* The start of the load of a class. */
#ifndef MAYFLY_CLASS_STARTS_H
#define MAYFLY_CLASS_STARTS_H

#include <jni.h>

void class_starts_deliver(JNIEnv *env, jobject loader, const char *name);

#endif
