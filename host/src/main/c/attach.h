/* The request by which a trigger attaches a profiler. */
#ifndef MAYFLY_ATTACH_H
#define MAYFLY_ATTACH_H

#include <stdint.h>

#include "bytes.h"
#include "failures.h"
#include "wire.h"

struct attach {
    uint32_t flags;
    struct bytes blobs[ATTACH_BLOB_COUNT];
};

enum failure attach_read(const struct bytes *payload, struct attach *attach);

#endif
