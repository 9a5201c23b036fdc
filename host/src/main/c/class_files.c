/*
 * JVMTI's event ClassFileLoadHook, which reports the class file of each class that is loaded or redefined. An
 * environment has one callback for it and one mode, so the reports of loads and the probes share them here.
 */
#define _GNU_SOURCE
#include "class_files.h"
#include "class_starts.h"

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t class_files_lock = PTHREAD_MUTEX_INITIALIZER;   /* protects changes */
static _Atomic bool class_files_loads;
static _Atomic(class_files_redefined *) class_files_to;     /* NULL: redefinitions are of no interest */

static void JNICALL on_class_file(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader, const char *name,
        jobject domain, jint length, const unsigned char *file, jint *new_length, unsigned char **new_file) {
    (void)domain;
    class_files_redefined *to = atomic_load(&class_files_to);
    if (redefined != NULL && to != NULL) {
        to(jvmti, env, redefined, length, file, new_length, new_file);
    } else if (redefined == NULL && atomic_load(&class_files_loads)) {
        class_starts_deliver(env, loader, name);
    }
}

void class_files_add_callbacks(jvmtiEventCallbacks *callbacks) {
    callbacks->ClassFileLoadHook = on_class_file;
}

static jint class_files_set(jvmtiEnv *jvmti, bool loads, class_files_redefined *to) {
    jint failed = (jint)(*jvmti)->SetEventNotificationMode(jvmti, loads || to != NULL ? JVMTI_ENABLE : JVMTI_DISABLE,
            JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
    if (failed == 0) {
        atomic_store(&class_files_loads, loads);
        atomic_store(&class_files_to, to);
    }
    return failed;
}

/* Begins or ends the reports of loads. Returns an error of JVMTI. */
jint class_files_report_loads(jvmtiEnv *jvmti, bool on) {
    pthread_mutex_lock(&class_files_lock);
    jint failed = class_files_set(jvmti, on, class_files_to);
    pthread_mutex_unlock(&class_files_lock);
    return failed;
}

/* Passes the class files of redefined classes on, or with NULL no longer. Returns an error of JVMTI. */
jint class_files_pass_redefinitions(jvmtiEnv *jvmti, class_files_redefined *to) {
    pthread_mutex_lock(&class_files_lock);
    jint failed = class_files_set(jvmti, class_files_loads, to);
    pthread_mutex_unlock(&class_files_lock);
    return failed;
}
