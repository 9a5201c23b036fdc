/* Classes of the JDK. */
#ifndef MAYFLY_CLASSES_H
#define MAYFLY_CLASSES_H

#include <jni.h>
#include <stdbool.h>

jclass class_find(JNIEnv *env, const char *name);
bool class_is(JNIEnv *env, jobject object, const char *name);
jobjectArray class_interfaces(JNIEnv *env, jclass of);
jobject class_field(JNIEnv *env, jobject object, jstring declaring, jstring name, jstring descriptor);
void locals_reserve(JNIEnv *env, jint count);

#endif
