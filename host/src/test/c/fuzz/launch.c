/*
 * Any bytes as a launch file. The checksum is corrected, unless the first byte is odd, so that the fuzzer reaches the
 * code behind the check. Either all parts of the content are within the file, or the file is refused. The rest of the
 * input is also used as a value of the environment variable, from which only the option is removed.
 */
#include "../../../main/launch/launch_file.c"
#include "../../../main/launch/variable.c"

#include "../check.h"

void launch_say(const char *format, ...) {
    (void)format;
}

static void check_file(const uint8_t *bytes, size_t length, bool keep) {
    struct launch launch;
    uint8_t *file = malloc(length);
    if (length > 0) {
        memcpy(file, bytes, length);
    }
    if (!keep && length >= CHECKED_FROM) {
        uint32_t sum = launch_file_checksum(file + CHECKED_FROM, length - CHECKED_FROM);
        for (int i = 0; i < 4; i++) {
            file[8 + i] = (uint8_t)(sum >> 8 * i);
        }
    }
    if (launch_file_parse(file, length, &launch)) {
        const uint8_t *end = file + length;
        CHECK(launch.bytes == file && launch.library == file + LAUNCH_OFFSET_LIBRARY
            && launch.library_length <= length);
        CHECK(launch.library + launch.library_length + 4 == launch.attach);
        CHECK(launch.attach + launch.attach_length == end && launch.attach_length >= ATTACH_OFFSET_BLOBS);
        CHECK(bytes_word(launch.attach + ATTACH_OFFSET_FLAGS)
                == bytes_word(end - launch.attach_length + ATTACH_OFFSET_FLAGS));
    }
    free(file);
}

/* The variable's bytes are in an allocation of exactly their size; in the process they lie among others. */
static void check_variable(const char *name, const char *value, size_t added) {
    size_t size = strlen(name) + 1 + strlen(value) + 1;
    char *variable = malloc(size);
    snprintf(variable, size, "%s=%s", name, value);
    CHECK(putenv(variable) == 0);
    variable_take_back("/l", "/f");
    const char *now = getenv(name);
    if (now == NULL) {
        CHECK(strlen(value) >= added);
    } else {
        size_t gone = strlen(value) - strlen(now);
        CHECK(gone == 0 || gone == added || gone == added + 1);
    }
    unsetenv(name);
    free(variable);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length == 0) {
        return 0;
    }
    check_file(bytes + 1, length - 1, (bytes[0] & 1) != 0);
    char *value = strndup((const char *)bytes + 1, length - 1);
    check_variable(OPTIONS, value, strlen("-agentpath:/l=/f"));
    check_variable(PRELOAD, value, strlen(PRELOAD_LIBRARY));
    free(value);
    return 0;
}
