/* Memory of the process, read through the record's file. */
#include "../../main/c/memory.c"
#include "../../main/c/record.c"

#include "check.h"

#include <fcntl.h>

static void begin(void) {
    pthread_mutex_init(&host.lock, NULL);
    CHECK(record_open(HOST_STATE_INITIALIZING) == 0);
}

static void memoryIsCopied(void) {
    static const char from[] = "some bytes of this process";
    char to[sizeof from] = "";
    begin();
    CHECK(memory_read(from, to, sizeof from) && memcmp(from, to, sizeof from) == 0);
    record_close();
}

static void unmappedMemoryIsReported(void) {
    char to[16] = "unchanged";
    begin();
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED && munmap(page + 4096, 4096) == 0);
    CHECK(memory_read(page + 4096 - sizeof to, to, sizeof to) && to[0] == 0);
    strcpy(to, "unchanged");
    CHECK(!memory_read(page + 4096, to, sizeof to));
    CHECK(!memory_read(page + 4096 - 8, to, sizeof to));
    CHECK(!memory_read(NULL, to, sizeof to) && strcmp(to, "unchanged") == 0);
    munmap(page, 4096);
    record_close();
}

static void moreThanTheRecordsUnusedPartIsReadInPieces(void) {
    static char from[2 * sizeof((struct record *)0)->unused_last + 1];
    static char to[sizeof from];
    begin();
    memset(from, 7, sizeof from);
    CHECK(memory_read(from, to, sizeof from) && memcmp(from, to, sizeof from) == 0);
    CHECK(host.record->unmarked_redefinitions == 0 && host.record->running[0].tid == 0);
    record_close();
}

static void longMemoryWhoseEndIsUnmappedIsReported(void) {
    static char to[8192];
    begin();
    char *page = mmap(NULL, sizeof to, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED && munmap(page + 4096, 4096) == 0);
    CHECK(memory_read(page, to, 4096) && !memory_read(page, to, sizeof to));
    munmap(page, 4096);
    record_close();
}

/* The number of the record's descriptor may have been reused for a file of the program. */
static void nothingIsWrittenToAnotherFile(void) {
    char to[4];
    begin();
    int other = open("/dev/null", O_RDWR);
    int number = host.record_fd;
    CHECK(dup2(other, number) == number);
    CHECK(!memory_read("abc", to, sizeof to));
    close(other);
    record_close();
    CHECK(close(number) == 0);
}

int main(void) {
    RUN(memoryIsCopied);
    RUN(unmappedMemoryIsReported);
    RUN(moreThanTheRecordsUnusedPartIsReadInPieces);
    RUN(longMemoryWhoseEndIsUnmappedIsReported);
    RUN(nothingIsWrittenToAnotherFile);
}
