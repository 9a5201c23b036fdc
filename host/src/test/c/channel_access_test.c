/* The opening of the channel, and the clients that it accepts. */
#include "channel_clients.h"

static void aClientBeyondTheLimitIsClosed(void) {
    int fds[CLIENTS];
    begin();
    for (int i = 0; i < CLIENTS; i++) {
        fds[i] = client();
    }
    CHECK(is_closed(client()));
    for (int i = 0; i < CLIENTS; i++) {
        close(fds[i]);
    }
    end();
}

static void theOpenChannelHasNoSocketOrDirectoryInTheFileSystem(void) {
    begin();
    CHECK(access(host.socket_path, F_OK) != 0);
    *strrchr(host.socket_path, '/') = 0;
    CHECK(access(host.socket_path, F_OK) != 0);
    end();
}

/* A program may close descriptors that it did not open, and then open files of its own. */
static void descriptorsReusedForOtherFilesStayOpen(void) {
    begin();
    channel_gone(1, 2);
    pthread_join(host.channel, NULL);
    int numbers[] = {host.listen_fd, host.wake_fd, host.socket_fd};
    for (int i = 0; i < 3; i++) {
        int other = open("/dev/null", O_RDONLY);
        CHECK(dup2(other, numbers[i]) == numbers[i]);
        close(other);
    }
    channel_close_files();
    CHECK(host.listen_fd == -1 && host.wake_fd == -1 && host.socket_fd == -1);
    for (int i = 0; i < 3; i++) {
        CHECK(close(numbers[i]) == 0);
    }
}

static void closedFilesOfTheChannelLeaveNoDescriptor(void) {
    begin();
    int numbers[] = {host.listen_fd, host.wake_fd, host.socket_fd};
    end();
    for (int i = 0; i < 3; i++) {
        CHECK(fcntl(numbers[i], F_GETFD) == -1);
    }
}

static void aSocketAtAGivenPathIsRemovedFromItsDirectory(void) {
    char directory[] = "/tmp/channel-test-XXXXXX";
    char path[200];
    CHECK(mkdtemp(directory) != NULL);
    snprintf(path, sizeof path, "%s/socket", directory);
    memset(&host, 0, sizeof host);
    host.record_fd = host.socket_fd = host.listen_fd = host.wake_fd = -1;
    CHECK(channel_open(path) == 0);
    channel_close_files();
    CHECK(rmdir(directory) == 0);
    CHECK(channel_open(path) == ENOENT);
    channel_close_files();
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = 0;
    CHECK(channel_open(path) == ENAMETOOLONG);
}

static bool all_users_in(const char *table) {
    FILE *map = fmemopen((void *)(uintptr_t)table, strlen(table), "r");
    CHECK(map != NULL);
    bool all = maps_all_users(map);
    fclose(map);
    return all;
}

/*
 * A container with 65,536 users maps a user to the number of the overflow user. All users outside the container appear
 * under that number too.
 */
static void theOverflowUserIsAUserOnlyWhereAllUsersAreMapped(void) {
    CHECK(all_users_in("         0          0 4294967295\n"));
    CHECK(!all_users_in("         0     100000      65536\n"));
    CHECK(!all_users_in("     65534      65534          1\n"));
    CHECK(!all_users_in("         0       1000 4294967295\n"));
    CHECK(!all_users_in("         0          0      65536\n     65536     165536 4294901759\n"));
    CHECK(!all_users_in("\n"));
    CHECK(!all_users_in("nonsense\n"));
}

static void expect_a_request(void) {
    int fd = client();
    send_head(fd, 4, MESSAGE_TYPE_COMMAND);
    send_bytes(fd, "abc", 3);
    struct job *job = await_job();
    job_free(job);
    close(fd);
}

static void aClientIsTakenAfterAFailedAccept(void) {
    static const int errors[] = {EINTR, ECONNABORTED, EAGAIN};
    begin();
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        uint64_t before = now_monotonic();
        accept_fails_by = errors[i];
        failing_accepts = 1;
        expect_a_request();
        CHECK(failing_accepts == 0 && accept_from < before);
    }
    end();
}

static void anAcceptWithoutAFreeDescriptorIsRepeatedAfterADelay(void) {
    begin();
    uint64_t before = now_monotonic();
    accept_fails_by = EMFILE;
    failing_accepts = 1;
    expect_a_request();
    CHECK(failing_accepts == 0 && now_monotonic() - before >= REST_MILLIS * 1000000ull);
    end();
}

static void aClientOfAnUnmappedUserIsClosed(void) {
    begin();
    planted_peer = OVERFLOW_USER;
    host.opened_as = OVERFLOW_USER;
    planted_users = "         0     100000      65536\n";
    CHECK(is_closed(client()));
    planted_users = "         0          0 4294967295\n";
    expect_a_request();
    planted_peer = 12345;
    CHECK(is_closed(client()));
    planted_users = NULL;
    end();
}

int main(void) {
    RUN(aClientIsTakenAfterAFailedAccept);
    RUN(anAcceptWithoutAFreeDescriptorIsRepeatedAfterADelay);
    RUN(aClientOfAnUnmappedUserIsClosed);
    RUN(aClientBeyondTheLimitIsClosed);
    RUN(theOpenChannelHasNoSocketOrDirectoryInTheFileSystem);
    RUN(descriptorsReusedForOtherFilesStayOpen);
    RUN(closedFilesOfTheChannelLeaveNoDescriptor);
    RUN(aSocketAtAGivenPathIsRemovedFromItsDirectory);
    RUN(theOverflowUserIsAUserOnlyWhereAllUsersAreMapped);
}
