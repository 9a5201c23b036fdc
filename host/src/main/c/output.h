/* The bytes that wait to be written to a client of the channel. */
#ifndef MAYFLY_OUTPUT_H
#define MAYFLY_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "wire.h"

struct output {
    uint8_t *at;
    size_t length;
    size_t capacity;
    uint64_t dropped;       /* emissions dropped since the last one that was appended */
};

bool output_open(struct output *out);
bool output_append(struct output *out, const void *bytes, size_t length);
bool output_frame(struct output *out, enum message_type type, const struct bytes *parts, int count);
bool output_small_frame(struct output *out, enum message_type type, const struct bytes *parts, int count);
void output_emit(struct output *out, size_t max, const uint8_t *at, size_t length);

#endif
