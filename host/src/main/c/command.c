/*
 * Diagnostic commands, given to the JVM as jcmd gives them: over the socket of its attach listener, which was there when we
 * were loaded. docs: attachListener.cpp in HotSpot. No class of the JDK is loaded for it.
 */
#define _GNU_SOURCE
#include "host.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* The listener takes one request after the other; somebody else's may be a long one. */
enum { PATIENCE_SECONDS = 5 };

/* Ours: whoever else listens there is not the JVM that we are in. */
static bool is_own(int fd) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == getpid();
}

static int open_listener(void) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    snprintf(name.sun_path, sizeof name.sun_path, "/tmp/.java_pid%d", (int)getpid());
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0
            || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0
            || connect(fd, (struct sockaddr *)&name, sizeof name) != 0 || !is_own(fd))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* "1", "jcmd", the command and two empty arguments, each with a zero behind it. */
static bool send_request(int fd, const char *command) {
    char request[256];
    int length = snprintf(request, sizeof request, "1%cjcmd%c%s%c%c", 0, 0, command, 0, 0);
    return length > 0 && (size_t)length < sizeof request
            && send(fd, request, (size_t)length + 1, MSG_NOSIGNAL) == length + 1;
}

/* Whether the JVM has done it. The answer is a number and a line's end, and 0 stands for done; then words. */
bool jvm_command(const char *command) {
    char answer[4096];
    size_t got = 0;
    int fd = open_listener();
    bool sent = fd >= 0 && send_request(fd, command);
    for (ssize_t count = 1; sent && count > 0 && got < sizeof answer - 1; got += count > 0 ? (size_t)count : 0) {
        count = recv(fd, answer + got, sizeof answer - 1 - got, 0);
    }
    if (fd >= 0) {
        close(fd);
    }
    answer[got] = 0;
    return sent && strncmp(answer, "0\n", 2) == 0;
}
