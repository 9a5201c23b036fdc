/*
 * The start of the load of a class: the JVM has its class file, and has not parsed it. The event waits for the host's
 * thread. If Java code ran now, the first use of a class in it could be a use of the class that is being loaded; the
 * JVM would refuse that with a ClassCircularityError, and remember the error for the program, too.
 */
#define _GNU_SOURCE
#include "class_starts.h"
#include "queue.h"

#include <stdlib.h>
#include <string.h>

static void JNICALL on_class_file_load(jvmtiEnv *env, JNIEnv *jni, jclass redefined, jobject loader, const char *name,
        jobject domain, jint length, const unsigned char *bytes, jint *new_length, unsigned char **new_bytes) {
    (void)env;
    (void)domain;
    (void)length;
    (void)bytes;
    (void)new_length;
    (void)new_bytes;
    if (redefined != NULL) {
        return;     /* an agent changes the code of a class that has been loaded */
    }
    struct event *event = event_new(UPCALL_KIND_CLASS_LOAD_STARTED, 0, 0);
    if (event != NULL) {
        event->object = loader == NULL ? NULL : (*jni)->NewGlobalRef(jni, loader);
        event->text[1] = name == NULL ? NULL : strdup(name);
    }
    queue_add(jni, event);
}

void class_starts_add_callbacks(jvmtiEventCallbacks *callbacks) {
    callbacks->ClassFileLoadHook = on_class_file_load;
}
