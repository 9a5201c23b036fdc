/* The bytes that wait to be written to a client of the channel. The owner of an output synchronizes its use. */
#include "output.h"
#include "bytes.h"

#include <stdlib.h>
#include <string.h>

/* Returns false, and changes nothing, if there is no memory. */
bool output_append(struct output *out, const void *bytes, size_t length) {
    if (out->length + length > out->capacity) {
        size_t capacity = 2 * (out->length + length) + 256;
        uint8_t *larger = realloc(out->at, capacity);
        if (larger == NULL) {
            return false;
        }
        out->at = larger;
        out->capacity = capacity;
    }
    memcpy(out->at + out->length, bytes, length);
    out->length += length;
    return true;
}

/* Appends a message that consists of these parts; without memory, no part of it. */
void output_frame(struct output *out, enum message_type type, const struct bytes *parts, int count) {
    size_t before = out->length;
    size_t length = 1;
    for (int i = 0; i < count; i++) {
        length += parts[i].length;
    }
    uint8_t head[MESSAGE_SIZE_HEAD];
    bytes_put_word(head, (uint32_t)length);
    head[MESSAGE_OFFSET_TYPE] = (uint8_t)type;
    bool whole = output_append(out, head, sizeof head);
    for (int i = 0; i < count; i++) {
        whole = whole && output_append(out, parts[i].at, parts[i].length);
    }
    if (!whole) {
        out->length = before;
    }
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
    size_t before = out->length;
    output_frame(out, MESSAGE_TYPE_EMIT, parts, 2);
    out->dropped = out->length == before ? out->dropped + 1 : 0;
}
