/* The request by which a trigger attaches a profiler: its flags, and the blobs with the classes and the data. */
#define _GNU_SOURCE
#include "attach.h"
#include "bytes.h"
#include "failures.h"
#include "host.h"
#include "log.h"
#include "record.h"
#include "runtimes.h"

#include <string.h>

static bool attach_split(const struct bytes *payload, struct bytes *blobs) {
    size_t at = ATTACH_OFFSET_BLOBS;
    for (int i = 0; i < ATTACH_BLOB_COUNT; i++) {
        if (payload->length - at < 4 || payload->length < at) {
            return false;
        }
        blobs[i].length = bytes_word(payload->at + at);
        blobs[i].at = payload->at + at + 4;
        if (blobs[i].length > payload->length - at - 4) {
            return false;
        }
        at += 4 + blobs[i].length;
    }
    return at == payload->length;
}

/*
 * Records the rank of this JVM in the process. The trigger supplies it; at launch the host determines it and writes it
 * into the request.
 */
static bool attach_note_runtime(const struct bytes *runtime) {
    if (runtime->length != ATTACH_SIZE_RUNTIME) {
        return false;
    }
    uint32_t rank = bytes_word(runtime->at + RUNTIME_OFFSET_RANK);
    if (rank == 0) {
        rank = runtime_rank();
        bytes_put_word(runtime->at + RUNTIME_OFFSET_RANK, rank);
        bytes_put_long(runtime->at + RUNTIME_OFFSET_LIBRARY, host.library);
    }
    record_rank(rank);
    return true;
}

/* Writes the name of the profiler's class to the record, truncated to its field. */
static void attach_note_profiler(const struct bytes *named) {
    char name[sizeof host.record->profiler];
    size_t length = named->length >= sizeof name ? sizeof name - 1 : named->length;
    memcpy(name, named->at, length);
    name[length] = 0;
    record_text(host.record->profiler, sizeof host.record->profiler, name);
}

/*
 * Splits the payload, whose bytes the result refers to, and keeps what concerns the library: the user's permissions,
 * the runtime, the event log and the profiler's name. Returns FAILURE_NONE, FAILURE_MALFORMED_ATTACH or
 * FAILURE_NOT_FIRST.
 */
enum failure attach_read(const struct bytes *payload, struct attach *attach) {
    if (!attach_split(payload, attach->blobs) || !attach_note_runtime(&attach->blobs[ATTACH_BLOB_RUNTIME])
            || !log_take(&attach->blobs[ATTACH_BLOB_EVENT_LOG])) {
        return FAILURE_MALFORMED_ATTACH;
    }
    attach->flags = bytes_word(payload->at + ATTACH_OFFSET_FLAGS);
    host.lasting_cost_accepted = (attach->flags & ATTACH_FLAG_LASTING_COST) != 0;
    host.at_launch = (attach->flags & ATTACH_FLAG_AT_LAUNCH) != 0;
    attach_note_profiler(&attach->blobs[ATTACH_BLOB_PROFILER_CLASS]);
    bool is_first = bytes_word(attach->blobs[ATTACH_BLOB_RUNTIME].at + RUNTIME_OFFSET_RANK) == 1;
    return (attach->flags & ATTACH_FLAG_FIRST_ONLY) != 0 && !is_first ? FAILURE_NOT_FIRST : FAILURE_NONE;
}
