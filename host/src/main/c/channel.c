/*
 * The channel: an unlinked socket, a thread that reads and writes messages, and the output queues. The thread also
 * reads the JVM's log (vmlog.c). It is not attached to the JVM, so it responds even while the host's
 * thread is blocked in a callback.
 */
#define _GNU_SOURCE
#include "channel.h"
#include "bytes.h"
#include "clock.h"
#include "failures.h"
#include "files.h"
#include "host.h"
#include "jobs.h"
#include "life.h"
#include "output.h"
#include "vmlog.h"
#include "wake.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { CLIENTS = 16 };
/* Upper bounds on the bytes queued for a follower, and on those kept for the first follower to connect. */
enum { MAX_WAITING = 4 << 20, MAX_BACKLOG = 1 << 20 };
/* Upper bound on the wait for a client that does not read, when the channel ends. */
enum { END_MILLIS = 1000 };
/*
 * The number that represents users without a mapping in a user namespace; /proc/sys/kernel/overflowuid on all known
 * systems.
 */
enum { OVERFLOW_USER = 65534 };
/* The number of user numbers; (uid_t)-1 is not one. */
static const unsigned ALL_USERS = 4294967295u;
/* The delay before the next accept after a failed one. */
enum { REST_MILLIS = 1000 };
/*
 * The log is read at most once in this time. Each line would otherwise wake this thread, at the expense of the thread
 * that writes it.
 */
enum { LOG_REST_MILLIS = 2 };

struct client {
    bool open;
    int fd;                 /* may be 0 to 2, if the program has closed its own */
    uint64_t serial;        /* distinguishes this client from earlier ones in the same slot */
    uint8_t head[MESSAGE_SIZE_HEAD];
    size_t got;             /* bytes received of head and payload */
    struct bytes payload;
    bool asked;             /* its request has been read */
    bool follows;
    bool leases;            /* the profiler detaches when this client disconnects */
    bool awaits_gone;
    struct output out;
};

static struct client clients[CLIENTS];
static struct output channel_backlog;
static uint64_t accept_from;   /* no accept before this time: CLOCK_MONOTONIC, ns */
static uint64_t client_serials;

/* ---- Opening and closing ---- */

/*
 * Opens the channel at an unused path and then removes the socket's name. Clients reach the socket through /proc and a
 * descriptor of it, even if this process has changed its root directory or its user, and no file remains, however the
 * process ends. Returns an errno or 0.
 */
