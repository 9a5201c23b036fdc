/* The bytes that wait for a client: whole messages or none, and the count of dropped emissions. */
#include <stdbool.h>
#include <stdlib.h>

/* True if the test simulates a lack of memory. */
static bool no_memory;

static void *planted_realloc(void *memory, size_t size) {
    return no_memory ? NULL : realloc(memory, size);
}

#define realloc planted_realloc
#include "../../main/c/output.c"
#undef realloc

#include "golden.h"

static const uint8_t bytes[100] = "an emission";

/* Returns the count of dropped emissions in the message at this offset. */
static uint64_t dropped_in(const struct output *out, size_t at) {
    CHECK(out->at[at + 4] == MESSAGE_TYPE_EMIT);
    return bytes_long(out->at + at + MESSAGE_SIZE_HEAD);
}

static void aMessageHasItsLengthItsTypeAndItsParts(void) {
    struct output out = {0};
    struct bytes parts[] = {{(uint8_t *)"ab", 2}, {(uint8_t *)"c", 1}};
    output_frame(&out, MESSAGE_TYPE_REPLY, parts, 2);
    CHECK(out.length == MESSAGE_SIZE_HEAD + 3 && bytes_word(out.at) == 4 && out.at[4] == MESSAGE_TYPE_REPLY);
    CHECK(memcmp(out.at + MESSAGE_SIZE_HEAD, "abc", 3) == 0);
    free(out.at);
}

static void noPartOfAMessageIsAppendedWithoutMemory(void) {
    struct output out = {0};
    struct bytes small = {(uint8_t *)bytes, 1};
    struct bytes large = {calloc(1, 4096), 4096};
    output_frame(&out, MESSAGE_TYPE_REPLY, &small, 1);
    size_t before = out.length;
    no_memory = true;
    output_frame(&out, MESSAGE_TYPE_REPLY, &large, 1);      /* its head would still fit */
    CHECK(out.length == before && bytes_word(out.at) == 2);
    no_memory = false;
    free(large.at);
    free(out.at);
}

/* A short RESULT and GONE end a request; nothing else may use the reserve. */
static void theReserveHoldsTheEndOfARequestWithoutMemory(void) {
    struct output out = {0};
    struct bytes result = {(uint8_t *)bytes, 60};
    struct bytes gone = {(uint8_t *)bytes, MESSAGE_SIZE_GONE};
    CHECK(output_open(&out));
    no_memory = true;
    while (output_frame(&out, MESSAGE_TYPE_REPLY, &(struct bytes){(uint8_t *)bytes, 1}, 1)) {
    }
    output_emit(&out, 1000, bytes, 1);
    CHECK(out.dropped == 1 && !output_append(&out, bytes, 1 + MESSAGE_SIZE_HEAD));
    size_t before = out.length;
    CHECK(output_small_frame(&out, MESSAGE_TYPE_RESULT, &result, 1));
    CHECK(output_small_frame(&out, MESSAGE_TYPE_GONE, &gone, 1));
    CHECK(out.length == before + 2 * MESSAGE_SIZE_HEAD + 60 + MESSAGE_SIZE_GONE && out.length <= out.capacity);
    CHECK(out.at[before + MESSAGE_OFFSET_TYPE] == MESSAGE_TYPE_RESULT);
    CHECK(!output_small_frame(&out, MESSAGE_TYPE_RESULT, &(struct bytes){(uint8_t *)bytes, 100}, 1));
    no_memory = false;
    free(out.at);
}

static void withoutMemoryForTheReserveAnOutputIsNotOpened(void) {
    struct output out = {0};
    no_memory = true;
    CHECK(!output_open(&out) && out.at == NULL);
    no_memory = false;
}

static void anEmissionHasTheGoldenBytes(void) {
    struct output out = {.dropped = 2};
    size_t length;
    uint8_t *message = golden_read("emit.bin", &length);
    output_emit(&out, 1000, bytes, strlen((const char *)bytes));
    CHECK(out.length == length && memcmp(out.at, message, length) == 0);
    free(message);
    free(out.at);
}

static void anEmissionCountsThoseDroppedBeforeIt(void) {
    struct output out = {0};
    output_emit(&out, 10, bytes, sizeof bytes);
    output_emit(&out, 10, bytes, sizeof bytes);
    CHECK(out.length == 0 && out.dropped == 2);
    output_emit(&out, 1000, bytes, sizeof bytes);
    CHECK(dropped_in(&out, 0) == 2 && out.dropped == 0);
    size_t first = out.length;
    output_emit(&out, 1000, bytes, sizeof bytes);
    CHECK(out.length == 2 * first && dropped_in(&out, first) == 0);
    free(out.at);
}

static void anEmissionWithoutMemoryIsCounted(void) {
    struct output out = {.dropped = 3};
    no_memory = true;
    output_emit(&out, 1000, bytes, sizeof bytes);
    CHECK(out.length == 0 && out.dropped == 4);
    no_memory = false;
    output_emit(&out, 1000, bytes, sizeof bytes);
    CHECK(dropped_in(&out, 0) == 4 && out.dropped == 0);
    free(out.at);
}

int main(void) {
    RUN(aMessageHasItsLengthItsTypeAndItsParts);
    RUN(noPartOfAMessageIsAppendedWithoutMemory);
    RUN(theReserveHoldsTheEndOfARequestWithoutMemory);
    RUN(withoutMemoryForTheReserveAnOutputIsNotOpened);
    RUN(anEmissionHasTheGoldenBytes);
    RUN(anEmissionCountsThoseDroppedBeforeIt);
    RUN(anEmissionWithoutMemoryIsCounted);
}
