/*
 * JVMTI's event ClassFileLoadHook, which reports the class file of each class that is loaded or redefined. An
 * environment has one callback for it and one mode, so its two users share them here.
 */
#define _GNU_SOURCE
#include "class_files.h"
#include "class_starts.h"
#include "probes.h"

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t class_files_lock = PTHREAD_MUTEX_INITIALIZER;   /* protects changes */
static _Atomic int class_files_uses;

static void JNICALL on_class_file(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader, const char *name,
        jobject domain, jint length, const unsigned char *file, jint *new_length, unsigned char **new_file) {
    (void)domain;
    if (redefined != NULL) {
        probes_redefine(jvmti, env, redefined, length, file, new_length, new_file);
    } else if ((atomic_load(&class_files_uses) & CLASS_FILES_OF_LOADS) != 0) {
        class_starts_deliver(env, loader, name);
    }
}

void class_files_add_callbacks(jvmtiEventCallbacks *callbacks) {
    callbacks->ClassFileLoadHook = on_class_file;
}

/* Begins or ends a use. The event stays enabled until the last use ends. Returns an error of JVMTI. */
jint class_files_switch(jvmtiEnv *jvmti, enum class_files_use use, bool on) {
    pthread_mutex_lock(&class_files_lock);
    int uses = on ? class_files_uses | (int)use : class_files_uses & ~(int)use;
    jint failed = (jint)(*jvmti)->SetEventNotificationMode(jvmti, uses != 0 ? JVMTI_ENABLE : JVMTI_DISABLE,
            JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
    if (failed == 0) {
        atomic_store(&class_files_uses, uses);
    }
    pthread_mutex_unlock(&class_files_lock);
    return failed;
}
