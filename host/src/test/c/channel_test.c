/*
 * The channel's handling of messages with arbitrary content from clients. The channel's thread is real; the test acts
 * as the host's thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* True if the test simulates a lack of memory. */
static bool no_memory;

static void *planted_calloc(size_t count, size_t size) {
    return no_memory ? NULL : calloc(count, size);
}

/* The error of the next accepts, and their number. */
static int accept_fails_by;
static int failing_accepts;

static int planted_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) {
    if (failing_accepts > 0) {
        failing_accepts--;
        errno = accept_fails_by;
        return -1;
    }
    return accept4(fd, address, length, flags);
}

/* The table of users that the channel reads, and the user that the kernel reports for a client; NULL for the real. */
static const char *planted_users;
static uid_t planted_peer;

static FILE *planted_fopen(const char *path, const char *mode) {
    return planted_users == NULL ? fopen(path, mode)
            : fmemopen((void *)(uintptr_t)planted_users, strlen(planted_users), "r");
}

static int planted_getsockopt(int fd, int level, int name, void *value, socklen_t *length) {
    int failed = getsockopt(fd, level, name, value, length);
    if (planted_users != NULL && name == SO_PEERCRED) {
        ((struct ucred *)value)->uid = planted_peer;
    }
    return failed;
}

#define calloc planted_calloc
#define accept4 planted_accept4
#define fopen planted_fopen
#define getsockopt planted_getsockopt
#include "../../main/c/channel.c"
#include "../../main/c/jobs.c"
#include "../../main/c/output.c"
#include "../../main/c/wake.c"
#undef calloc
#undef accept4
#undef fopen
#undef getsockopt

#include "check.h"
#include "golden.h"

#include <sched.h>
#include <sys/wait.h>

static void begin(void) {
    memset(&host, 0, sizeof host);
    host.record_fd = host.socket_fd = host.listen_fd = host.wake_fd = -1;
    channel_backlog = (struct output){0};
    pthread_mutex_init(&host.lock, NULL);
    pthread_cond_init(&host.changed, NULL);
    CHECK(channel_open_apart() == 0);
    CHECK(pthread_create(&host.channel, NULL, channel_run, NULL) == 0);
}

static void end(void) {
    channel_gone(1, 2);
    pthread_join(host.channel, NULL);
    for (struct job *job = host.first, *next; job != NULL; job = next) {
        next = job->next;
        job_free(job);
    }
    channel_close_files();
    CHECK(host.socket_fd == -1 && host.listen_fd == -1);
}

static int client(void) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(name.sun_path, sizeof name.sun_path, "/proc/self/fd/%d", host.socket_fd);
    CHECK(connect(fd, (struct sockaddr *)&name, sizeof name) == 0);
    return fd;
}

static void send_bytes(int fd, const void *bytes, size_t length) {
    CHECK(send(fd, bytes, length, MSG_NOSIGNAL) == (ssize_t)length);
}

static void send_head(int fd, uint32_t length, uint8_t type) {
    uint8_t head[5];
    bytes_put_word(head, length);
    head[4] = type;
    send_bytes(fd, head, sizeof head);
}

/* Reads a complete frame; returns its type, or -1 at the end. */
static int receive(int fd, uint8_t *content, size_t size, size_t *length) {
    uint8_t head[5];
    if (recv(fd, head, sizeof head, MSG_WAITALL) != sizeof head) {
        return -1;
    }
    *length = bytes_word(head) - 1;
    CHECK(*length <= size);
    CHECK(*length == 0 || recv(fd, content, *length, MSG_WAITALL) == (ssize_t)*length);
    return head[4];
}

static bool is_closed(int fd) {
    uint8_t byte;
    ssize_t count = recv(fd, &byte, 1, 0);
    close(fd);
    return count == 0 || (count < 0 && errno == ECONNRESET);
}

/* Waits for the next request and returns it. */
static struct job *await_job(void) {
    pthread_mutex_lock(&host.lock);
    while (host.first == NULL) {
        pthread_cond_wait(&host.changed, &host.lock);
    }
    struct job *job = job_take();
    pthread_mutex_unlock(&host.lock);
    return job;
}

