/* The bytecodes of methods: of a native one there are none. */
#include "../../main/c/bytecodes.c"

#include "check.h"

static jvmtiError answer;
static unsigned char three[3];

static jvmtiError JNICALL get_bytecodes(jvmtiEnv *jvmti, jmethodID method, jint *length, unsigned char **bytes) {
    (void)jvmti;
    (void)method;
    *length = 3;
    *bytes = three;
    return answer;
}

static void nativeMethodHasNoBytecodesAndEachOtherErrorIsReturned(void) {
    struct jvmtiInterface_1_ functions = {.GetBytecodes = get_bytecodes};
    jvmtiEnv jvmti = &functions;
    jint length;
    unsigned char *bytes;
    answer = JVMTI_ERROR_NONE;
    CHECK(bytecodes_read(&jvmti, NULL, &length, &bytes) == 0 && length == 3 && bytes == three);
    answer = JVMTI_ERROR_NATIVE_METHOD;
    CHECK(bytecodes_read(&jvmti, NULL, &length, &bytes) == 0 && length == 0 && bytes == NULL);
    answer = JVMTI_ERROR_OUT_OF_MEMORY;
    CHECK(bytecodes_read(&jvmti, NULL, &length, &bytes) == JVMTI_ERROR_OUT_OF_MEMORY && length == 0 && bytes == NULL);
}

int main(void) {
    RUN(nativeMethodHasNoBytecodesAndEachOtherErrorIsReturned);
}
