/* Bytes that cross the process boundary. mayfly.wire.GoldenTest creates them, and the Java tests read them too. */
#ifndef MAYFLY_GOLDEN_H
#define MAYFLY_GOLDEN_H

#include "check.h"

#include <stdint.h>

/* Reads a file of wire/src/test/golden into an allocation of exactly its size, which the caller frees. */
static uint8_t *golden_read(const char *name, size_t *length) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", GOLDEN, name);
    FILE *file = fopen(path, "rbe");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    *length = (size_t)ftell(file);
    uint8_t *bytes = malloc(*length);
    rewind(file);
    CHECK(fread(bytes, 1, *length, file) == *length);
    fclose(file);
    return bytes;
}

#endif
