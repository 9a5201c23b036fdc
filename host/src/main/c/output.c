/* The bytes that wait to be written to a client of the channel. The owner of an output synchronizes its use. */
#include "output.h"
#include "bytes.h"

#include <stdlib.h>
#include <string.h>

/* This much of the capacity is kept for the messages that end a request: a short RESULT, and GONE. */
enum { RESERVE = 128 };

/* Returns false, and changes nothing, if there is no memory. */
static bool output_grow(struct output *out, size_t needed) {
    if (needed > out->capacity) {
        size_t capacity = 2 * needed + 256;
        uint8_t *larger = realloc(out->at, capacity);
        if (larger == NULL) {
            return false;
        }
        out->at = larger;
        out->capacity = capacity;
    }
    return true;
}

/* Allocates the reserve. Returns false if there is no memory. */
bool output_open(struct output *out) {
    return output_grow(out, RESERVE);
}

static void output_put(struct output *out, const void *bytes, size_t length) {
    memcpy(out->at + out->length, bytes, length);
    out->length += length;
}

/* Returns false, and changes nothing, if there is no memory. */
bool output_append(struct output *out, const void *bytes, size_t length) {
    bool fits = output_grow(out, out->length + length + RESERVE);
    if (fits) {
        output_put(out, bytes, length);
    }
    return fits;
}

/* Appends a message that consists of these parts, if it fits without the reserve or with it. */
static bool output_put_frame(struct output *out, enum message_type type, const struct bytes *parts, int count,
        size_t reserve) {
    size_t length = 1;
    for (int i = 0; i < count; i++) {
        length += parts[i].length;
    }
    size_t needed = out->length + MESSAGE_SIZE_HEAD + length - 1;
    if (!output_grow(out, needed + reserve)) {
        return false;
    }
    uint8_t head[MESSAGE_SIZE_HEAD];
    bytes_put_word(head, (uint32_t)length);
    head[MESSAGE_OFFSET_TYPE] = (uint8_t)type;
    output_put(out, head, sizeof head);
    for (int i = 0; i < count; i++) {
        output_put(out, parts[i].at, parts[i].length);
    }
    return true;
}

/* Appends a message that consists of these parts. Returns false, and appends no part of it, if there is no memory. */
bool output_frame(struct output *out, enum message_type type, const struct bytes *parts, int count) {
    return output_put_frame(out, type, parts, count, RESERVE);
}

/* As output_frame; without memory, the message may use the reserve. */
bool output_small_frame(struct output *out, enum message_type type, const struct bytes *parts, int count) {
    return output_put_frame(out, type, parts, count, 0);
}

/* Appends an emission, or counts it as dropped if the output would be longer than the limit. */
void output_emit(struct output *out, size_t max, const uint8_t *at, size_t length) {
    if (out->length + length > max) {
        out->dropped++;
        return;
    }
    uint8_t dropped[EMIT_OFFSET_BYTES];
    bytes_put_long(dropped, out->dropped);
    struct bytes parts[] = {{dropped, sizeof dropped}, {(uint8_t *)at, length}};
    out->dropped = output_frame(out, MESSAGE_TYPE_EMIT, parts, 2) ? 0 : out->dropped + 1;
}
