/* The request by which a trigger attaches a profiler: the parts of its payload, and what the library keeps of it. */
#include "../../main/c/attach.c"

#include "check.h"
#include "golden.h"

static struct record shared;
static uint32_t ranked;
static size_t logged;           /* the length of the event log's blob */
static bool log_is_malformed;

/* Doubles: the record, the log, and a process in which this JVM is the third. */
void record_text(char *field, size_t size, const char *text) {
    CHECK(strlen(text) < size);
    strcpy(field, text);
}

void record_rank(uint32_t rank) {
    ranked = rank;
}

bool log_take(const struct bytes *named) {
    logged = named->length;
    return !log_is_malformed;
}

uint32_t runtime_rank(void) {
    return 3;
}

/* Reads a copy of the payload, in an allocation of exactly its size. */
static enum failure read_copy(const uint8_t *bytes, size_t length, struct attach *attach, struct bytes *copy) {
    *copy = (struct bytes){malloc(length), length};
    memcpy(copy->at, bytes, length);
    memset(&shared, 0, sizeof shared);
    host.record = &shared;
    return attach_read(copy, attach);
}

static void theGoldenAttachIsSplitIntoItsBlobs(void) {
    struct attach attach;
    struct bytes copy;
    size_t length;
    uint8_t *message = golden_read("attach.bin", &length);
    CHECK(read_copy(message + MESSAGE_SIZE_HEAD, length - MESSAGE_SIZE_HEAD, &attach, &copy) == FAILURE_NONE);
    const struct bytes *loader = &attach.blobs[ATTACH_BLOB_LOADER_CLASS];
    CHECK(loader->length == 6 && memcmp(loader->at, "loader", 6) == 0);
    CHECK(strcmp(shared.profiler, "com.example.Profiler") == 0);
    CHECK(ranked == 2 && logged == 0);
    CHECK(host.lasting_cost_accepted && !host.at_launch);
    free(copy.at);
    free(message);
}

static void eachShorterAttachIsMalformed(void) {
    struct attach attach;
    struct bytes copy;
    size_t length;
    uint8_t *message = golden_read("attach.bin", &length);
    for (size_t cut = ATTACH_OFFSET_BLOBS; cut < length - MESSAGE_SIZE_HEAD; cut++) {
        CHECK(read_copy(message + MESSAGE_SIZE_HEAD, cut, &attach, &copy) == FAILURE_MALFORMED_ATTACH);
        free(copy.at);
    }
    free(message);
}

static void anAttachWithAMalformedLogIsMalformed(void) {
    struct attach attach;
    struct bytes copy;
    size_t length;
    uint8_t *message = golden_read("attach.bin", &length);
    log_is_malformed = true;
    CHECK(read_copy(message + MESSAGE_SIZE_HEAD, length - MESSAGE_SIZE_HEAD, &attach, &copy)
            == FAILURE_MALFORMED_ATTACH);
    log_is_malformed = false;
    free(copy.at);
    free(message);
}

/* A request at launch has no rank. The Java half reads it from the request. */
static void aRankThatTheTriggerDoesNotKnowIsWrittenIntoTheRequest(void) {
    struct attach attach;
    struct bytes copy;
    size_t length;
    uint8_t *message = golden_read("attach.bin", &length);
    uint8_t *payload = message + MESSAGE_SIZE_HEAD;
    CHECK(read_copy(payload, length - MESSAGE_SIZE_HEAD, &attach, &copy) == FAILURE_NONE);
    bytes_put_word(payload + (attach.blobs[ATTACH_BLOB_RUNTIME].at - copy.at) + RUNTIME_OFFSET_RANK, 0);
    free(copy.at);
    host.library = 0x7f00aaaa0000;
    CHECK(read_copy(payload, length - MESSAGE_SIZE_HEAD, &attach, &copy) == FAILURE_NONE);
    const uint8_t *runtime = attach.blobs[ATTACH_BLOB_RUNTIME].at;
    CHECK(ranked == 3);
    CHECK(bytes_word(runtime + RUNTIME_OFFSET_RANK) == 3
            && bytes_long(runtime + RUNTIME_OFFSET_LIBRARY) == 0x7f00aaaa0000);
    free(copy.at);
    free(message);
}

static void aProfilerForTheFirstJvmIsRefusedInALaterOne(void) {
    struct attach attach;
    struct bytes copy;
    size_t length;
    uint8_t *message = golden_read("attach.bin", &length);
    uint8_t *payload = message + MESSAGE_SIZE_HEAD;
    bytes_put_word(payload + ATTACH_OFFSET_FLAGS, ATTACH_FLAG_FIRST_ONLY);
    CHECK(read_copy(payload, length - MESSAGE_SIZE_HEAD, &attach, &copy) == FAILURE_NOT_FIRST && ranked == 2);
    bytes_put_word(payload + (attach.blobs[ATTACH_BLOB_RUNTIME].at - copy.at) + RUNTIME_OFFSET_RANK, 1);
    free(copy.at);
    CHECK(read_copy(payload, length - MESSAGE_SIZE_HEAD, &attach, &copy) == FAILURE_NONE && ranked == 1);
    free(copy.at);
    free(message);
}

static void aLongNameOfTheProfilerIsCut(void) {
    char name[2 * RECORD_SIZE_PROFILER];
    memset(name, 'x', sizeof name);
    memset(&shared, 0, sizeof shared);
    attach_note_profiler(&(struct bytes){(uint8_t *)name, sizeof name});
    CHECK(strlen(shared.profiler) == RECORD_SIZE_PROFILER - 1);
}

int main(void) {
    RUN(theGoldenAttachIsSplitIntoItsBlobs);
    RUN(eachShorterAttachIsMalformed);
    RUN(anAttachWithAMalformedLogIsMalformed);
    RUN(aRankThatTheTriggerDoesNotKnowIsWrittenIntoTheRequest);
    RUN(aProfilerForTheFirstJvmIsRefusedInALaterOne);
    RUN(aLongNameOfTheProfilerIsCut);
}
