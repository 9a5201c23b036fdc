/* Class files that the JVM is about to parse. */
#ifndef MAYFLY_CLASS_FILES_H
#define MAYFLY_CLASS_FILES_H

#include <jvmti.h>
#include <stdbool.h>

/* Receives the class file of a class that is being redefined, and may set another one in its place. */
typedef void class_files_redefined(jvmtiEnv *jvmti, JNIEnv *env, jclass class, jint length, const unsigned char *file,
        jint *new_length, unsigned char **new_file);

void class_files_add_callbacks(jvmtiEventCallbacks *callbacks);
jint class_files_report_loads(jvmtiEnv *jvmti, bool on);
jint class_files_pass_redefinitions(jvmtiEnv *jvmti, class_files_redefined *to);

#endif