int channel_open(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (snprintf(host.socket_path, sizeof host.socket_path, "%s", path) >= (int)sizeof host.socket_path) {
        return ENAMETOOLONG;
    }
    memcpy(address.sun_path, host.socket_path, sizeof host.socket_path);
    host.opened_as = geteuid();
    host.listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (!file_of(host.listen_fd, &host.listen_file)
            || bind(host.listen_fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        return errno;
    }
    host.socket_fd = open(host.socket_path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    int failed = file_of(host.socket_fd, &host.socket_file) ? 0 : errno;
    unlink(host.socket_path);
    if (failed != 0) {
        return failed;
    }
    if (listen(host.listen_fd, CLIENTS) != 0) {
        return errno;
    }
    return wake_open();
}

/* Opens the channel in a directory in /tmp that this function creates and removes. */
int channel_open_apart(void) {
    uint8_t random[8];
    if (syscall(SYS_getrandom, random, sizeof random, 0) != sizeof random) {
        return errno;
    }
    char directory[64];
    int length = snprintf(directory, sizeof directory, "/tmp/" HOST_NAME_FILE "%d-", (int)getpid());
    for (size_t i = 0; i < sizeof random; i++) {
        length += snprintf(directory + length, 3, "%02x", random[i]);
    }
    if (mkdir(directory, 0700) != 0) {
        return errno;
    }
    char path[sizeof directory + 2];
    snprintf(path, sizeof path, "%s/s", directory);
    int failed = channel_open(path);
    rmdir(directory);
    return failed;
}

void channel_close_files(void) {
    file_close(&host.listen_fd, host.listen_file);
    wake_close();
    file_close(&host.socket_fd, host.socket_file);
}

/* ---- Writing; the outputs require the lock ---- */

/* Sends to all followers, or keeps the bytes for the first follower. Returns false if they were dropped for any. */
bool channel_emit(const uint8_t *at, size_t length) {
    bool followed = false;
    bool taken = true;
    pthread_mutex_lock(&host.lock);
    for (int i = 0; i < CLIENTS; i++) {
        if (clients[i].open && clients[i].follows) {
            uint64_t dropped = clients[i].out.dropped;
            output_emit(&clients[i].out, MAX_WAITING, at, length);
            taken = taken && clients[i].out.dropped <= dropped;
            followed = true;
        }
    }
    if (!followed) {
        uint64_t dropped = channel_backlog.dropped;
        output_emit(&channel_backlog, MAX_BACKLOG, at, length);
        taken = channel_backlog.dropped <= dropped;
    }
    pthread_mutex_unlock(&host.lock);
    wake_channel();
    return taken;
}

/* The parts of a RESULT, which refer to the numbers. */
struct result {
    uint8_t status[4];
    uint8_t length[4];
    uint8_t none[4];
    struct bytes parts[4];
};

static void result_of(struct result *result, uint32_t status, const char *message) {
    bytes_put_word(result->status, status);
    bytes_put_word(result->length, (uint32_t)strlen(message));
    bytes_put_word(result->none, 0);
    result->parts[0] = (struct bytes){result->status, 4};
    result->parts[1] = (struct bytes){result->length, 4};
    result->parts[2] = (struct bytes){(uint8_t *)message, strlen(message)};
    result->parts[3] = (struct bytes){result->none, 4};
}

/* Sends an answer. Without memory for it, the client receives a RESULT that says so, for which there is a reserve. */
void channel_send(int client, uint64_t serial, enum message_type type, const struct bytes *parts, int count) {
    pthread_mutex_lock(&host.lock);
    if (clients[client].open && clients[client].serial == serial
            && !output_frame(&clients[client].out, type, parts, count)) {
        struct answer answer = failure_answer(FAILURE_NO_MEMORY, MESSAGE_TYPE_COMMAND);
        struct result result;
        result_of(&result, answer.status, answer.message);
        output_small_frame(&clients[client].out, MESSAGE_TYPE_RESULT, result.parts, 4);
    }
    pthread_mutex_unlock(&host.lock);
    wake_channel();
}

void channel_result(int client, uint64_t serial, uint32_t status, const char *message) {
    struct result result;
    result_of(&result, status, message);
    channel_send(client, serial, MESSAGE_TYPE_RESULT, result.parts, 4);
}

/* Sends GONE to the clients that wait for the end. Returns false if there are none. */
bool channel_gone(uint64_t nanos, uint32_t collections) {
    uint8_t content[MESSAGE_SIZE_GONE];
    bytes_put_long(content + GONE_OFFSET_NANOS, nanos);
    bytes_put_word(content + GONE_OFFSET_COLLECTIONS, collections);
    bytes_put_word(content + GONE_OFFSET_REMAINING_CLASSES, host.remaining_classes);
    struct bytes part = {content, sizeof content};
    bool seen = false;
    pthread_mutex_lock(&host.lock);
    for (int i = 0; i < CLIENTS; i++) {
        if (clients[i].open && (clients[i].follows || clients[i].awaits_gone)) {
            output_small_frame(&clients[i].out, MESSAGE_TYPE_GONE, &part, 1);
            seen = true;
        }
    }
    life_to_locked(HOST_LIFE_GONE);
    pthread_mutex_unlock(&host.lock);
    wake_channel();
    return seen;
}

/* ---- Reading; only on the channel's thread, which alone opens and closes clients ---- */

static void client_drop(struct client *client) {
    pthread_mutex_lock(&host.lock);
    if (client->leases && !life_is(HOST_LIFE_GONE)) {
        host.lease_ended = true;
        pthread_cond_broadcast(&host.changed);
    }
    close(client->fd);
    free(client->payload.at);
    free(client->out.at);
    memset(client, 0, sizeof *client);
    pthread_mutex_unlock(&host.lock);
}

/*
 * Returns true if the user table, /proc/self/uid_map, maps every user, as it does outside user namespaces. The number
 * of the overflow user then belongs to one user. Otherwise it also stands for all unmapped users, even if the table
 * contains it.
 */
static bool maps_all_users(FILE *map) {
    unsigned first;
    unsigned outside;
    unsigned count;
    return fscanf(map, "%u %u %u", &first, &outside, &count) == 3 && first == 0 && outside == 0 && count == ALL_USERS;
}

static bool overflow_user_is_one_user(void) {
    FILE *map = fopen("/proc/self/uid_map", "re");
    bool one = map != NULL && maps_all_users(map);
    if (map != NULL) {
        fclose(map);
    }
    return one;
}

/*
 * Returns true for the target's own user (the present one or the one at attach time) and for root. All users without a
 * mapping in the target's user namespace appear as the overflow user, see user_namespaces(7), so that number identifies
 * no one.
 */
static bool client_may_ask(int fd) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
            && (peer.uid != OVERFLOW_USER || overflow_user_is_one_user())
            && (peer.uid == 0 || peer.uid == geteuid() || peer.uid == host.opened_as);
}

static void client_accept(void) {
    int fd = accept4(host.listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
        if (errno == EINTR || errno == ECONNABORTED || errno == EAGAIN) {
            return;
        }
        /* Without a free descriptor the client stays in the queue and would wake the channel again immediately. */
        accept_from = now_monotonic() + REST_MILLIS * 1000000ull;
        return;
    }
    for (int i = 0; client_may_ask(fd) && i < CLIENTS; i++) {
        if (!clients[i].open) {
            if (!output_open(&clients[i].out)) {
                break;
            }
            pthread_mutex_lock(&host.lock);
            clients[i].open = true;
            clients[i].fd = fd;
            clients[i].serial = ++client_serials;
            pthread_mutex_unlock(&host.lock);
            return;
        }
    }
    close(fd);
}

static size_t max_payload(uint8_t type) {
    return type == MESSAGE_TYPE_ATTACH ? MESSAGE_SIZE_MAX_ATTACH
            : type == MESSAGE_TYPE_COMMAND ? MESSAGE_SIZE_MAX_COMMAND : MESSAGE_SIZE_MAX_OTHER;
}

/* Passes the request to the host's thread, and records the client's own options here. */
static void client_handle(struct client *client) {
    enum message_type type = (enum message_type)client->head[MESSAGE_OFFSET_TYPE];
    int at = (int)(client - clients);
    pthread_mutex_lock(&host.lock);
    client->asked = true;
    if (type == MESSAGE_TYPE_FOLLOW) {
        client->follows = true;
        client->leases = client->payload.length >= MESSAGE_SIZE_FLAGS
                && (bytes_word(client->payload.at) & FOLLOW_FLAG_LEASE) != 0;
        if (channel_backlog.at != NULL) {
            output_append(&client->out, channel_backlog.at, channel_backlog.length);
            client->out.dropped = channel_backlog.dropped;
            free(channel_backlog.at);
            channel_backlog = (struct output){0};
        }
    }
    uint32_t flags = type == MESSAGE_TYPE_DETACH && client->payload.length >= MESSAGE_SIZE_FLAGS
            ? bytes_word(client->payload.at) : 0;
    client->awaits_gone = (flags & DETACH_FLAG_WAIT) != 0;
    if ((flags & DETACH_FLAG_FORCE) != 0) {
        /*
         * Done here, because the host's thread may be in a callback that does not return. Has no effect in a state
         * other than ACTIVE, or if an event prevents a detach.
         */
        life_force_locked();
    }
    enum failure failure = FAILURE_NONE;
    if (type != MESSAGE_TYPE_FOLLOW) {
        failure = job_add(type, at, client->serial, client->payload);
        client->payload = failure == FAILURE_NONE ? (struct bytes){0} : client->payload;
    }
    pthread_mutex_unlock(&host.lock);
    if (failure != FAILURE_NONE) {
        struct answer answer = failure_answer(failure, type);
        channel_result(at, client->serial, answer.status, answer.message);
    }
}

/* Reads the available bytes. Returns false if the client must be dropped. */
static bool client_read(struct client *client) {
    for (;;) {
        uint8_t ignored[256];
        uint8_t *to = ignored;
        size_t want = sizeof ignored;
        if (!client->asked && client->got < sizeof client->head) {
            to = client->head + client->got;
            want = sizeof client->head - client->got;
        } else if (!client->asked) {
            to = client->payload.at + (client->got - sizeof client->head);
            want = client->payload.length - (client->got - sizeof client->head);
        }
        ssize_t count = want == 0 ? 0 : recv(client->fd, to, want, 0);
        if (count < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        if (count == 0 && want != 0) {
            return false;
        }
        if (client->asked) {
            return false;   /* a second request on the same connection, which no client sends */
        }
        client->got += (size_t)count;
        if (client->got == sizeof client->head && client->payload.at == NULL) {
            uint32_t length = bytes_word(client->head);
            uint8_t type = client->head[MESSAGE_OFFSET_TYPE];
            if (length < 1 || length - 1 > max_payload(type) || type < MESSAGE_TYPE_ATTACH || type > MESSAGE_TYPE_FOLLOW
                    || (client->payload.at = malloc(length)) == NULL) {
                return false;
            }
            client->payload.length = length - 1;
        }
        if (client->got == sizeof client->head + client->payload.length && client->payload.at != NULL) {
            client_handle(client);
        }
    }
}

/* Writes as much as the socket accepts. Returns false if the client must be dropped. */
static bool client_write(struct client *client) {
    bool stays = true;
    pthread_mutex_lock(&host.lock);
    if (client->out.length > 0) {
        ssize_t count = send(client->fd, client->out.at, client->out.length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count > 0) {
            client->out.length -= (size_t)count;
            memmove(client->out.at, client->out.at + count, client->out.length);
        }
        stays = count >= 0 || errno == EAGAIN || errno == EINTR;
    }
    pthread_mutex_unlock(&host.lock);
    return stays;
}

static int channel_describe(struct pollfd *fds, int *who, int log) {
    int count = 0;
    fds[count++] = (struct pollfd){.fd = host.wake_fd, .events = POLLIN};
    bool takes_clients = !life_is(HOST_LIFE_GONE) && now_monotonic() >= accept_from;
    fds[count++] = (struct pollfd){.fd = takes_clients ? host.listen_fd : -1, .events = POLLIN};
    fds[count++] = (struct pollfd){.fd = log, .events = POLLIN};
    for (int i = 0; i < CLIENTS; i++) {
        if (clients[i].open) {
            who[count] = i;
            short events = POLLIN | (clients[i].out.length > 0 ? POLLOUT : 0);
            fds[count++] = (struct pollfd){.fd = clients[i].fd, .events = events};
        }
    }
    return count;
}

static bool channel_all_written(void) {
    for (int i = 0; i < CLIENTS; i++) {
        if (clients[i].open && clients[i].out.length > 0) {
            return false;
        }
    }
    return true;
}

void *channel_run(void *unused) {
    (void)unused;
    prctl(PR_SET_NAME, HOST_NAME_CHANNEL_THREAD);
    uint64_t ends = 0;
    uint64_t log_from = 0;
    for (;;) {
        struct pollfd fds[CLIENTS + 3];
        int who[CLIENTS + 3];
        bool log_rests = now_monotonic() < log_from;
        int log = log_rests ? -1 : vmlog_fd();
        pthread_mutex_lock(&host.lock);
        int count = channel_describe(fds, who, log);
        bool closing = life_is(HOST_LIFE_GONE);
        bool written = channel_all_written();
        pthread_mutex_unlock(&host.lock);
        uint64_t now = closing ? now_boottime() : 0;
        ends = closing && ends == 0 ? now + END_MILLIS * 1000000ull : ends;
        if (closing && (written || now >= ends)) {
            break;
        }
        int longest = closing ? 20 : log_rests ? LOG_REST_MILLIS : fds[1].fd < 0 ? REST_MILLIS : -1;
        if (poll(fds, (nfds_t)count, longest) < 0) {
            continue;
        }
        if (fds[0].revents != 0) {
            wake_read();
        }
        if (fds[1].revents != 0) {
            client_accept();
        }
        if (fds[2].revents != 0) {
            vmlog_read();
            log_from = now_monotonic() + LOG_REST_MILLIS * 1000000ull;
        }
        for (int i = 3; i < count; i++) {
            struct client *client = &clients[who[i]];
            if (((fds[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !client_read(client))
                    || ((fds[i].revents & POLLOUT) != 0 && !client_write(client))) {
                client_drop(client);
            }
        }
    }
    for (int i = 0; i < CLIENTS; i++) {
        if (clients[i].open) {
            client_drop(&clients[i]);
        }
    }
    free(channel_backlog.at);
    return NULL;
}