static void aRequestIsAnswered(void) {
    uint8_t content[64];
    size_t length;
    begin();
    int fd = client();
    send_head(fd, 4, MESSAGE_TYPE_COMMAND);
    send_bytes(fd, "abc", 3);
    struct job *job = await_job();
    CHECK(job->type == MESSAGE_TYPE_COMMAND && job->payload.length == 3 && memcmp(job->payload.at, "abc", 3) == 0);
    channel_result(job->client, job->serial, STATUS_FAILED, "no");
    CHECK(receive(fd, content, sizeof content, &length) == MESSAGE_TYPE_RESULT);
    CHECK(length == 14 && bytes_word(content) == STATUS_FAILED && bytes_word(content + 4) == 2
            && memcmp(content + 8, "no", 2) == 0);
    job_free(job);
    close(fd);
    end();
}

static void theGoldenAttachBecomesAJob(void) {
    size_t length;
    uint8_t *message = golden_read("attach.bin", &length);
    begin();
    int fd = client();
    send_bytes(fd, message, length);
    struct job *job = await_job();
    CHECK(job->type == MESSAGE_TYPE_ATTACH && job->payload.length == length - MESSAGE_SIZE_HEAD);
    CHECK(memcmp(job->payload.at, message + MESSAGE_SIZE_HEAD, job->payload.length) == 0);
    job_free(job);
    free(message);
    close(fd);
    end();
}

static void aResultHasTheGoldenBytes(void) {
    uint8_t content[64];
    size_t whole;
    size_t length;
    uint8_t *message = golden_read("result.bin", &whole);
    begin();
    int fd = client();
    send_head(fd, 1, MESSAGE_TYPE_COMMAND);
    struct job *job = await_job();
    channel_result(job->client, job->serial, STATUS_ATTACH_REFUSED, "no room");
    CHECK(receive(fd, content, sizeof content, &length) == message[4]);
    CHECK(length == whole - MESSAGE_SIZE_HEAD && memcmp(content, message + MESSAGE_SIZE_HEAD, length) == 0);
    job_free(job);
    free(message);
    close(fd);
    end();
}

static void aRequestMayComeByteByByte(void) {
    static const uint8_t frame[] = {3, 0, 0, 0, MESSAGE_TYPE_COMMAND, 'x', 'y'};
    begin();
    int fd = client();
    for (size_t i = 0; i < sizeof frame; i++) {
        send_bytes(fd, frame + i, 1);
    }
    struct job *job = await_job();
    CHECK(job->payload.length == 2 && memcmp(job->payload.at, "xy", 2) == 0);
    job_free(job);
    close(fd);
    end();
}

static void lengthsAndTypesOutOfBoundsCloseTheConnection(void) {
    static const struct { uint32_t length; uint8_t type; } heads[] = {
        {0, MESSAGE_TYPE_COMMAND}, {1, 0}, {1, 5}, {1, MESSAGE_TYPE_RESULT}, {1, 255},
        {MESSAGE_SIZE_MAX_COMMAND + 2, MESSAGE_TYPE_COMMAND},
        {MESSAGE_SIZE_MAX_ATTACH + 2, MESSAGE_TYPE_ATTACH},
        {MESSAGE_SIZE_MAX_OTHER + 2, MESSAGE_TYPE_DETACH},
        {MESSAGE_SIZE_MAX_OTHER + 2, MESSAGE_TYPE_FOLLOW},
        {0x80000000, MESSAGE_TYPE_ATTACH}, {0xffffffff, MESSAGE_TYPE_COMMAND},
    };
    begin();
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        int fd = client();
        send_head(fd, heads[i].length, heads[i].type);
        CHECK(is_closed(fd));
    }
    end();
    CHECK(host.jobs == 0);
}

