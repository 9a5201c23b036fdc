/*
 * Sends diagnostic commands to the JVM as jcmd does: over the socket of its attach listener, which existed when the
 * host was loaded, unless the listener belongs to another JVM of the process. Protocol: attachListener.cpp in HotSpot.
 * No JDK class is loaded for a command.
 */
#define _GNU_SOURCE
#include "command.h"
#include "listener.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* The listener serves one request at a time, and a request of another client may take long. */
enum { PATIENCE_SECONDS = 5 };

/* Upper bound on an answer that is returned, and the bytes that are first reserved for it. */
enum { MAX_ANSWER = 16 << 20, FIRST_ANSWER = 1 << 16 };

/* Returns true if the peer is this process. Another process may have put its own socket at the listener's path. */
static bool command_is_own(int fd) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == getpid();
}

static int command_connect(int seconds) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    struct timeval patience = {.tv_sec = seconds};
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

static enum command_outcome command_outcome_of(bool sent, const char *answer, size_t got) {
    bool whole = got > 0 && memchr(answer, '\n', got) != NULL;
    return !sent ? COMMAND_NOT_SENT : !whole ? COMMAND_UNANSWERED
            : got >= 2 && memcmp(answer, "0\n", 2) == 0 ? COMMAND_DONE : COMMAND_REFUSED;
}

/*
 * Runs a command. The JVM's answer is a number and a newline, followed by text; the number 0 means success. If a remark
 * is given, a text other than the remark means that the command was refused, whatever the number.
 */
static enum command_outcome command_run_if(const char *command, const char *remark) {
    char answer[4096];
    int fd = listener_is_others() ? -1 : command_connect(PATIENCE_SECONDS);
    if (fd < 0) {
        return COMMAND_NOT_SENT;
    }
    bool sent = command_send(fd, command);
    size_t got = sent ? command_receive(fd, answer, sizeof answer) : 0;
    close(fd);
    enum command_outcome outcome = command_outcome_of(sent, answer, got);
    bool remarked = outcome == COMMAND_DONE && remark != NULL && got > 2
            && (got - 2 != strlen(remark) || memcmp(answer + 2, remark, got - 2) != 0);
    return remarked ? COMMAND_REFUSED : outcome;
}

enum command_outcome command_run(const char *command) {
    return command_run_if(command, NULL);
}

/* Runs a command that prints nothing but perhaps this remark, unless it fails: the JVM may then answer 0 as well. */
enum command_outcome command_run_silent(const char *command, const char *remark) {
    return command_run_if(command, remark);
}

/*
 * Reads until the JVM closes the connection. Returns the bytes, which the caller frees; NULL if they are more than an
 * answer may have, if the JVM pauses for longer than the patience, or if there is no memory.
 */
static char *command_receive_all(int fd, size_t *got) {
    size_t size = 0;
    char *answer = NULL;
    *got = 0;
    for (ssize_t count = 1; count != 0;) {
        if (*got == size) {
            size = size == 0 ? FIRST_ANSWER : size * 2;
            char *larger = size > MAX_ANSWER ? NULL : realloc(answer, size);
            if (larger == NULL) {
                free(answer);
                return NULL;
            }
            answer = larger;
        }
        count = recv(fd, answer + *got, size - *got, 0);
        *got += count > 0 ? (size_t)count : 0;
        if (count < 0 && errno != EINTR) {
            free(answer);
            return NULL;
        }
    }
    return answer;
}

/*
 * Runs a command and returns the text of its answer, which the caller frees. The JVM may pause for that many seconds
 * before and between the parts of its answer.
 */
enum command_outcome command_ask(const char *command, int seconds, char **text, size_t *length) {
    int fd = listener_is_others() ? -1 : command_connect(seconds);
    if (fd < 0) {
        return COMMAND_NOT_SENT;
    }
    bool sent = command_send(fd, command);
    size_t got = 0;
    char *answer = sent ? command_receive_all(fd, &got) : NULL;
    close(fd);
    enum command_outcome outcome = command_outcome_of(sent, answer, answer == NULL ? 0 : got);
    if (outcome != COMMAND_DONE) {
        free(answer);
        return outcome;
    }
    *length = got - 2;
    memmove(answer, answer + 2, *length);
    *text = answer;
    return outcome;
}
