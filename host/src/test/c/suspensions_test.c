/*
 * Lines of the JVM's safepoint log. The log is external data: its lines may be malformed, and its descriptor may refer
 * to another file.
 */
#include "../../main/c/suspensions.c"

#include "check.h"
#include "doubles.h"

#define GOOD "[47090211167000ns] Safepoint \"G1CollectFull\", Time since last: 5 ns, Reaching safepoint: 6099 ns, " \
        "At safepoint: 9077330 ns, Total: 9083429 ns"

static void feed(const char *text) {
    for (; *text != 0; text++) {
        safepoint_take(*text);
    }
}

static bool understands(const char *text) {
    int before = lost_events;
    feed(text);
    feed("\n");
    CHECK((queued == NULL) == (lost_events == before + 1));
    return queued != NULL;
}

static void aWholeLineIsAnEvent(void) {
    CHECK(understands(GOOD));
    CHECK(queued->kind == UPCALL_KIND_RUNTIME_SUSPENDED);
    CHECK(queued->numbers[0] == 47090211167000 - 9083429);
    CHECK(queued->numbers[1] == 6099 && queued->numbers[2] == 9083429);
    CHECK(strcmp(queued->text[0], "G1CollectFull") == 0);
}

static void fieldsAfterTheTotalAreIgnored(void) {
    CHECK(understands(GOOD ", Threads: 12"));
    CHECK(queued->numbers[2] == 9083429);
}

static void otherLinesCountAsLost(void) {
    static const char *const lines[] = {
        "", "[", "[]", "[1ns]", "[x] Safepoint \"A\", Reaching safepoint: 1 ns, Total: 2 ns",
        "[100ns] Safepoint \"A, Reaching safepoint: 1 ns, Total: 2 ns",
        "[100ns] Safepoint \"A\", Total: 2 ns", "[100ns] Safepoint \"A\", Reaching safepoint: 1 ns",
        "[100ns] Safepoint \"A\", Reaching safepoint: 3 ns, Total: 2 ns",
        "[100ns] Safepoint \"A\", Reaching safepoint: -1 ns, Total: 2 ns",
        "[100ns] Safepoint \"A\", Reaching safepoint: 1 ns, Total: 101 ns",
        "[-100ns] Safepoint \"A\", Reaching safepoint: 1 ns, Total: 2 ns",
        "[100ns] Safepoint \"A\", Reaching safepoint: 1 ns, Total: 99999999999999999999999 ns",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        CHECK(!understands(lines[i]));
    }
}

static void aLineBeyondTheBufferIsCut(void) {
    for (int i = 0; i < 10 * MAX_LINE; i++) {
        safepoint_take('"');
    }
    CHECK(!understands(""));
    feed(GOOD);
    for (int i = 0; i < 10 * MAX_LINE; i++) {
        safepoint_take('x');
    }
    CHECK(understands(""));
    CHECK(queued->numbers[2] == 9083429);
    CHECK(understands(GOOD));
}

static void arbitraryBytesLeaveTheNextLineReadable(void) {
    for (int length = 0; length < 2 * MAX_LINE; length++) {
        safepoint_take((char)(length * 7));
    }
    safepoint_take(0);
    understands("");
    CHECK(understands(GOOD));
}

static void aLogThatIsWrittenInPiecesIsReadOnce(void) {
    int before = lost_events;
    CHECK(safepoint_log_open());
    static const char text[] = GOOD "\n";
    for (size_t i = 0; i < sizeof text - 1; i += 7) {
        size_t count = sizeof text - 1 - i < 7 ? sizeof text - 1 - i : 7;
        CHECK(write(safepoint_log_fd, text + i, count) == (ssize_t)count);
        suspensions_read();
    }
    CHECK(queued != NULL && queued->numbers[1] == 6099);
    queued_free();
    suspensions_read();
    CHECK(queued == NULL && lost_events == before);
    safepoint_log_close();
    CHECK(suspensions_fd() == -1);
    suspensions_read();
}

int main(void) {
    RUN(aWholeLineIsAnEvent);
    RUN(fieldsAfterTheTotalAreIgnored);
    RUN(otherLinesCountAsLost);
    RUN(aLineBeyondTheBufferIsCut);
    RUN(arbitraryBytesLeaveTheNextLineReadable);
    RUN(aLogThatIsWrittenInPiecesIsReadOnce);
    queued_free();
}
