/* The file from which the launch library reads the host and the profiler. */
#ifndef MAYFLY_LAUNCH_FILE_H
#define MAYFLY_LAUNCH_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* A launch file, docs/formats/launch-file.md. Its pointers point into bytes. */
struct launch {
    uint8_t *bytes;
    uint32_t flags;
    uint64_t limit;             /* upper bound on the profiler's initialisation, ns */
    uint64_t versions;          /* the versions of Java that get the profiler: bit N for Java N */
    const uint8_t *library;     /* the host library */
    uint32_t library_length;
    uint8_t *attach;            /* the payload of ATTACH */
    uint32_t attach_length;
};

bool launch_file_read(const char *path, struct launch *launch);

#endif