static void theLargestLengthsAreAwaited(void) {
    begin();
    int attach = client();
    send_head(attach, MESSAGE_SIZE_MAX_ATTACH + 1, MESSAGE_TYPE_ATTACH);
    int command = client();
    send_head(command, MESSAGE_SIZE_MAX_COMMAND + 1, MESSAGE_TYPE_COMMAND);
    int whole = client();
    send_head(whole, 1, MESSAGE_TYPE_DETACH);
    struct job *job = await_job();      /* clients are read in this order */
    CHECK(job->type == MESSAGE_TYPE_DETACH);
    job_free(job);
    CHECK(recv(attach, &(uint8_t){0}, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
    CHECK(recv(command, &(uint8_t){0}, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
    close(attach);
    close(command);
    close(whole);
    end();
}

static void aSecondRequestClosesTheConnection(void) {
    begin();
    int fd = client();
    send_head(fd, 1, MESSAGE_TYPE_COMMAND);
    send_head(fd, 1, MESSAGE_TYPE_COMMAND);
    CHECK(is_closed(fd));
    end();
}

/* Waits until this slot is free or another client has it. */
static void await_departure(int place, uint64_t serial) {
    pthread_mutex_lock(&host.lock);
    while (clients[place].open && clients[place].serial == serial) {
        pthread_mutex_unlock(&host.lock);
        sched_yield();
        pthread_mutex_lock(&host.lock);
    }
    pthread_mutex_unlock(&host.lock);
}

/* Returns true if a result has the status and the message of a failure. */
static bool is_answer(const uint8_t *content, size_t length, enum failure failure) {
    struct answer answer = failure_answer(failure, MESSAGE_TYPE_COMMAND);
    return length >= RESULT_OFFSET_MESSAGE && bytes_word(content) == (uint32_t)answer.status
            && bytes_word(content + RESULT_OFFSET_MESSAGE_LENGTH) == strlen(answer.message)
            && memcmp(content + RESULT_OFFSET_MESSAGE, answer.message, strlen(answer.message)) == 0;
}

/* Counts forced detaches, as life.c begins them. */
static int forced;

bool life_force_locked(void) {
    forced++;
    return true;
}

static void fill_the_queue(void) {
    uint64_t before = client_serials;
    for (int i = 0; i < MAX_JOBS; i++) {
        int fd = client();
        send_head(fd, 1, MESSAGE_TYPE_DETACH);
        pthread_mutex_lock(&host.lock);
        while (host.jobs <= i) {
            pthread_cond_wait(&host.changed, &host.lock);
        }
        pthread_mutex_unlock(&host.lock);
        close(fd);
        await_departure(0, before + 1 + (uint64_t)i);
    }
}

static void expect_too_many(uint8_t type, const void *payload) {
    uint8_t content[128];
    size_t length;
    int fd = client();
    send_head(fd, 5, type);
    send_bytes(fd, payload, 4);
    CHECK(receive(fd, content, sizeof content, &length) == MESSAGE_TYPE_RESULT);
    CHECK(is_answer(content, length, FAILURE_TOO_MANY));
    close(fd);
}

static void aSeventeenthRequestIsRefused(void) {
    begin();
    fill_the_queue();
    expect_too_many(MESSAGE_TYPE_COMMAND, "abcd");
    end();
}

static void aForcedDetachBeginsAlthoughTheQueueIsFull(void) {
    uint8_t flags[4];
    bytes_put_word(flags, DETACH_FLAG_FORCE);
    begin();
    fill_the_queue();
    forced = 0;
    expect_too_many(MESSAGE_TYPE_DETACH, flags);
    CHECK(forced == 1);
    end();
}

static void aRequestThatCannotBeQueuedIsAnsweredWithNoMemory(void) {
    uint8_t content[128];
    size_t length;
    begin();
    no_memory = true;
    int fd = client();
    send_head(fd, 5, MESSAGE_TYPE_COMMAND);
    send_bytes(fd, "abcd", 4);
    CHECK(receive(fd, content, sizeof content, &length) == MESSAGE_TYPE_RESULT);
    CHECK(is_answer(content, length, FAILURE_NO_MEMORY));
    no_memory = false;
    close(fd);
    end();
    CHECK(host.jobs == 0);
}

static void anAnswerToAClientThatHasGoneReachesNoOther(void) {
    uint8_t content[64];
    size_t length;
    begin();
    int gone = client();
    send_head(gone, 1, MESSAGE_TYPE_COMMAND);
    struct job *job = await_job();
    close(gone);
    await_departure(job->client, job->serial);
    int other = client();
    send_head(other, 1, MESSAGE_TYPE_FOLLOW);
    CHECK(channel_emit((const uint8_t *)"x", 1));
    CHECK(receive(other, content, sizeof content, &length) == MESSAGE_TYPE_EMIT);
    CHECK(clients[job->client].serial == job->serial + 1);
    channel_result(job->client, job->serial, 0, "secret");
    channel_gone(1, 2);
    CHECK(receive(other, content, sizeof content, &length) == MESSAGE_TYPE_GONE);
    job_free(job);
    close(other);
    end();
}

static void aFollowerReceivesTheBacklogAndTheDroppedCount(void) {
    static uint8_t block[MAX_BACKLOG / 2];
    static uint8_t content[MAX_BACKLOG];
    size_t length;
    begin();
    CHECK(channel_emit(block, sizeof block));
    CHECK(!channel_emit(block, sizeof block));
    CHECK(!channel_emit(block, MAX_BACKLOG));
    CHECK(channel_emit(block, 0));
    int fd = client();
    send_head(fd, 1, MESSAGE_TYPE_FOLLOW);
    CHECK(receive(fd, content, sizeof content, &length) == MESSAGE_TYPE_EMIT && length == 8 + sizeof block
            && bytes_word(content) == 0);
    CHECK(receive(fd, content, sizeof content, &length) == MESSAGE_TYPE_EMIT
            && length == 8 && bytes_word(content) == 2);
    CHECK(channel_emit((const uint8_t *)"x", 1));
    CHECK(receive(fd, content, sizeof content, &length) == MESSAGE_TYPE_EMIT && length == 9 && content[8] == 'x');
    channel_gone(3, 4);
    CHECK(receive(fd, content, sizeof content, &length) == MESSAGE_TYPE_GONE
            && length == 16 && bytes_word(content) == 3);
    close(fd);
    end();
}

static void aLeaseEndsWithItsClient(void) {
    begin();
    int fd = client();
    send_head(fd, 5, MESSAGE_TYPE_FOLLOW);
    send_bytes(fd, "\1\0\0\0", 4);
    close(fd);
    pthread_mutex_lock(&host.lock);
    while (!host.lease_ended) {
        pthread_cond_wait(&host.changed, &host.lock);
    }
    pthread_mutex_unlock(&host.lock);
    end();
}

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
static void numbersReusedForOtherFilesStayOpen(void) {
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
    RUN(aRequestIsAnswered);
    RUN(theGoldenAttachBecomesAJob);
    RUN(aResultHasTheGoldenBytes);
    RUN(aRequestMayComeByteByByte);
    RUN(lengthsAndTypesOutOfBoundsCloseTheConnection);
    RUN(theLargestLengthsAreAwaited);
    RUN(aSecondRequestClosesTheConnection);
    RUN(aSeventeenthRequestIsRefused);
    RUN(aForcedDetachBeginsAlthoughTheQueueIsFull);
    RUN(aRequestThatCannotBeQueuedIsAnsweredWithNoMemory);
    RUN(anAnswerToAClientThatHasGoneReachesNoOther);
    RUN(aFollowerReceivesTheBacklogAndTheDroppedCount);
    RUN(aLeaseEndsWithItsClient);
    RUN(aClientBeyondTheLimitIsClosed);
    RUN(theOpenChannelHasNoSocketOrDirectoryInTheFileSystem);
    RUN(numbersReusedForOtherFilesStayOpen);
    RUN(closedFilesOfTheChannelLeaveNoDescriptor);
    RUN(aSocketAtAGivenPathIsRemovedFromItsDirectory);
    RUN(theOverflowUserIsAUserOnlyWhereAllUsersAreMapped);
}
