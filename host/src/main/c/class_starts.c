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

/* The loader is NULL for the boot loader, and the name is NULL if the program has not given one. */
void class_starts_deliver(JNIEnv *env, jobject loader, const char *name) {
    struct event *event = event_new(UPCALL_KIND_CLASS_LOAD_STARTED, 0, 0);
    if (event != NULL) {
        event->object = loader == NULL ? NULL : (*env)->NewGlobalRef(env, loader);
        event->text[1] = name == NULL ? NULL : strdup(name);
    }
    queue_add(env, event);
}
