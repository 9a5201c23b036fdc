/* The methods and fields of a class, read from planted memory with correct and with impossible content. */
#include "../../main/c/field_stream.c"
#include "../../main/c/members.c"

#include "check.h"

#include <stdio.h>

/* ---- The planted memory; addresses in it are offsets from BASE ---- */

enum { BASE = 0x10000, SIZE = 1 << 16 };
enum { KLASS = 0x100, METHODS = 0x200, METHOD = 0x300, CONST_METHOD = 0x400, POOL = 0x500, STREAM = 0x800,
    FIELDS = 0x900, SYMBOLS = 0xa00 };
enum { POOL_SIZE = 72, ENTRIES = 8, FIRST_SYMBOL = 3 };

static uint8_t memory[SIZE];
static int reads;
static int replaced_at;         /* the read at which the methods are replaced, or 0 */

bool memory_read(const void *from, void *to, size_t size) {
    uint64_t at = (uint64_t)(uintptr_t)from;
    if (++reads == replaced_at) {
        uint64_t other = BASE + METHODS + 8;
        memcpy(memory + KLASS + 400, &other, sizeof other);
    }
    if (at < BASE || at - BASE > SIZE || size > SIZE - (at - BASE)) {
        return false;
    }
    memcpy(to, memory + (at - BASE), size);
    return true;
}

void *runtime_library(void) { return NULL; }
jclass class_find(JNIEnv *env, const char *name) { (void)env; (void)name; abort(); }
bool table_field(void *jvm, const char *type, const char *name, struct field_place *place) {
    (void)jvm; (void)type; (void)name; (void)place;
    abort();
}
uint64_t table_size(void *jvm, const char *type) { (void)jvm; (void)type; abort(); }

/* The layout of JDK 25; fields and fields_count only for the other kind of description. */
static struct members_layout layout = {
    .layout_helper = 8, .methods = 400, .constants = 224, .stream = 448, .fields = 456, .fields_count = 310,
    .const_method = 8, .access = 44, .method_constants = 8, .method_flags = 28, .name_index = 36, .signature_index = 38,
    .number = 40,
    .code_size = 30, .pool_length = 60, .array_length = 0, .array_pointers = 8, .array_bytes = 4, .array_shorts = 4,
    .symbol_length = 4, .symbol_body = 6, .pool_size = POOL_SIZE,
};

static void put(uint64_t at, uint64_t value, size_t size) {
    memcpy(memory + at, &value, size);
}

static void put_symbol(int index, const char *text) {
    uint64_t at = SYMBOLS + (uint64_t)index * 64;
    put(POOL + POOL_SIZE + 8u * (uint64_t)index, BASE + at, 8);
    put(at + 4, strlen(text), 2);
    memcpy(memory + at + 6, text, strlen(text));
}

/* Plants a class with the method m(I)V, number 7, and the field "f" of type J. */
static void plant(void) {
    static const uint8_t stream[] = {1 + 1, 1 + 0, 1 + 5, 1 + 6, 1 + 12, 1 + 18, 1 + 0};
    memset(memory, 0, sizeof memory);
    reads = replaced_at = 0;
    layout.stream = 448;
    put(KLASS + 400, BASE + METHODS, 8);
    put(KLASS + 224, BASE + POOL, 8);
    put(KLASS + 448, BASE + STREAM, 8);
    put(METHODS, 1, 4);
    put(METHODS + 8, BASE + METHOD, 8);
    put(METHOD + 8, BASE + CONST_METHOD, 8);
    put(METHOD + 44, 0x8000 | 0x0009, 2);
    put(CONST_METHOD + 8, BASE + POOL, 8);
    put(CONST_METHOD + 36, 3, 2);
    put(CONST_METHOD + 38, 4, 2);
    put(CONST_METHOD + 40, 7, 2);
    put(CONST_METHOD + 30, 11, 2);
    put(POOL + 60, ENTRIES, 4);
    put_symbol(3, "m");
    put_symbol(4, "(I)V");
    put_symbol(5, "f");
    put_symbol(6, "J");
    put(STREAM, sizeof stream, 4);
    memcpy(memory + STREAM + 4, stream, sizeof stream);
}

static int32_t members_of(bool fields, struct member **members) {
    *members = NULL;
    return read_members(&layout, BASE + KLASS, fields, MEMBERS_ALL, members);
}

static void check_text(const struct member *of, uint16_t index, const char *expected) {
    char *text = read_text(&layout, of->pool, index);
    CHECK(text != NULL && strcmp(text, expected) == 0);
    free(text);
}

static void aMethodHasItsNumberFlagsAndTexts(void) {
    struct member *members;
    plant();
    CHECK(members_of(false, &members) == 1);
    CHECK(members->number == 7 && members->modifiers == 9 && members->code_size == 11 && !members->left_out);
    CHECK(members->constant == BASE + CONST_METHOD);
    check_text(members, members->name, "m");
    check_text(members, members->signature, "(I)V");
    free(members);
}

static void aGeneratedMethodIsMarked(void) {
    struct member *members;
    plant();
    put(CONST_METHOD + 28, IS_OVERPASS, 2);
    CHECK(members_of(false, &members) == 1 && members->left_out);
    free(members);
}

