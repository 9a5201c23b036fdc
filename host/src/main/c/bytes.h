/* Sequences of bytes, and the little-endian numbers in them. */
#ifndef MAYFLY_BYTES_H
#define MAYFLY_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* A part of a message on the channel. The holder owns the bytes. */
struct bytes {
    uint8_t *at;
    size_t length;
};

static inline uint32_t bytes_word(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t bytes_long(const uint8_t *at) {
    return bytes_word(at) | (uint64_t)bytes_word(at + 4) << 32;
}

static inline void bytes_put_word(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

static inline void bytes_put_long(uint8_t *at, uint64_t value) {
    bytes_put_word(at, (uint32_t)value);
    bytes_put_word(at + 4, (uint32_t)(value >> 32));
}

#endif
