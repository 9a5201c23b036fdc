/* The record as the host writes it: the struct, and the bytes that other processes read. */
#include "../../main/c/record.c"

#include "check.h"
#include "golden.h"

#include <fcntl.h>

static void theGoldenRecordHasTheFieldsOfTheStruct(void) {
    size_t length;
    uint8_t *bytes = golden_read("record.bin", &length);
    struct record record;
    CHECK(length == sizeof record);
    memcpy(&record, bytes, sizeof record);
    CHECK(memcmp(record.magic, HOST_RECORD_FILE_MAGIC, sizeof record.magic) == 0 && record.sequence == 6);
    CHECK(record.state == HOST_STATE_PINNED && record.request[0] == 0xa0 && record.request[15] == 0xaf);
    CHECK(record.attached_at == 1000000000001 && record.detach_at == 1000000000002);
    CHECK(record.detach_expected == 5000000000 && record.callbacks == 3);
    CHECK(record.jvmti == 1 && record.remaining_classes == 1);
    CHECK(record.lost == 4 && record.thrown == 5 && record.runtime == 2 && record.library == 0x7f0012345000);
    CHECK(record.collections == 6 && record.collecting == 7000000);
    CHECK(record.replaced_frames == 8);
    CHECK(record.unmarked_redefinitions == 9);
    CHECK(record.code == 0x7f006789a000 && record.thread == 4710);
    CHECK(record.stops_listener == 1);
    CHECK(strcmp(record.channel, "/tmp/.mayfly-17-0011223344556677/s") == 0);
    CHECK(strcmp(record.profiler, "com.example.Profiler") == 0 && strcmp(record.pinned_by, "thread \"x\"") == 0);
    struct running *last = &record.running[HOST_RECORD_FILE_SLOTS - 1];
    CHECK(last->tid == 4711 && last->kind == UPCALL_KIND_CLASS_LOADED && last->since == 1000000000003);
    free(bytes);
}

static void eachChangeIsBetweenTwoStepsOfTheSequence(void) {
    pthread_mutex_init(&host.lock, NULL);
    CHECK(!record_find());
    CHECK(record_open(HOST_STATE_INITIALIZING) == 0 && record_find());
    struct record *record = host.record;
    CHECK(memcmp(record->magic, HOST_RECORD_FILE_MAGIC, 8) == 0 && record->state == HOST_STATE_INITIALIZING);
    record_publish(HOST_STATE_PINNED, 0, "thread \"x\"");
    CHECK(record->state == HOST_STATE_PINNED && strcmp(record->pinned_by, "thread \"x\"") == 0
            && record->sequence == 2);
    record_publish(HOST_STATE_DETACHING, 0, "");
    CHECK(record->state == HOST_STATE_DETACHING && record->pinned_by[0] == 0 && record->sequence == 4);
    CHECK(record->detach_at == 0);
    record_publish(HOST_STATE_DETACHING, 7, "");
    CHECK(record->detach_at != 0 && record->detach_expected == 7 && record->sequence == 6);
    record_close();
    CHECK(!record_find());
}

static void theRecordNamesTheJvmTheLibraryAndTheThread(void) {
    Dl_info own;
    pthread_mutex_init(&host.lock, NULL);
    host.library = 0x7f0012345000;
    CHECK(record_open(HOST_STATE_INITIALIZING) == 0 && dladdr((void *)(uintptr_t)&record_open, &own) != 0);
    CHECK(host.record->library == 0x7f0012345000 && host.record->code == (uint64_t)(uintptr_t)own.dli_fbase);
    CHECK(host.record->thread == 0);
    record_thread();
    CHECK(host.record->thread == (uint32_t)getpid());
    record_close();
    host.library = 0;
}

static void theHostOfAnotherJvmIsNotFoundAndIsLeftTheListener(void) {
    host.library = 0x7f0012345000;
    CHECK(!record_leave_listener());
    CHECK(record_open(HOST_STATE_INITIALIZING) == 0 && record_find());
    CHECK(!record_leave_listener() && host.record->stops_listener == 0);
    host.library = 0x7f0012346000;
    CHECK(!record_find());
    CHECK(record_leave_listener() && host.record->stops_listener == 1);
    record_close();
    host.library = 0;
}

/* Each host refuses before it looks for another one, so whatever the order, none leaves the listener to the other. */
static void aHostThatIsEndingIsNotLeftTheListener(void) {
    host.library = 0x7f0012345000;
    CHECK(record_open(HOST_STATE_INITIALIZING) == 0);
    CHECK(!record_refuse_listener());
    host.library = 0x7f0012346000;
    CHECK(!record_leave_listener() && host.record->stops_listener == LISTENER_REFUSED);
    host.record->stops_listener = LISTENER_LEFT;
    CHECK(record_leave_listener() && record_refuse_listener() && !record_refuse_listener());
    record_close();
    host.library = 0;
}

static void aHostThatIsNotEndingIsLeftTheListenerBesideOneThatIs(void) {
    struct record *records[3];
    int fds[3];
    for (int i = 0; i < 3; i++) {
        host.library = 0x7f0012345000 + (uint64_t)i * 0x1000;
        CHECK(record_open(HOST_STATE_INITIALIZING) == 0);
        records[i] = host.record;
        fds[i] = host.record_fd;
        records[i]->stops_listener = i == 1 ? LISTENER_NOT_LEFT : LISTENER_REFUSED;
    }
    host.library = 0x7f0012349000;
    CHECK(record_leave_listener() && records[1]->stops_listener == LISTENER_LEFT);
    CHECK(records[0]->stops_listener == LISTENER_REFUSED && records[2]->stops_listener == LISTENER_REFUSED);
    for (int i = 0; i < 3; i++) {
        munmap(records[i], sizeof(struct record));
        close(fds[i]);
    }
    CHECK(!record_leave_listener());
    host.record = NULL;
    host.library = 0;
}

/* A host of another version; a mapping beyond the end of the file would raise SIGBUS. */
static void aRecordThatIsTooShortIsNotWritten(void) {
    char name[RECORD_LINK_BYTES];
    host.library = 0x7f0012345000;
    record_name(name, 0x7f0012346000);
    int fd = (int)syscall(SYS_memfd_create, name, CLOEXEC);
    CHECK(fd >= 0 && ftruncate(fd, 100) == 0 && !record_leave_listener());
    close(fd);
    host.library = 0;
}

static void aDescriptorReusedForAnotherFileStaysOpen(void) {
    CHECK(record_open(HOST_STATE_INITIALIZING) == 0);
    int number = host.record_fd;
    int other = open("/dev/null", O_RDONLY);
    CHECK(dup2(other, number) == number);
    close(other);
    record_close();
    CHECK(host.record_fd == -1 && close(number) == 0);
}

int main(void) {
    RUN(theGoldenRecordHasTheFieldsOfTheStruct);
    RUN(theRecordNamesTheJvmTheLibraryAndTheThread);
    RUN(theHostOfAnotherJvmIsNotFoundAndIsLeftTheListener);
    RUN(aHostThatIsEndingIsNotLeftTheListener);
    RUN(aHostThatIsNotEndingIsLeftTheListenerBesideOneThatIs);
    RUN(aRecordThatIsTooShortIsNotWritten);
    RUN(aDescriptorReusedForAnotherFileStaysOpen);
    RUN(eachChangeIsBetweenTwoStepsOfTheSequence);
}
