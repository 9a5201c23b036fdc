#include "field_stream.h"

/* FieldInfo::FieldFlags (fieldInfo.hpp): each of these flags adds a number. */
enum { FIELD_WITH_MORE = 1 << 0 | 1 << 2 | 1 << 4, FIELD_FLAG_BITS = 5 };

/* Returns the next number in the JVM's encoding UNSIGNED5 (unsigned5.hpp); false at the end of the bytes. */
static bool next_number(struct field_stream *in, uint32_t *number) {
    enum { EXCLUDED = 1, HIGH_BITS = 6, LOW = 256 - (1 << HIGH_BITS) - EXCLUDED, MAX_BYTES = 5 };
    uint32_t sum = 0;
    for (int i = 0; i < MAX_BYTES; i++) {
        if (in->at == in->end || *in->at < EXCLUDED) {
            return false;
        }
        uint32_t byte = *in->at++ - (uint32_t)EXCLUDED;
        sum += byte << HIGH_BITS * i;
        if (byte < LOW) {
            break;
        }
    }
    *number = sum;
    return true;
}

/* Reads the number of fields; those that the JVM injects come after them. Returns false if the bytes are too few. */
bool field_stream_begin(struct field_stream *in, const uint8_t *bytes, size_t length, uint32_t *fields) {
    uint32_t injected;
    *in = (struct field_stream){bytes, bytes + length};
    return next_number(in, fields) && next_number(in, &injected);
}

/* Reads a field: name, signature, offset, access flags, field flags, and a number for some of these flags. */
bool field_stream_next(struct field_stream *in, struct streamed_field *into) {
    uint32_t parts[5];
    for (int i = 0; i < 5; i++) {
        if (!next_number(in, &parts[i])) {
            return false;
        }
    }
    *into = (struct streamed_field){
        .access = (uint16_t)parts[3], .name = (uint16_t)parts[0], .signature = (uint16_t)parts[1]};
    for (uint32_t i = 0, more; i < FIELD_FLAG_BITS; i++) {
        if ((parts[4] & FIELD_WITH_MORE & 1u << i) != 0 && !next_number(in, &more)) {
            return false;
        }
    }
    return true;
}
