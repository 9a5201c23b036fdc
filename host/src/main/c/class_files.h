/* Class files that the JVM is about to parse. */
#ifndef MAYFLY_CLASS_FILES_H
#define MAYFLY_CLASS_FILES_H

#include <jvmti.h>
#include <stdbool.h>

/* What needs class files, one bit each: class_starts.c those of new classes, probes.c those of present ones. */
enum class_files_use { CLASS_FILES_OF_LOADS = 1, CLASS_FILES_OF_REDEFINITIONS = 2 };

void class_files_add_callbacks(jvmtiEventCallbacks *callbacks);
jint class_files_switch(jvmtiEnv *jvmti, enum class_files_use use, bool on);

#endif
