/*
 * Lines of the JVM's log, and the commands that set it. The log is external data: its lines may be malformed, and its
 * descriptor may refer to another file.
 */
#include "../../main/c/vmlog.c"

#include "check.h"
#include "doubles.h"

#define GOOD "[47090211167000ns][4711] Safepoint \"G1CollectFull\", Time since last: 5 ns, " \
        "Reaching safepoint: 6099 ns, At safepoint: 9077330 ns, Total: 9083429 ns"

static void feed(const char *text) {
    for (; *text != 0; text++) {
        vmlog_take(*text);
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

/* The JVM pads the number of a thread to the width of the longest one that it has written. */
static void decorationsMayBePadded(void) {
    static const char *const lines[] = {
        "[100ns][7   ] Safepoint \"A\", Reaching safepoint: 1 ns, Total: 2 ns",
        "[100ns  ][7 ] Safepoint \"A\", Reaching safepoint: 1 ns, Total: 2 ns",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        CHECK(understands(lines[i]));
        CHECK(queued->kind == UPCALL_KIND_RUNTIME_SUSPENDED && queued->numbers[0] == 98);
    }
    CHECK(understands("[100ns][7   ] Thread is alive (tid: 7, pthread id: 140441682605760)."));
    CHECK(queued->kind == UPCALL_KIND_LOG_LINE && queued->numbers[0] == 100 && queued->numbers[2] == 7);
    CHECK(strcmp(queued->text[0], "Thread is alive (tid: 7, pthread id: 140441682605760).") == 0);
}

static void fieldsAfterTheTotalAreIgnored(void) {
    CHECK(understands(GOOD ", Threads: 12"));
    CHECK(queued->numbers[2] == 9083429);
}

static void linesWithoutATimeAndMalformedSafepointsCountAsLost(void) {
    static const char *const lines[] = {
        "", "[", "[]", "[1ns]", "[1ns]x", "[1ns] ", "[1ns][", "[1ns][x] ", "[1ns][-1] ", "[1ns][1]", "[1ns][1]x",
        "[1ns][1 ]", "[1ns][1 ", "[1ns][1 x] ", "[1ns ][ ] ", "[1ns x][1] ", "[1 ns][1] ", "[1ns][1", "[1ns] [1] ",
        "GC(1) Pause Full 1.0ms",
        "[x][7] Safepoint \"A\", Reaching safepoint: 1 ns, Total: 2 ns",
        "[100ns][7] Safepoint \"A, Reaching safepoint: 1 ns, Total: 2 ns",
        "[100ns][7] Safepoint \"A\", Total: 2 ns", "[100ns][7] Safepoint \"A\", Reaching safepoint: 1 ns",
        "[100ns][7] Safepoint \"A\", Reaching safepoint: 3 ns, Total: 2 ns",
        "[100ns][7] Safepoint \"A\", Reaching safepoint: -1 ns, Total: 2 ns",
        "[100ns][7] Safepoint \"A\", Reaching safepoint: 1 ns, Total: 101 ns",
        "[-100ns][7] Safepoint \"A\", Reaching safepoint: 1 ns, Total: 2 ns",
        "[100ns][7] Safepoint \"A\", Reaching safepoint: 1 ns, Total: 99999999999999999999999 ns",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        CHECK(!understands(lines[i]));
    }
}

static void linesOfTheTopicsAreForTheJavaHalf(void) {
    static const struct {
        const char *text;
        enum log_topic topic;
    } lines[] = {
        {"GC(8) Pause Young (Normal) (G1 Evacuation Pause) 6M->1M(10M) 3.184ms", LOG_TOPIC_COLLECTION},
        {"GC(5) Y: Pause Mark Start (Major) 0.005ms", LOG_TOPIC_COLLECTION},
        {"Thread \"Unknown thread\" started (pthread id: 140441682605760, attributes: detached). ", LOG_TOPIC_THREAD},
        {"Thread is alive (tid: 10866, pthread id: 140441682605760).", LOG_TOPIC_THREAD},
        {"JavaThread exiting (name: \"short-x\", tid: 12054).", LOG_TOPIC_THREAD},
        {"B source: file:/tmp/", LOG_TOPIC_CLASS},
        {" klass: 0x000000000c041800 super: 0x000000000b172020", LOG_TOPIC_CLASS},
        {"unloading class B 0x000000000c041800", LOG_TOPIC_CLASS},
        {"   5       3       T::f (18 bytes)", LOG_TOPIC_COMPILATION_START},
        {"cid=  12     level=4 T.f()I trap_bci=1 class_check none pc=0x1 relative_pc=0x1", LOG_TOPIC_DEOPTIMIZATION},
        {"define_module(): creation of module: m, version: 1, location: null, loader data: 0x10 of 'bootstrap', x",
            LOG_TOPIC_MODULE},
        {"unloadloader data: 0x00007f2c34135250 of jdk.internal.loader.Loader @1be6f5c3", LOG_TOPIC_MODULE},
        {"Installing method (3) java.lang.String.indexOf(I)I ", LOG_TOPIC_COMPILATION},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        queued_free();
        feed("[100ns][7] ");
        feed(lines[i].text);
        feed("\n");
        CHECK(queued != NULL && queued->kind == UPCALL_KIND_LOG_LINE && queued->numbers[0] == 100);
        CHECK(queued->numbers[1] == (jlong)lines[i].topic && queued->numbers[2] == 7);
        CHECK(strcmp(queued->text[0], lines[i].text) == 0);
    }
}

static jlong link_of(const char *line) {
    queued_free();
    feed(line);
    feed("\n");
    CHECK(queued != NULL);
    return queued->numbers[4];
}

static void aPauseHasTheNumberOfTheSuspensionWhoseLineFollows(void) {
    static const char pause[] = "[47090211167000ns][4711] GC(8) Pause Full (System.gc()) 6M->1M(10M) 3.184ms";
    vmlog_has_suspensions = true;
    jlong first = link_of(pause);
    CHECK(first > 0 && link_of(pause) == first && link_of(GOOD) == first);
    jlong second = link_of(pause);
    CHECK(second == first + 1 && link_of(GOOD) == second);
    CHECK(link_of(GOOD) == second + 1);
    jlong cut = link_of(pause);
    feed("[100ns][7] Safepoint \"A\n");
    CHECK(link_of(pause) == cut + 1);
    vmlog_has_suspensions = false;
    CHECK(link_of(pause) == 0);
}

#define CREATED(pthread) "[5ns][7] Thread \"pthread id: 1\" started (pthread id: " #pthread ", attributes: detached). "
#define STARTS(pthread) "[6ns][8] Thread is alive (tid: 8, pthread id: " #pthread ")."

static void aThreadThatStartsHasTheNumberOfItsCreation(void) {
    jlong first = link_of(CREATED(21));
    jlong second = link_of(CREATED(22));
    CHECK(first > 0 && second == first + 1);
    CHECK(link_of(STARTS(22)) == second && link_of(STARTS(21)) == first);
    CHECK(link_of(STARTS(21)) == 0 && link_of(STARTS(1)) == 0);
    jlong third = link_of(CREATED(21));
    CHECK(link_of("[6ns][8] Thread attached (tid: 8, pthread id: 21, stack: 0 - 0 (8192K) ).") == 0);
    jlong again = link_of(CREATED(21));
    CHECK(again == third + 1 && link_of(STARTS(21)) == again && link_of(STARTS(21)) == 0);
    CHECK(link_of("[6ns][8] JavaThread exiting (name: \"pthread id: 21\", tid: 8).") == 0);
}

static void onlyTheLastCreationsAreKnown(void) {
    link_of(CREATED(21));
    for (int i = 0; i < MAX_CREATED - 1; i++) {
        link_of(CREATED(22));
    }
    CHECK(link_of(STARTS(21)) > 0);
    link_of(CREATED(21));
    for (int i = 0; i < MAX_CREATED; i++) {
        link_of(CREATED(22));
    }
    CHECK(link_of(STARTS(21)) == 0 && link_of(STARTS(22)) > 0 && link_of(STARTS(22)) == 0);
}

static void otherLinesAreIgnored(void) {
    static const char *const lines[] = {
        "[1ns][7] ", "[1ns][7] GC(8)   Evacuate Collection Set: 2.9ms",
        "[1ns][7] Thread finished (tid: 1, pthread id: 2).",
        "[1ns][7] add_reads_module(): Adding read from module m to module java.base",
        "[1ns][7] Adding k: 0x10 A to loader data: 0x20 of 'bootstrap'", "[1ns][7] create loader data: 0x10 of A",
        "[1ns][7] set_secondary_supers: hash_slot: 52; klass: [Ljava.lang.String;",
    };
    int before = lost_events;
    queued_free();
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        feed(lines[i]);
        feed("\n");
        CHECK(queued == NULL && lost_events == before);
    }
}

static void aLineBeyondTheBufferIsCut(void) {
    for (int i = 0; i < 10 * MAX_LINE; i++) {
        vmlog_take('"');
    }
    CHECK(!understands(""));
    feed(GOOD);
    for (int i = 0; i < 10 * MAX_LINE; i++) {
        vmlog_take('x');
    }
    CHECK(understands(""));
    CHECK(queued->numbers[2] == 9083429);
    CHECK(understands(GOOD));
}

static void arbitraryBytesLeaveTheNextLineReadable(void) {
    for (int length = 0; length < 2 * MAX_LINE; length++) {
        vmlog_take((char)(length * 7));
    }
    vmlog_take(0);
    understands("");
    CHECK(understands(GOOD));
}

static void aLogThatIsWrittenInPiecesIsReadOnce(void) {
    int before = lost_events;
    CHECK(vmlog_open());
    static const char text[] = GOOD "\n";
    for (size_t i = 0; i < sizeof text - 1; i += 7) {
        size_t count = sizeof text - 1 - i < 7 ? sizeof text - 1 - i : 7;
        CHECK(write(vmlog_fd_of_file, text + i, count) == (ssize_t)count);
        vmlog_read();
    }
    CHECK(queued != NULL && queued->numbers[1] == 6099);
    queued_free();
    vmlog_read();
    CHECK(queued == NULL && lost_events == before);
    vmlog_close();
    CHECK(vmlog_fd() == -1);
    vmlog_read();
}

/* ---- Commands: a scripted JVM ---- */

static uint64_t log_delay;      /* until the next attempt to restore the log; 0 if none is planned */

void timer_log_after(uint64_t nanos) {
    log_delay = nanos;
}

static char commands[16][192];
static int command_count;
static int fails_at = -1;                   /* the command with this index has this outcome */
static enum command_outcome failure_outcome;

enum command_outcome command_run_silent(const char *command, const char *remark) {
    (void)remark;
    CHECK(command_count < 16);
    snprintf(commands[command_count], sizeof commands[0], "%s", command);
    return command_count++ == fails_at ? failure_outcome : COMMAND_DONE;
}

static bool sent(int index, const char *what) {
    char words[64];
    snprintf(words, sizeof words, " what=%s decorators=timenanos,tid ", what);
    return index < command_count && strstr(commands[index], words) != NULL;
}

static void begin_commands(int failing, enum command_outcome outcome) {
    command_count = 0;
    fails_at = failing;
    failure_outcome = outcome;
}

static void eachEventHasTheCommandsOfItsTags(void) {
    begin_commands(-1, COMMAND_DONE);
    CHECK(vmlog_set(EVENT_BIT_SUSPENSIONS));
    CHECK(command_count == 1 && sent(0, "safepoint=info"));
    CHECK(vmlog_set(EVENT_BIT_SUSPENSIONS | EVENT_BIT_CLASS_LOADS));
    CHECK(command_count == 3 && sent(1, "class+load=debug") && sent(2, "class+unload=info"));
    CHECK(vmlog_set(EVENT_BIT_CLASS_LOADS));
    CHECK(command_count == 4 && sent(3, "safepoint=off"));
    CHECK(vmlog_set(EVENT_BIT_CLASS_LOADS) && command_count == 4 && vmlog_fd() >= 0);
    CHECK(vmlog_set(0));
    CHECK(command_count == 5 && sent(4, "all=off") && vmlog_fd() == -1);
}

/* The line of the suspension that has a pause may be missing if it began before the JVM logged suspensions. */
static void suspensionsOfPausesAreKnownWhileTheJvmLogsThem(void) {
    begin_commands(-1, COMMAND_DONE);
    CHECK(vmlog_set(EVENT_BIT_GARBAGE_COLLECTIONS) && !vmlog_has_suspensions);
    jlong before = vmlog_suspension;
    CHECK(vmlog_set(EVENT_BIT_GARBAGE_COLLECTIONS | EVENT_BIT_SUSPENSIONS));
    CHECK(vmlog_has_suspensions && vmlog_suspension == before + 1);
    CHECK(vmlog_set(EVENT_BIT_GARBAGE_COLLECTIONS) && !vmlog_has_suspensions);
    begin_commands(0, COMMAND_UNANSWERED);
    CHECK(!vmlog_set(EVENT_BIT_GARBAGE_COLLECTIONS | EVENT_BIT_SUSPENSIONS) && !vmlog_has_suspensions);
    fails_at = -1;
    CHECK(vmlog_set(EVENT_BIT_SUSPENSIONS) && vmlog_has_suspensions);
    CHECK(vmlog_set(0) && !vmlog_has_suspensions);
}

/* Without a tag in between, the JVM would close the output, and truncate the file when it opens it again. */
static void newTagsAreSwitchedOnBeforeOthersAreSwitchedOff(void) {
    begin_commands(-1, COMMAND_DONE);
    CHECK(vmlog_set(EVENT_BIT_SUSPENSIONS));
    CHECK(vmlog_set(EVENT_BIT_COMPILATIONS));
    CHECK(command_count == 4 && sent(1, "jit+compilation=debug") && sent(2, "nmethod+install=info"));
    CHECK(sent(3, "safepoint=off"));
    CHECK(vmlog_set(0));
}

static void aTruncatedLogIsReadFromItsBeginningAndCountsAsALoss(void) {
    static const char text[] = GOOD "\n";
    CHECK(vmlog_open());
    CHECK(write(vmlog_fd_of_file, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    CHECK(write(vmlog_fd_of_file, text, 20) == 20);
    vmlog_read();
    int before = lost_events;
    CHECK(ftruncate(vmlog_fd_of_file, 0) == 0);
    CHECK(pwrite(vmlog_fd_of_file, text, sizeof text - 1, 0) == (ssize_t)sizeof text - 1);
    jlong suspension = vmlog_suspension;
    vmlog_read();
    CHECK(vmlog_suspension == suspension + 2);
    CHECK(lost_events == before + 1 && queued != NULL && queued->numbers[1] == 6099);
    vmlog_close();
}

static void aRefusedTagLeavesTheOthers(void) {
    begin_commands(1, COMMAND_REFUSED);
    CHECK(vmlog_set(EVENT_BIT_SUSPENSIONS));
    CHECK(!vmlog_set(EVENT_BIT_SUSPENSIONS | EVENT_BIT_THREADS));
    CHECK(vmlog_set(EVENT_BIT_SUSPENSIONS) && command_count == 2 && vmlog_fd() >= 0);
    CHECK(vmlog_set(0));
}

static void aFirstTagThatIsRefusedLeavesNoLog(void) {
    begin_commands(0, COMMAND_REFUSED);
    CHECK(!vmlog_set(EVENT_BIT_THREADS));
    CHECK(vmlog_fd() == -1 && command_count == 1);
    CHECK(vmlog_set(0) && command_count == 1);
}

/* The JVM may execute the command later. */
static void anUnansweredCommandIsFollowedByOneThatStopsTheLog(void) {
    begin_commands(0, COMMAND_UNANSWERED);
    CHECK(!vmlog_set(EVENT_BIT_THREADS));
    fails_at = 1;
    CHECK(!vmlog_set(EVENT_BIT_THREADS));
    CHECK(sent(1, "all=off"));
    CHECK(vmlog_set(EVENT_BIT_THREADS));
    CHECK(command_count == 4 && sent(2, "all=off") && sent(3, "os+thread=info"));
    CHECK(vmlog_set(0));
}

static void aLogThatIsRestoredAtOnceIsNoLoss(void) {
    int before = lost_events;
    begin_commands(1, COMMAND_REFUSED);
    log_delay = 0;
    CHECK(vmlog_set(EVENT_BIT_SUSPENSIONS));
    CHECK(!vmlog_set(EVENT_BIT_THREADS));
    vmlog_restore(EVENT_BIT_SUSPENSIONS);
    CHECK(lost_events == before && log_delay == 0);
    CHECK(vmlog_set(0));
}

static void aLogThatIsNotRestoredIsOneLossAndIsTriedAgainLaterAndLater(void) {
    int before = lost_events;
    begin_commands(1, COMMAND_UNANSWERED);
    CHECK(vmlog_set(EVENT_BIT_SUSPENSIONS));
    CHECK(!vmlog_set(EVENT_BIT_THREADS));
    fails_at = 2;
    vmlog_restore(EVENT_BIT_SUSPENSIONS);
    CHECK(sent(2, "all=off") && lost_events == before + 1 && log_delay == 1000000000);
    for (int attempt = 1; attempt <= 8; attempt++) {
        begin_commands(0, COMMAND_UNANSWERED);
        vmlog_restore_again();
        CHECK(command_count == 1 && log_delay == (attempt < 6 ? 1000000000ull << attempt : 64000000000));
    }
    begin_commands(-1, COMMAND_DONE);
    log_delay = 0;
    vmlog_restore_again();
    CHECK(command_count == 2 && sent(0, "all=off") && sent(1, "safepoint=info") && lost_events == before + 1);
    vmlog_restore_again();
    CHECK(command_count == 2 && log_delay == 0 && vmlog_set(EVENT_BIT_SUSPENSIONS) && command_count == 2);
    CHECK(vmlog_set(0));
}

/* The profiler may choose other events before the next attempt. */
static void aLogThatWasSetInTheMeantimeIsNotReplacedByTheRestoredOne(void) {
    begin_commands(0, COMMAND_REFUSED);
    vmlog_restore(EVENT_BIT_SUSPENSIONS);
    CHECK(command_count == 1);
    CHECK(vmlog_set(EVENT_BIT_THREADS) && command_count == 2);
    vmlog_restore_again();
    CHECK(command_count == 2 && vmlog_set(EVENT_BIT_THREADS) && command_count == 2);
    CHECK(vmlog_set(0));
}

/* The last tests: the log stays off. */
static void anEndedLogIsNotRestored(void) {
    begin_commands(0, COMMAND_UNANSWERED);
    vmlog_restore(EVENT_BIT_SUSPENSIONS);
    fails_at = 1;
    CHECK(!vmlog_end() && sent(1, "all=off"));
    vmlog_restore_again();
    CHECK(command_count == 2);
    CHECK(vmlog_end() && command_count == 3);
}

static void anEndedLogIsNotSwitchedOnAgain(void) {
    CHECK(!vmlog_set(EVENT_BIT_SUSPENSIONS) && vmlog_end() && vmlog_fd() == -1);
}

int main(void) {
    RUN(eachEventHasTheCommandsOfItsTags);
    RUN(suspensionsOfPausesAreKnownWhileTheJvmLogsThem);
    RUN(newTagsAreSwitchedOnBeforeOthersAreSwitchedOff);
    RUN(aTruncatedLogIsReadFromItsBeginningAndCountsAsALoss);
    RUN(aRefusedTagLeavesTheOthers);
    RUN(aFirstTagThatIsRefusedLeavesNoLog);
    RUN(anUnansweredCommandIsFollowedByOneThatStopsTheLog);
    RUN(aLogThatIsRestoredAtOnceIsNoLoss);
    RUN(aLogThatIsNotRestoredIsOneLossAndIsTriedAgainLaterAndLater);
    RUN(aLogThatWasSetInTheMeantimeIsNotReplacedByTheRestoredOne);
    RUN(aWholeLineIsAnEvent);
    RUN(decorationsMayBePadded);
    RUN(fieldsAfterTheTotalAreIgnored);
    RUN(linesWithoutATimeAndMalformedSafepointsCountAsLost);
    RUN(linesOfTheTopicsAreForTheJavaHalf);
    RUN(aPauseHasTheNumberOfTheSuspensionWhoseLineFollows);
    RUN(aThreadThatStartsHasTheNumberOfItsCreation);
    RUN(onlyTheLastCreationsAreKnown);
    RUN(otherLinesAreIgnored);
    RUN(aLineBeyondTheBufferIsCut);
    RUN(arbitraryBytesLeaveTheNextLineReadable);
    RUN(aLogThatIsWrittenInPiecesIsReadOnce);
    RUN(anEndedLogIsNotRestored);
    RUN(anEndedLogIsNotSwitchedOnAgain);
    queued_free();
}
