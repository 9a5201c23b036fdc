/* The bytecodes of a method as in its class file. */
#define _GNU_SOURCE
#include "bytecodes.h"

/*
 * Reads the bytecodes of a method, which the caller deallocates; none for a native or an abstract one. Returns an error
 * of JVMTI.
 */
jint bytecodes_read(jvmtiEnv *jvmti, jmethodID method, jint *length, unsigned char **bytes) {
    *length = 0;
    *bytes = NULL;
    jvmtiError failed = (*jvmti)->GetBytecodes(jvmti, method, length, bytes);
    if (failed != JVMTI_ERROR_NONE) {
        *length = 0;
        *bytes = NULL;
    }
    return failed == JVMTI_ERROR_NATIVE_METHOD ? JVMTI_ERROR_NONE : (jint)failed;
}
