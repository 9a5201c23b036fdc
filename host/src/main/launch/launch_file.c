/*
 * Reads a launch file completely and checks it before any part is used. docs/formats/launch-file.md lists its fields.
 */
#define _GNU_SOURCE
#include "launch_file.h"
#include "say.h"
#include "wire.h"
#include "../c/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All bytes after the checksum. */
enum { CHECKED_FROM = LAUNCH_OFFSET_FLAGS };

/* CRC-32 as in zlib, computed four bits at a time. */
static uint32_t launch_file_checksum(const uint8_t *at, size_t length) {
    uint32_t rows[16];
    for (uint32_t i = 0; i < 16; i++) {
        rows[i] = i;
        for (int bit = 0; bit < 4; bit++) {
            rows[i] = rows[i] >> 1 ^ ((rows[i] & 1) != 0 ? 0xEDB88320u : 0);
        }
    }
    uint32_t sum = ~0u;
    for (size_t i = 0; i < length; i++) {
        sum ^= at[i];
        sum = sum >> 4 ^ rows[sum & 15];
        sum = sum >> 4 ^ rows[sum & 15];
    }
    return ~sum;
}

/* Returns the complete file; NULL with errno. A pipe or a device has no end to seek to. */
static uint8_t *launch_file_read_all(const char *path, size_t *length) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return NULL;
    }
    off_t size = lseek(fd, 0, SEEK_END);
    uint8_t *bytes = NULL;
    errno = size > LAUNCH_FILE_FORMAT_MAX_SIZE ? EFBIG : errno;
    if (size >= 0 && size <= LAUNCH_FILE_FORMAT_MAX_SIZE && lseek(fd, 0, SEEK_SET) == 0
            && (bytes = malloc((size_t)size + 1)) != NULL) {
        size_t got = 0;
        ssize_t count;
        while (got < (size_t)size && (count = read(fd, bytes + got, (size_t)size - got)) != 0) {
            if (count < 0 && errno != EINTR) {
                free(bytes);
                bytes = NULL;
                break;
            }
            got += count < 0 ? 0 : (size_t)count;
        }
        *length = got;
    }
    int failed = errno;
    close(fd);
    errno = failed;
    return bytes;
}

static bool launch_file_parse(uint8_t *bytes, size_t length, struct launch *launch) {
    if (length < LAUNCH_OFFSET_LIBRARY || memcmp(bytes, LAUNCH_FILE_FORMAT_MAGIC, LAUNCH_OFFSET_CHECKSUM) != 0
            || bytes_word(bytes + LAUNCH_OFFSET_CHECKSUM)
                != launch_file_checksum(bytes + CHECKED_FROM, length - CHECKED_FROM)) {
        return false;
    }
    size_t left = length - LAUNCH_OFFSET_LIBRARY;
    *launch = (struct launch){
        .bytes = bytes, .flags = bytes_word(bytes + LAUNCH_OFFSET_FLAGS),
        .limit = bytes_long(bytes + LAUNCH_OFFSET_LIMIT),
        .versions = bytes_long(bytes + LAUNCH_OFFSET_VERSIONS),
        .library = bytes + LAUNCH_OFFSET_LIBRARY, .library_length = bytes_word(bytes + LAUNCH_OFFSET_LIBRARY_LENGTH),
    };
    if (left < 4 || launch->library_length > left - 4) {
        return false;
    }
    launch->attach = bytes + LAUNCH_OFFSET_LIBRARY + launch->library_length + 4;
    launch->attach_length = bytes_word(launch->attach - 4);
    return launch->attach_length == left - 4 - launch->library_length && launch->attach_length >= ATTACH_OFFSET_BLOBS;
}

/* Reports the reason for a failure. */
bool launch_file_read(const char *path, struct launch *launch) {
    size_t length = 0;
    uint8_t *bytes = launch_file_read_all(path, &length);
    if (bytes == NULL) {
        launch_say("%s cannot be read: %s", path, strerror(errno));
        return false;
    }
    if (!launch_file_parse(bytes, length, launch)) {
        launch_say("%s is not a launch file of this version of Mayfly, or is incomplete", path);
        free(bytes);
        return false;
    }
    return true;
}
