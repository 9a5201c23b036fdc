/*
 * Diagnostic commands, given to the JVM as jcmd gives them: over the socket of its attach listener, which was there when we
 * were loaded, unless it is another JVM's of the process. docs: attachListener.cpp in HotSpot. No class of the JDK is loaded for it.
 */
#define _GNU_SOURCE
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* The listener takes one request after the other; somebody else's may be a long one. */
enum { PATIENCE_SECONDS = 5 };

/* Whoever else listens there is not a JVM of this process. */
static bool is_own(int fd) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == getpid();
}

/* Whether it is, or may be, another JVM's of the process: it has loaded us, unless we were told otherwise, or came with the JVM. */
bool listener_is_others(void) {
    return host.listener_is_others || (host.at_launch && runtime_has_company());
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

/* Reads until the JVM closes the connection, the buffer is full or its time is over; how much. */
static size_t receive(int fd, char *to, size_t size) {
    size_t got = 0;
    for (ssize_t count = 1; count != 0 && got < size;) {
        count = recv(fd, to + got, size - got, 0);
        got += count > 0 ? (size_t)count : 0;
        if (count < 0 && errno != EINTR) {
            break;
        }
    }
    return got;
}

/* The answer is a number and a line's end, and 0 stands for done; then words. */
enum outcome jvm_command(const char *command) {
    char answer[4096];
    int fd = listener_is_others() ? -1 : open_listener();
    if (fd < 0) {
        return NOT_SENT;
    }
    bool sent = send_request(fd, command);
    size_t got = sent ? receive(fd, answer, sizeof answer) : 0;
    close(fd);
    bool whole = memchr(answer, '\n', got) != NULL;
    return !sent ? NOT_SENT : !whole ? UNANSWERED : got >= 2 && memcmp(answer, "0\n", 2) == 0 ? DONE : REFUSED;
}
