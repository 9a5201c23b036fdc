/* The answers to requests that failed in the host itself. */
#define _GNU_SOURCE
#include "failures.h"
#include "classes.h"

/* The status for ATTACH, the status for other requests, and the sentence. */
static const struct failure_row {
    enum status of_attach;
    enum status of_others;
    const char *message;
} failure_rows[FAILURES] = {
    [FAILURE_NONE] = {STATUS_OK, STATUS_OK, ""},
    [FAILURE_NO_MEMORY] = {STATUS_FAILED, STATUS_FAILED, "the host ran out of memory"},
    [FAILURE_NO_ROOM] = {STATUS_ATTACH_REFUSED, STATUS_FAILED,
        "the program's heap has no room for a request of that size"},
    [FAILURE_NOT_COLLECTED] = {STATUS_ATTACH_REFUSED, STATUS_FAILED,
        "the program's heap has no room for a request of that size before its next garbage collection, and the host"
            " requests no collection: one may stop the program for more than 100 ms, follow another too soon, or be"
            " ignored. Repeat the request after a collection, for example after `jcmd PID GC.run` if the garbage"
            " collector obeys that command"},
    [FAILURE_NOT_FIRST] = {STATUS_PROFILER_CANCEL_ACTIVATION, STATUS_FAILED,
        "the profiler is for the first JVM of a process (Mayfly-Runtimes: first), and this JVM is not the first"},
    [FAILURE_MALFORMED_ATTACH] = {STATUS_FAILED, STATUS_FAILED, "the host does not understand the ATTACH message"},
    [FAILURE_MALFORMED_REQUEST] = {STATUS_FAILED, STATUS_FAILED, "the host does not understand the request"},
    [FAILURE_NO_LOADER] = {STATUS_FAILED, STATUS_FAILED, "the JVM did not create the host's class loader"},
    [FAILURE_CLASSES] = {STATUS_FAILED, STATUS_FAILED, "the JVM did not define the host's first classes"},
    [FAILURE_BOOTSTRAP] = {STATUS_FAILED, STATUS_FAILED, "the host's first class threw an exception"},
    [FAILURE_JAVA_HALF] = {STATUS_FAILED, STATUS_FAILED,
        "the host's classes do not fit its library: they are of another version"},
    [FAILURE_NATIVES] = {STATUS_FAILED, STATUS_FAILED, "the JVM did not register the host's native methods"},
    [FAILURE_CALL] = {STATUS_FAILED, STATUS_FAILED,
        "the host's call to the profiler returned no result: the JVM threw an error on the host's thread"},
    [FAILURE_TOO_MANY] = {STATUS_FAILED, STATUS_FAILED, "the profiler has too many requests waiting"},
};

struct answer failure_answer(enum failure failure, enum message_type request) {
    const struct failure_row *row = &failure_rows[failure];
    return (struct answer){request == MESSAGE_TYPE_ATTACH ? row->of_attach : row->of_others, row->message};
}

/* Clears a pending exception. Returns FAILURE_NO_MEMORY if it is an OutOfMemoryError; otherwise the given failure. */
enum failure failure_of_exception(JNIEnv *env, enum failure otherwise) {
    jthrowable thrown = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    bool no_memory = thrown != NULL && class_is(env, thrown, "java/lang/OutOfMemoryError");
    (*env)->DeleteLocalRef(env, thrown);
    return no_memory ? FAILURE_NO_MEMORY : otherwise;
}
