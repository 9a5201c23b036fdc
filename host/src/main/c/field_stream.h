/* The description of a class's fields since JDK 21: a stream of compressed numbers. */
#ifndef MAYFLY_FIELD_STREAM_H
#define MAYFLY_FIELD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct field_stream {
    const uint8_t *at;
    const uint8_t *end;
};

/* The part of a field that the class file has too; the texts are indices into the constant pool. */
struct streamed_field {
    uint16_t access;
    uint16_t name;
    uint16_t signature;
};

bool field_stream_begin(struct field_stream *in, const uint8_t *bytes, size_t length, uint32_t *fields);
bool field_stream_next(struct field_stream *in, struct streamed_field *into);

#endif
