/*
 * The line numbers and the bytecodes of a method.
 *
 * The compressed table of line numbers follows the bytecodes in the method's ConstMethod (constMethod.hpp in HotSpot),
 * and is read there. The bytecodes in it are not those of the class file: the JVM has replaced instructions and indices
 * (rewriter.cpp). Only JVMTI reverses that, so the bytecodes come from it.
 */
#define _GNU_SOURCE
#include "method_code.h"
#include "bytecodes.h"
#include "events.h"
#include "members.h"
#include "memory.h"
#include "runtimes.h"
#include "tables.h"
#include "old-glibc.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The longest table that a class file's 65,535 entries can give: an escape byte and two numbers of five bytes each. */
enum { MAX_LINES = 65535 * 11 + 1 };

/* A read is repeated this often if the class is redefined meanwhile. */
enum { ATTEMPTS = 3 };

/* ConstMethodFlags. */
enum { HAS_LINE_NUMBERS = 1 << 0 };

enum { WORD = 8 };

struct code_layout {
    uint64_t header;            /* the size of a ConstMethod without what follows it */
    uint64_t words;
    uint64_t flags;
    uint64_t code_size;
};

static bool code_field(void *jvm, const char *name, const char *older, uint64_t *offset) {
    struct field_place place;
    bool found = table_field(jvm, "ConstMethod", name, &place)
            || (older != NULL && table_field(jvm, "ConstMethod", older, &place));
    *offset = found ? place.offset : 0;
    return found;
}

static bool code_layout_read(struct code_layout *into) {
    void *jvm = runtime_library();
    bool read = jvm != NULL && (into->header = table_size(jvm, "ConstMethod")) != 0
            && code_field(jvm, "_constMethod_size", NULL, &into->words)
            && code_field(jvm, "_flags._flags", "_flags", &into->flags)
            && code_field(jvm, "_code_size", NULL, &into->code_size);
    if (jvm != NULL) {
        dlclose(jvm);
    }
    return read;
}

static bool code_read(uint64_t address, void *to, size_t size) {
    return memory_read((const void *)(uintptr_t)address, to, size);
}

/*
 * Reads what follows the bytecodes up to the end of the ConstMethod: the table of line numbers, if there is one, comes
 * first. Returns the number of bytes, which the caller frees; -1 if they cannot be read.
 */
static int32_t lines_read(const struct code_layout *in, uint64_t constant, uint8_t **bytes) {
    int32_t words;
    uint16_t flags;
    uint16_t code;
    *bytes = NULL;
    if (!code_read(constant + in->words, &words, sizeof words) || !code_read(constant + in->flags, &flags, sizeof flags)
            || !code_read(constant + in->code_size, &code, sizeof code)) {
        return -1;
    }
    int64_t length = (int64_t)words * WORD - (int64_t)in->header - code;
    if (words < 0 || length < 0) {
        return -1;
    }
    length = (flags & HAS_LINE_NUMBERS) == 0 ? 0 : length < MAX_LINES ? length : MAX_LINES;
    *bytes = malloc((size_t)length + 1);
    if (*bytes == NULL || !code_read(constant + in->header + code, *bytes, (size_t)length)) {
        free(*bytes);
        *bytes = NULL;
        return -1;
    }
    return (int32_t)length;
}

/*
 * Returns bytes that begin with the compressed line numbers of a method; none if it has no line numbers; NULL if this
 * JVM does not describe them as expected, or if the class has no such method.
 */
jbyteArray method_lines(JNIEnv *env, jclass class, jint number) {
    struct code_layout layout;
    int32_t length = -1;
    uint8_t *bytes = NULL;
    bool known = code_layout_read(&layout);
    for (int i = 0; i < ATTEMPTS && known && length < 0; i++) {
        uint64_t constant = member_constant(env, class, number);
        length = constant == 0 ? -1 : lines_read(&layout, constant, &bytes);
        if (length >= 0 && member_constant(env, class, number) != constant) {
            free(bytes);    /* the class was redefined, and this may be other memory */
            bytes = NULL;
            length = -1;
        }
    }
    jbyteArray result = length < 0 ? NULL : (*env)->NewByteArray(env, length);
    if (result != NULL) {
        (*env)->SetByteArrayRegion(env, result, 0, length, (const jbyte *)bytes);
    }
    free(bytes);
    return result;
}

