/* The entry that a host adds to its user's log: its form, and the files to which it is not written. */
#include "../../main/c/log.c"

#include "check.h"

#include <signal.h>

static char folder[] = "/tmp/mayfly-log-test-XXXXXX";
static char file[128];

static bool take(const char *bytes, size_t length) {
    /* A copy of the exact size, to detect a read beyond its end. */
    uint8_t *copy = malloc(length == 0 ? 1 : length);
    memcpy(copy, bytes, length);
    bool taken = log_take(&(struct bytes){copy, length});
    free(copy);
    return taken;
}

static void take_file(const char *name) {
    char bytes[256];
    int length = snprintf(bytes, sizeof bytes, "%s/%s%c\"what\":\"gone\"}", folder, name, 0);
    CHECK(take(bytes, (size_t)length));
    snprintf(file, sizeof file, "%s/%s", folder, name);
}

static void make_file(mode_t mode, const char *content) {
    unlink(file);
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content) && fchmod(fd, mode) == 0);
    close(fd);
}

static const char *content(void) {
    static char text[512];
    int fd = open(file, O_RDONLY);
    ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    close(fd);
    text[length < 0 ? 0 : length] = 0;
    return text;
}

static void anEntryIsAppendedAsALine(void) {
    take_file("log");
    make_file(0600, "before\n");
    log_gone();
    int year;
    char rest[64];
    CHECK(sscanf(content(), "before\n{\"time\":\"%d-%*d-%*dT%*d:%*d:%*d.%*9dZ\",%63s", &year, rest) == 2);
    CHECK(year >= 2026 && strcmp(rest, "\"what\":\"gone\"}") == 0 && content()[strlen(content()) - 1] == '\n');
}

static void theTimeIsThatOfTheCLibrary(void) {
    for (int64_t second = 0; second < 253402300800; second += 86400 * 13 + 12345) {
        char own[MAX_TIME];
        char theirs[MAX_TIME];
        time_t time = (time_t)second;
        struct tm parts;
        log_time((struct timespec){time, 7}, own, sizeof own);
        strftime(theirs, sizeof theirs, "%Y-%m-%dT%H:%M:%S.000000007Z", gmtime_r(&time, &parts));
        CHECK(strcmp(own, theirs) == 0);
    }
}

static void aMissingLogIsNotCreated(void) {
    take_file("none");
    log_gone();
    CHECK(access(file, F_OK) != 0);
}

static void aLinkIsNotFollowed(void) {
    char link[160];
    take_file("target");
    make_file(0600, "theirs");
    snprintf(link, sizeof link, "%s/link", folder);
    CHECK(symlink(file, link) == 0);
    take_file("link");
    log_gone();
    take_file("target");
    CHECK(strcmp(content(), "theirs") == 0);
    unlink(link);
}

static void aFileThatOthersMayWriteToIsNotWritten(void) {
    take_file("log");
    make_file(0622, "open");
    log_gone();
    CHECK(strcmp(content(), "open") == 0);
}

static void aFileOfAnotherUserIsNotWritten(void) {
    take_file("log");
    make_file(0600, "theirs");
    if (geteuid() == 0) {
        CHECK(chown(file, 65534, 65534) == 0);
        log_gone();
        CHECK(strcmp(content(), "theirs") == 0);
    }
    make_file(0600, "ours");
    host.opened_as = geteuid() + 1;     /* the program has changed its user since the attach */
    log_gone();
    CHECK(strcmp(content(), "ours") == 0);
    host.opened_as = geteuid();
}

static void noSignalIsRaisedAtTheLimitOfFileSizes(void) {
    struct rlimit before;
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    take_file("log");
    make_file(0600, "full");
    CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){8, before.rlim_max}) == 0);
    signal(SIGXFSZ, SIG_DFL);
    log_gone();
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(strcmp(content(), "full") == 0);
}

static void aPipeIsNotWaitedFor(void) {
    take_file("log");
    unlink(file);
    CHECK(mkfifo(file, 0600) == 0);
    log_gone();
    unlink(file);
}

static void malformedEntriesAreRefused(void) {
    CHECK(take("", 0));
    CHECK(!take("relative\0x}", 11));
    CHECK(!take("/no/zero", 8));
    CHECK(!take("/a\0b\nc", 6));
    CHECK(!take("/a\0b\0c", 6));
    char *longest = malloc(3 * MAX_PATH);
    memset(longest, '/', 3 * MAX_PATH);
    longest[MAX_PATH + 1] = 0;
    CHECK(!take(longest, MAX_PATH + 3));
    longest[MAX_PATH + 1] = '/';
    longest[1] = 0;
    CHECK(!take(longest, MAX_ENTRY + 3));
    CHECK(take(longest, MAX_ENTRY + 2));
    free(longest);
}

int main(void) {
    host.opened_as = geteuid();
    CHECK(mkdtemp(folder) != NULL);
    RUN(anEntryIsAppendedAsALine);
    RUN(theTimeIsThatOfTheCLibrary);
    RUN(aMissingLogIsNotCreated);
    RUN(aLinkIsNotFollowed);
    RUN(aFileThatOthersMayWriteToIsNotWritten);
    RUN(aFileOfAnotherUserIsNotWritten);
    RUN(noSignalIsRaisedAtTheLimitOfFileSizes);
    RUN(aPipeIsNotWaitedFor);
    RUN(malformedEntriesAreRefused);
    log_forget();
    unlink(file);
    take_file("target");
    unlink(file);
    log_forget();
    take_file("log");
    unlink(file);
    log_forget();
    rmdir(folder);
}
