/* The methods and fields of a class. */
#ifndef MAYFLY_MEMBERS_H
#define MAYFLY_MEMBERS_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/* In place of the number of one member: all of them. */
enum { MEMBERS_ALL = -1 };

jobjectArray members_list(JNIEnv *env, jclass class, bool fields, jint number);
jint member_number(JNIEnv *env, jclass class, jstring name);
uint64_t member_constant(JNIEnv *env, jclass class, jint number);
jint members_instance_size(JNIEnv *env, jclass class);

#endif
