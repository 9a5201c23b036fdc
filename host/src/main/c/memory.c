/* Memory of this process that may be unmapped concurrently, for example by another JVM that ends. */
#define _GNU_SOURCE
#include "memory.h"
#include "files.h"
#include "host.h"
#include "record.h"

#include <string.h>
#include <unistd.h>

/* Copies as much as has room in the unused part of the record. */
static bool memory_read_piece(const void *from, void *to, size_t size) {
    const off_t at = offsetof(struct record, unused_last);
    pthread_mutex_lock(&host.lock);
    /* A program may have closed the descriptor, whose number may then refer to another file. */
    bool read = file_is(host.record_fd, host.record_file)
            && pwrite(host.record_fd, from, size, at) == (ssize_t)size;
    if (read) {
        memcpy(to, host.record->unused_last, size);
    }
    pthread_mutex_unlock(&host.lock);
    return read;
}

/*
 * Copies memory that may be unmapped concurrently. The kernel reads it into the unused part of the record and reports
 * an error if it is not mapped. No other call reads the process's own memory as portably: process_vm_readv is forbidden
 * in many containers. The pieces of a long memory are read one after the other, so it may change in between.
 */
bool memory_read(const void *from, void *to, size_t size) {
    const size_t room = sizeof host.record->unused_last;
    for (size_t done = 0; done < size;) {
        size_t piece = size - done < room ? size - done : room;
        if (!memory_read_piece((const char *)from + done, (char *)to + done, piece)) {
            return false;
        }
        done += piece;
    }
    return true;
}