static void otherMethodsThanTheWantedOneAreLeftOut(void) {
    struct member *members;
    plant();
    CHECK(read_members(&layout, BASE + KLASS, false, 7, &members) == 1);
    CHECK(!members->left_out && members->constant == BASE + CONST_METHOD && members->code_size == 11);
    free(members);
    CHECK(read_members(&layout, BASE + KLASS, false, 7 + 0x10000, &members) == 1 && members->left_out);
    CHECK(members->constant == 0);
    free(members);
}

static void otherFieldsThanTheWantedOneAreLeftOut(void) {
    struct member *members;
    plant();
    CHECK(read_members(&layout, BASE + KLASS, true, 0, &members) == 1 && !members->left_out);
    free(members);
    CHECK(read_members(&layout, BASE + KLASS, true, 1, &members) == 1 && members->left_out);
    free(members);
}

static void impossibleNumbersOfMethodsAreRefused(void) {
    static const uint64_t counts[] = {(uint64_t)-1, MAX_MEMBERS + 1, 0x7fffffff, 60000};
    struct member *members;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        plant();
        put(METHODS, counts[i], 4);
        CHECK(members_of(false, &members) == -1);
    }
}

static void methodsThatAreReplacedMeanwhileAreReadAgain(void) {
    struct member *members;
    plant();
    put(METHODS + 8 + 8, BASE + METHOD, 8);
    put(METHODS + 8, 1, 4);
    put(METHODS, 0, 4);
    replaced_at = 3;
    CHECK(members_of(false, &members) == 1 && members->number == 7);
    free(members);
}

static void aTextOutsideOfThePoolIsRefused(void) {
    plant();
    CHECK(read_text(&layout, BASE + POOL, 0) == NULL);
    CHECK(read_text(&layout, BASE + POOL, ENTRIES) == NULL);
    CHECK(read_text(&layout, BASE + POOL, 2) == NULL);
    put(SYMBOLS + 3 * 64 + 4, 0xffff, 2);
    CHECK(read_text(&layout, BASE + POOL, 3) == NULL);
    CHECK(read_text(&layout, 0, 3) == NULL);
}

static void aFieldOfAStreamHasItsFlagsAndTexts(void) {
    struct member *members;
    plant();
    CHECK(members_of(true, &members) == 1 && members->modifiers == 18);
    check_text(members, members->name, "f");
    check_text(members, members->signature, "J");
    free(members);
}

/* Each cut of the stream, and each byte that the encoding excludes. */
static void aDamagedStreamIsRefused(void) {
    struct member *members;
    for (uint32_t length = 0; length < 7; length++) {
        plant();
        put(STREAM, length, 4);
        CHECK(members_of(true, &members) == -1);
        plant();
        memory[STREAM + 4 + length] = 0;
        CHECK(members_of(true, &members) == -1);
    }
    plant();
    memset(memory + STREAM + 4, 0xff, 5);
    CHECK(members_of(true, &members) == -1);
    plant();
    put(STREAM, MAX_STREAM + 1, 4);
    CHECK(members_of(true, &members) == -1);
}

/* unsigned5.hpp: from 191 on, a number has more than one byte. */
static void numbersOfAStreamHaveUpToFiveBytes(void) {
    static const uint8_t bytes[] = {191, 192, 1, 255, 1, 192, 2};
    static const uint32_t expected[] = {190, 191, 254, 191 + 64};
    struct field_stream in = {bytes, bytes + sizeof bytes};
    for (size_t i = 0; i < 4; i++) {
        uint32_t number;
        CHECK(next_number(&in, &number) && number == expected[i]);
    }
    uint32_t none;
    CHECK(!next_number(&in, &none));
}

static void aFieldOfAnArrayHasItsFlagsAndTexts(void) {
    static const uint16_t slots[] = {18 | 0x800, 5, 6, 0, 0, 0};
    struct member *members;
    plant();
    layout.stream = 0;
    put(KLASS + 456, BASE + FIELDS, 8);
    put(KLASS + 310, 1, 2);
    put(FIELDS, 6, 4);
    memcpy(memory + FIELDS + 4, slots, sizeof slots);
    CHECK(members_of(true, &members) == 1 && members->modifiers == 18);
    check_text(members, members->name, "f");
    free(members);
    put(FIELDS, 5, 4);
    CHECK(members_of(true, &members) == -1);
    put(FIELDS, 0x7fffffff, 4);
    put(KLASS + 310, 0xffff, 2);
    CHECK(members_of(true, &members) == -1);
}

int main(void) {
    RUN(aMethodHasItsNumberFlagsAndTexts);
    RUN(aGeneratedMethodIsMarked);
    RUN(otherMethodsThanTheWantedOneAreLeftOut);
    RUN(otherFieldsThanTheWantedOneAreLeftOut);
    RUN(impossibleNumbersOfMethodsAreRefused);
    RUN(methodsThatAreReplacedMeanwhileAreReadAgain);
    RUN(aTextOutsideOfThePoolIsRefused);
    RUN(aFieldOfAStreamHasItsFlagsAndTexts);
    RUN(aDamagedStreamIsRefused);
    RUN(numbersOfAStreamHaveUpToFiveBytes);
    RUN(aFieldOfAnArrayHasItsFlagsAndTexts);
}
