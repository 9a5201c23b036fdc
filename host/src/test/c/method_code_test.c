/* The line numbers of a method, read from planted memory with correct and with impossible content. */
#include "../../main/c/method_code.c"

#include "check.h"

enum { BASE = 0x10000, SIZE = 8192, HEADER = 56, CODE = 5 };

static uint8_t memory[SIZE];

bool memory_read(const void *from, void *to, size_t size) {
    uint64_t at = (uint64_t)(uintptr_t)from;
    if (at < BASE || at - BASE > SIZE || size > SIZE - (at - BASE)) {
        return false;
    }
    memcpy(to, memory + (at - BASE), size);
    return true;
}

/* Doubles: the files that the tested functions do not reach. */
void *runtime_library(void) { abort(); }
uint64_t member_constant(JNIEnv *env, jclass class, jint number) { (void)env; (void)class; (void)number; abort(); }
jint bytecodes_read(jvmtiEnv *jvmti, jmethodID method, jint *length, unsigned char **bytes) {
    (void)jvmti; (void)method; (void)length; (void)bytes;
    abort();
}
jvmtiEnv *events_temporary(JNIEnv *env) { (void)env; abort(); }
bool table_field(void *jvm, const char *type, const char *name, struct field_place *place) {
    (void)jvm; (void)type; (void)name; (void)place;
    abort();
}
uint64_t table_size(void *jvm, const char *type) { (void)jvm; (void)type; abort(); }

static const struct code_layout layout = {.header = HEADER, .words = 24, .flags = 28, .code_size = 34};

static void put(uint64_t at, uint64_t value, size_t size) {
    memcpy(memory + at, &value, size);
}

static void plant(uint64_t words, uint64_t flags, uint64_t code) {
    memset(memory, 0xab, sizeof memory);
    put(24, words, 4);
    put(28, flags, 2);
    put(34, code, 2);
}

static int32_t lines(uint8_t **bytes) {
    return lines_read(&layout, BASE, bytes);
}

static void bytesAfterTheCodeAreReturned(void) {
    uint8_t *bytes;
    plant(10, HAS_LINE_NUMBERS | 0x100, CODE);
    memory[HEADER + CODE] = 0x0a;
    memory[79] = 0x0b;
    CHECK(lines(&bytes) == 80 - HEADER - CODE && bytes[0] == 0x0a && bytes[80 - HEADER - CODE - 1] == 0x0b);
    free(bytes);
    plant(SIZE / WORD, HAS_LINE_NUMBERS, CODE);
    CHECK(lines(&bytes) == SIZE - HEADER - CODE);
    free(bytes);
}

static void aMethodWithoutLineNumbersHasNone(void) {
    uint8_t *bytes;
    plant(10, 0xfffe, CODE);
    CHECK(lines(&bytes) == 0);
    free(bytes);
}

static void impossibleSizesAreRefused(void) {
    static const uint64_t words[] = {0, 6, 7, (uint64_t)-1, 0x80000000, 0x7fffffff, SIZE / WORD + 1};
    uint8_t *bytes;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        plant(words[i], HAS_LINE_NUMBERS, CODE);
        CHECK(lines(&bytes) == -1 && bytes == NULL);
    }
    plant(10, HAS_LINE_NUMBERS, 65535);
    CHECK(lines(&bytes) == -1);
    CHECK(lines_read(&layout, BASE + SIZE, &bytes) == -1 && lines_read(&layout, 0, &bytes) == -1);
}

int main(void) {
    RUN(bytesAfterTheCodeAreReturned);
    RUN(aMethodWithoutLineNumbersHasNone);
    RUN(impossibleSizesAreRefused);
}
