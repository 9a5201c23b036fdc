/* The launch file, docs/formats/launch-file.md, and the environment variable that names it. */
#include "../../main/launch/launch_file.c"
#include "../../main/launch/variable.c"

#include "check.h"
#include "golden.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>

static char said[2048];

void launch_say(const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(said, sizeof said, format, values);
    va_end(values);
}

/* ---- The file ---- */

enum { LIBRARY = 10, ATTACH = 40, SIZE = LAUNCH_OFFSET_LIBRARY + LIBRARY + 4 + ATTACH };

static void put(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

/* Returns a complete file, in an allocation of exactly its size. */
static uint8_t *whole(void) {
    uint8_t *file = calloc(1, SIZE);
    memcpy(file, "MAYFLYL1", 8);
    put(file + 12, LAUNCH_FLAG_REMAINING_CLASSES);
    put(file + 16, 7);
    put(file + 20, 1);
    put(file + 24, 1u << 17 | 1u << 26);
    put(file + 32, LIBRARY);
    put(file + LAUNCH_OFFSET_LIBRARY + LIBRARY, ATTACH);
    put(file + 8, launch_file_checksum(file + CHECKED_FROM, SIZE - CHECKED_FROM));
    return file;
}

static void aCompleteFileIsParsed(void) {
    struct launch launch;
    uint8_t *file = whole();
    CHECK(launch_file_parse(file, SIZE, &launch));
    CHECK(launch.flags == LAUNCH_FLAG_REMAINING_CLASSES && launch.limit == (1ull << 32 | 7)
            && launch.versions == (1ull << 17 | 1ull << 26));
    CHECK(launch.library == file + LAUNCH_OFFSET_LIBRARY && launch.library_length == LIBRARY);
    CHECK(launch.attach == file + LAUNCH_OFFSET_LIBRARY + LIBRARY + 4 && launch.attach_length == ATTACH);
    free(file);
}

static void theGoldenFileIsParsed(void) {
    struct launch launch;
    size_t length;
    uint8_t *file = golden_read("launch.bin", &length);
    CHECK(launch_file_parse(file, length, &launch));
    CHECK(launch.flags == LAUNCH_FLAG_REMAINING_CLASSES && launch.limit == 10000000000ull
            && launch.versions == (1ull << 17 | 1ull << 26));
    CHECK(launch.library_length == 7 && memcmp(launch.library, "library", 7) == 0);
    CHECK(launch.attach[ATTACH_OFFSET_REQUEST] == 0xa0 && bytes_word(launch.attach + ATTACH_OFFSET_DEADLINE) == 0);
    CHECK(bytes_word(launch.attach + ATTACH_OFFSET_FLAGS) == (ATTACH_FLAG_DATA | ATTACH_FLAG_AT_LAUNCH));
    CHECK(bytes_word(launch.attach + ATTACH_OFFSET_BLOBS) == 6
            && memcmp(launch.attach + ATTACH_OFFSET_BLOBS + 4, "loader", 6) == 0);
    free(file);
}

static void theChecksumIsThatOfZlib(void) {
    CHECK(launch_file_checksum((const uint8_t *)"123456789", 9) == 0xCBF43926u);
}

static void eachShorterFileIsRefused(void) {
    struct launch launch;
    for (size_t length = 0; length < SIZE; length++) {
        uint8_t *file = whole();
        uint8_t *cut = malloc(length);
        memcpy(cut, file, length);
        CHECK(!launch_file_parse(cut, length, &launch));
        if (length >= CHECKED_FROM) {
            put(cut + 8, launch_file_checksum(cut + CHECKED_FROM, length - CHECKED_FROM));
            CHECK(!launch_file_parse(cut, length, &launch));
        }
        free(cut);
        free(file);
    }
}

static void eachChangedBitIsRefused(void) {
    struct launch launch;
    for (size_t bit = 0; bit < 8 * (size_t)SIZE; bit++) {
        uint8_t *file = whole();
        file[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK(!launch_file_parse(file, SIZE, &launch));
        free(file);
    }
}

/* The checksum is correct: only the lengths are wrong. */
static void lengthsThatDoNotFitAreRefused(void) {
    static const uint32_t lengths[] = {
        0, 1, 9, 11, 49, 50, 53, 54, 55, 0x7fffffff, 0x80000000, 0xfffffffb, 0xfffffffc, 0xffffffff};
    struct launch launch;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (int place = 0; place < 2; place++) {
            uint8_t *file = whole();
            put(file + (place == 0 ? 32 : LAUNCH_OFFSET_LIBRARY + LIBRARY), lengths[i]);
            put(file + 8, launch_file_checksum(file + CHECKED_FROM, SIZE - CHECKED_FROM));
            CHECK(!launch_file_parse(file, SIZE, &launch));
            free(file);
        }
    }
}

static void filesAreReadWholeOrRefused(void) {
    struct launch launch = {0};
    char path[64];
    int fd = memfd_create("launch", 0);
    uint8_t *file = whole();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    CHECK(!launch_file_read(path, &launch) && strstr(said, "not a launch file") != NULL);
    CHECK(write(fd, file, SIZE) == SIZE);
    CHECK(launch_file_read(path, &launch) && launch.attach_length == ATTACH);
    free(launch.bytes);
    CHECK(ftruncate(fd, (off_t)LAUNCH_FILE_FORMAT_MAX_SIZE + 1) == 0);
    CHECK(!launch_file_read(path, &launch) && strstr(said, strerror(EFBIG)) != NULL);
    free(file);
    close(fd);
}

static void aPathThatIsNotARegularFileIsRefused(void) {
    struct launch launch;
    char pipe[] = "/tmp/mayfly-test-XXXXXX";
    CHECK(mkdtemp(pipe) != NULL);
    CHECK(!launch_file_read(pipe, &launch));
    CHECK(rmdir(pipe) == 0 && mkfifo(pipe, 0600) == 0);
    CHECK(!launch_file_read(pipe, &launch));
    CHECK(unlink(pipe) == 0);
    CHECK(!launch_file_read(pipe, &launch) && strstr(said, strerror(ENOENT)) != NULL);
    CHECK(!launch_file_read("/dev/zero", &launch));
    CHECK(!launch_file_read("", &launch));
}

/* ---- The variable ---- */

static const char *taken_back(const char *value) {
    CHECK(setenv(OPTIONS, value, 1) == 0);
    variable_take_back("/lib.so", "/file");
    return getenv(OPTIONS);
}

static const char *taken_from_preload(const char *value) {
    CHECK(setenv(PRELOAD, value, 1) == 0);
    variable_take_back("/folder/libmayflylaunch.so", "/folder/file");
    return getenv(PRELOAD);
}

static void theAddedOptionIsTakenOutOfTheVariable(void) {
    CHECK(taken_back("-agentpath:/lib.so=/file") == NULL);
    CHECK(strcmp(taken_back("-Xmx1g -agentpath:/lib.so=/file"), "-Xmx1g") == 0);
    CHECK(strcmp(taken_back("-Xmx1g -agentpath:/lib.so=/file -Da=b"), "-Xmx1g -Da=b") == 0);
    CHECK(strcmp(taken_back("-agentpath:/lib.so=/file -Da=b"), "-Da=b") == 0);
    CHECK(taken_back("  -agentpath:/lib.so=/file ") == NULL);
}

static void aVariableWithoutTheAddedOptionIsUnchanged(void) {
    static const char *const values[] = {
        "", "-Xmx1g", "-agentpath:/lib.so=/file2", "-agentpath:/lib.so", "-agentpath:/lib.so=/fil"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        CHECK(strcmp(taken_back(values[i]), values[i]) == 0);
    }
    unsetenv(OPTIONS);
    variable_take_back("/lib.so", "/file");
    CHECK(getenv(OPTIONS) == NULL);
}

static void thePreloadedLibraryIsTakenOutOfItsVariable(void) {
    CHECK(taken_from_preload("/folder/libmayflypreload.so") == NULL);
    CHECK(strcmp(taken_from_preload("/folder/libmayflypreload.so:/mine.so"), "/mine.so") == 0);
    CHECK(strcmp(taken_from_preload("/a.so /folder/libmayflypreload.so:/b.so"), "/a.so:/b.so") == 0);
    CHECK(strcmp(taken_from_preload("/other/libmayflypreload.so"), "/other/libmayflypreload.so") == 0);
    CHECK(strcmp(taken_from_preload("/x/folder/libmayflypreload.so"), "/x/folder/libmayflypreload.so") == 0);
    CHECK(strcmp(taken_from_preload("/folder/libmayflypreload.so2"), "/folder/libmayflypreload.so2") == 0);
    unsetenv(PRELOAD);
}

int main(void) {
    RUN(aCompleteFileIsParsed);
    RUN(theGoldenFileIsParsed);
    RUN(theChecksumIsThatOfZlib);
    RUN(eachShorterFileIsRefused);
    RUN(eachChangedBitIsRefused);
    RUN(lengthsThatDoNotFitAreRefused);
    RUN(filesAreReadWholeOrRefused);
    RUN(aPathThatIsNotARegularFileIsRefused);
    RUN(theAddedOptionIsTakenOutOfTheVariable);
    RUN(aVariableWithoutTheAddedOptionIsUnchanged);
    RUN(thePreloadedLibraryIsTakenOutOfItsVariable);
}
