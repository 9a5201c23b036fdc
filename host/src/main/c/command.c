/*
 * Sends diagnostic commands to the JVM as jcmd does: over the socket of its attach listener, which existed when the
 * host was loaded, unless the listener belongs to another JVM of the process. Protocol: attachListener.cpp in HotSpot.
 * No JDK class is loaded for a command.
 */
#define _GNU_SOURCE
#include "command.h"
#include "listener.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* The listener serves one request at a time, and a request of another client may take long. */
enum { PATIENCE_SECONDS = 5 };

/* Returns true if the peer is this process. Another process may have put its own socket at the listener's path. */
static bool command_is_own(int fd) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == getpid();
}

static int command_connect(void) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    snprintf(name.sun_path, sizeof name.sun_path, "/tmp/.java_pid%d", (int)getpid());
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0
            || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0
            || connect(fd, (struct sockaddr *)&name, sizeof name) != 0 || !command_is_own(fd))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Sends "1", "jcmd", the command and two empty arguments, each terminated by a zero. */
static bool command_send(int fd, const char *command) {
    char request[256];
    int length = snprintf(request, sizeof request, "1%cjcmd%c%s%c%c", 0, 0, command, 0, 0);
    return length > 0 && (size_t)length < sizeof request
            && send(fd, request, (size_t)length + 1, MSG_NOSIGNAL) == length + 1;
}

/* Reads until the JVM closes the connection, the buffer is full or the timeout expires. Returns the number of bytes. */
static size_t command_receive(int fd, char *to, size_t size) {
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

/* Runs a command. The JVM's answer is a number and a newline, followed by text; the number 0 means success. */
enum command_outcome command_run(const char *command) {
    char answer[4096];
    int fd = listener_is_others() ? -1 : command_connect();
    if (fd < 0) {
        return COMMAND_NOT_SENT;
    }
    bool sent = command_send(fd, command);
    size_t got = sent ? command_receive(fd, answer, sizeof answer) : 0;
    close(fd);
    bool whole = memchr(answer, '\n', got) != NULL;
    return !sent ? COMMAND_NOT_SENT : !whole ? COMMAND_UNANSWERED
            : got >= 2 && memcmp(answer, "0\n", 2) == 0 ? COMMAND_DONE : COMMAND_REFUSED;
}
