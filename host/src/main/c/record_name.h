/* The name of a host's record, and the target of its link in /proc/self/fd. The launch library finds a host by it. */
#ifndef MAYFLY_RECORD_NAME_H
#define MAYFLY_RECORD_NAME_H

#include <stdint.h>
#include <stdio.h>

#include "wire.h"

/* Room for either text. */
enum { RECORD_LINK_BYTES = sizeof HOST_RECORD_FILE_LINK + HOST_RECORD_FILE_ADDRESS_DIGITS
        + sizeof HOST_RECORD_FILE_LINK_END };

/* Writes the name of the record of a host in the JVM whose library begins at an address. */
static inline void record_name(char *name, uint64_t library) {
    snprintf(name, RECORD_LINK_BYTES, HOST_RECORD_FILE_NAME "%0*llx", HOST_RECORD_FILE_ADDRESS_DIGITS,
            (unsigned long long)library);
}

static inline void record_link(char *link, uint64_t library) {
    snprintf(link, RECORD_LINK_BYTES, HOST_RECORD_FILE_LINK "%0*llx" HOST_RECORD_FILE_LINK_END,
            HOST_RECORD_FILE_ADDRESS_DIGITS, (unsigned long long)library);
}

#endif
