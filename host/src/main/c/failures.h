/* The reasons for a failure in the host itself, and the answers to the requests that fail. */
#ifndef MAYFLY_FAILURES_H
#define MAYFLY_FAILURES_H

#include <jni.h>

#include "wire.h"

enum failure {
    FAILURE_NONE,
    FAILURE_NO_MEMORY,          /* in the C library or in the program's heap */
    FAILURE_NO_ROOM,            /* the heap has free memory after a collection, but less than the request needs */
    FAILURE_NOT_COLLECTED,      /* less free memory than the request needs, and no collection was requested */
    FAILURE_NOT_FIRST,          /* the profiler is for the first JVM of the process, and this is a later one */
    FAILURE_MALFORMED_ATTACH,
    FAILURE_MALFORMED_REQUEST,
    FAILURE_NO_LOADER,          /* no class loader was created */
    FAILURE_CLASSES,            /* the first two classes were not defined or not instantiated */
    FAILURE_BOOTSTRAP,          /* the first class threw */
    FAILURE_JAVA_HALF,          /* the Java half returned a value that this library does not expect */
    FAILURE_NATIVES,            /* RegisterNatives failed */
    FAILURE_CALL,               /* a call to the Java half returned no answer */
    FAILURE_TOO_MANY,           /* too many requests are queued */
    FAILURES
};

struct answer {
    enum status status;
    const char *message;
};

struct answer failure_answer(enum failure failure, enum message_type request);
enum failure failure_of_exception(JNIEnv *env, enum failure otherwise);

#endif
