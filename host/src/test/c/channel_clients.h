/*
 * The channel with planted failures of the system, and clients of it. The channel's thread is real; a test acts as the
 * host's thread.
 */
#ifndef MAYFLY_CHANNEL_CLIENTS_H
#define MAYFLY_CHANNEL_CLIENTS_H

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

/* True if an output cannot grow. */
static bool no_memory_for_outputs;

static void *planted_realloc(void *memory, size_t size) {
    return no_memory_for_outputs ? NULL : realloc(memory, size);
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

/* The user table that the channel reads, and the user reported for a client; a NULL table means the real ones. */
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
#define realloc planted_realloc
#define accept4 planted_accept4
#define fopen planted_fopen
#define getsockopt planted_getsockopt
#include "../../main/c/channel.c"
#include "../../main/c/jobs.c"
#include "../../main/c/output.c"
#include "../../main/c/wake.c"
#undef calloc
#undef realloc
#undef accept4
#undef fopen
#undef getsockopt

#include "check.h"

#include <sched.h>

static inline void begin(void) {
    memset(&host, 0, sizeof host);
    host.record_fd = host.socket_fd = host.listen_fd = host.wake_fd = -1;
    channel_backlog = (struct output){0};
    pthread_mutex_init(&host.lock, NULL);
    pthread_cond_init(&host.changed, NULL);
    CHECK(channel_open_apart() == 0);
    CHECK(pthread_create(&host.channel, NULL, channel_run, NULL) == 0);
}

static inline void end(void) {
    channel_gone(1, 2);
    pthread_join(host.channel, NULL);
    for (struct job *job = host.first, *next; job != NULL; job = next) {
        next = job->next;
        job_free(job);
    }
    channel_close_files();
    CHECK(host.socket_fd == -1 && host.listen_fd == -1);
}

static inline int client(void) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(name.sun_path, sizeof name.sun_path, "/proc/self/fd/%d", host.socket_fd);
    CHECK(connect(fd, (struct sockaddr *)&name, sizeof name) == 0);
    return fd;
}

static inline void send_bytes(int fd, const void *bytes, size_t length) {
    CHECK(send(fd, bytes, length, MSG_NOSIGNAL) == (ssize_t)length);
}

static inline void send_head(int fd, uint32_t length, uint8_t type) {
    uint8_t head[5];
    bytes_put_word(head, length);
    head[4] = type;
    send_bytes(fd, head, sizeof head);
}

/* Reads a complete frame; returns its type, or -1 at the end. */
static inline int receive(int fd, uint8_t *content, size_t size, size_t *length) {
    uint8_t head[5];
    if (recv(fd, head, sizeof head, MSG_WAITALL) != sizeof head) {
        return -1;
    }
    *length = bytes_word(head) - 1;
    CHECK(*length <= size);
    CHECK(*length == 0 || recv(fd, content, *length, MSG_WAITALL) == (ssize_t)*length);
    return head[4];
}

static inline bool is_closed(int fd) {
    uint8_t byte;
    ssize_t count = recv(fd, &byte, 1, 0);
    close(fd);
    return count == 0 || (count < 0 && errno == ECONNRESET);
}

/* Waits for the next request and returns it. */
static inline struct job *await_job(void) {
    pthread_mutex_lock(&host.lock);
    while (host.first == NULL) {
        pthread_cond_wait(&host.changed, &host.lock);
    }
    struct job *job = job_take();
    pthread_mutex_unlock(&host.lock);
    return job;
}

#endif