/* Finds a method without JNI, which would initialise the class. */
static jmethodID method_named(jvmtiEnv *jvmti, jclass class, const char *name, const char *descriptor) {
    jint count = 0;
    jmethodID *methods = NULL;
    jmethodID found = NULL;
    if ((*jvmti)->GetClassMethods(jvmti, class, &count, &methods) != JVMTI_ERROR_NONE) {
        return NULL;
    }
    for (jint i = 0; i < count && found == NULL; i++) {
        char *of = NULL;
        char *type = NULL;
        if ((*jvmti)->GetMethodName(jvmti, methods[i], &of, &type, NULL) == JVMTI_ERROR_NONE) {
            found = strcmp(of, name) == 0 && strcmp(type, descriptor) == 0 ? methods[i] : NULL;
            (*jvmti)->Deallocate(jvmti, (unsigned char *)of);
            (*jvmti)->Deallocate(jvmti, (unsigned char *)type);
        }
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
    return found;
}

/* Returns the bytecodes; none for a native or an abstract method; NULL if JVMTI refuses or there is no memory. */
static jbyteArray bytecodes_of(jvmtiEnv *jvmti, JNIEnv *env, jmethodID method) {
    jint length = 0;
    unsigned char *bytes = NULL;
    jbyteArray result = bytecodes_read(jvmti, method, &length, &bytes) != JVMTI_ERROR_NONE ? NULL
            : (*env)->NewByteArray(env, length);
    if (result != NULL && bytes != NULL) {
        (*env)->SetByteArrayRegion(env, result, 0, length, (const jbyte *)bytes);
    }
    (*jvmti)->Deallocate(jvmti, bytes);
    return result;
}

static jbyteArray bytecodes_named(jvmtiEnv *jvmti, JNIEnv *env, jclass class, jstring name, jstring descriptor) {
    const char *of = (*env)->GetStringUTFChars(env, name, NULL);
    const char *type = of == NULL ? NULL : (*env)->GetStringUTFChars(env, descriptor, NULL);
    jmethodID method = type == NULL ? NULL : method_named(jvmti, class, of, type);
    jbyteArray result = method == NULL ? NULL : bytecodes_of(jvmti, env, method);
    if (type != NULL) {
        (*env)->ReleaseStringUTFChars(env, descriptor, type);
    }
    if (of != NULL) {
        (*env)->ReleaseStringUTFChars(env, name, of);
    }
    return result;
}

/*
 * Returns the bytecodes of a method as in its class file; NULL and the outcome if there are none. One thread at a time
 * calls this.
 */
jbyteArray method_bytecodes(JNIEnv *env, jclass class, jstring name, jstring descriptor, enum path_outcome *outcome) {
    const jvmtiCapabilities wanted = {.can_get_bytecodes = 1};
    jvmtiEnv *jvmti = events_temporary(env);
    jbyteArray result = NULL;
    *outcome = jvmti == NULL ? PATH_OUTCOME_NOT_ACCEPTED : PATH_OUTCOME_FAILED;
    if (jvmti != NULL) {
        if ((*jvmti)->AddCapabilities(jvmti, &wanted) == JVMTI_ERROR_NONE) {
            result = bytecodes_named(jvmti, env, class, name, descriptor);
        }
        (*jvmti)->DisposeEnvironment(jvmti);
    }
    (*env)->ExceptionClear(env);
    *outcome = result != NULL ? PATH_OUTCOME_FOUND : *outcome;
    return result;
}
