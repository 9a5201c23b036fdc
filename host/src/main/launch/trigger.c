/*
 * A trigger inside the target itself. It takes the same documented steps as mayfly.attach.client.AttachOperation takes
 * from outside.
 */
#define _GNU_SOURCE
#include "trigger.h"
#include "say.h"
#include "wire.h"
#include "../c/bytes.h"
#include "../c/clock.h"
#include "../c/record_name.h"
#include "../c/old-glibc.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

AS_BEFORE(dlerror);

#define TEMPORARY "/tmp"

/* Upper bound on the bytes of a RESULT that are read, from its type on; sufficient for one line of text. */
enum { MAX_RESULT = 2048, RESULT_HEAD = 1 + RESULT_OFFSET_MESSAGE };
enum { LINK_BYTES = 192 };
enum { MEMFD_CLOSE_ON_EXEC = 1 };

/* Copies the library into a memfd, so that no file of it exists. Returns its descriptor, or -1. */
static int trigger_copy_library(const struct launch *launch) {
    int fd = (int)syscall(SYS_memfd_create, HOST_NAME_LIBRARY_MEMFD, MEMFD_CLOSE_ON_EXEC);
    for (size_t at = 0; fd >= 0 && at < launch->library_length;) {
        ssize_t count = write(fd, launch->library + at, launch->library_length - at);
        if (count < 0 && errno != EINTR) {
            close(fd);
            return -1;
        }
        at += count < 0 ? 0 : (size_t)count;
    }
    return fd;
}

/* Loads a library as the JVM's attach listener does: opens it, calls it, and closes its own reference again. */
static bool trigger_load_host(JavaVM *vm, const struct launch *launch, uint64_t deadline) {
    char path[64];
    char options[128];
    int fd = trigger_copy_library(launch);
    if (fd < 0) {
        launch_say("no memory for the host: %s", strerror(errno));
        return false;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int length = snprintf(options, sizeof options, LOAD_OPTION_VERSION);
    for (int i = 0; i < ATTACH_SIZE_REQUEST; i++) {
        length += snprintf(options + length, sizeof options - (size_t)length, "%02x", launch->attach[i]);
    }
    snprintf(options + length, sizeof options - (size_t)length, ",%llu,%c", (unsigned long long)deadline,
            (launch->flags & LAUNCH_FLAG_REMAINING_CLASSES) != 0 ? LOAD_OPTION_REMAINING_CLASSES : LOAD_OPTION_NONE);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    jint (*on_attach)(JavaVM *, char *, void *) =
            library == NULL ? NULL : (jint (*)(JavaVM *, char *, void *))dlsym(library, "Agent_OnAttach");
    int code = 0;
    if (on_attach == NULL) {
        const char *why = dlerror();
        launch_say("the host's library does not load: %s", why == NULL ? "it has no entry" : why);
    } else {
        code = on_attach(vm, options, NULL);
    }
    if (code == LOAD_RESULT_NO_UNLOADING) {
        launch_say(
                "it could not be detached again: this JVM never unloads classes (-XX:-ClassUnloading or"
                " -XX:+UseEpsilonGC); --accept-remaining-classes permits the attach");
    } else if (code == LOAD_RESULT_ALREADY_ACTIVE) {
        launch_say("another profiler is already attached");
    } else if (on_attach != NULL && code != LOAD_RESULT_ATTACHED) {
        bool is_errno = code <= LOAD_RESULT_NOT_OPENED;
        launch_say("the host did not start: %s %d", is_errno ? "errno" : "code",
                is_errno ? LOAD_RESULT_NOT_OPENED - code : code);
    }
    if (library != NULL) {
        dlclose(library);
    }
    close(fd);
    return code == LOAD_RESULT_ATTACHED;
}

/* Returns the descriptor whose link in /proc has this ending; -1 with errno if there is none. */
static int trigger_find_descriptor(const char *wanted) {
    size_t end = strlen(wanted);
    DIR *fds = opendir("/proc/self/fd");
    int found = -1;
    for (struct dirent *entry; fds != NULL && found < 0 && (entry = readdir(fds)) != NULL;) {
        char target[LINK_BYTES];
        ssize_t length = readlinkat(dirfd(fds), entry->d_name, target, sizeof target - 1);
        target[length < 0 ? 0 : length] = 0;
        if (length >= (ssize_t)end && strcmp(target + length - end, wanted) == 0) {
            found = atoi(entry->d_name);
        }
    }
    if (fds != NULL) {
        closedir(fds);
        errno = ENOENT;
    }
    return found;
}

/*
 * Returns the descriptor of the channel's socket, which the record of the JVM's host names; -1 with errno if there is
 * none.
 */
static int trigger_find_channel(JavaVM *vm) {
    char path[RECORD_SIZE_CHANNEL];
    char link[LINK_BYTES];
    Dl_info jvm;
    if (dladdr((const void *)(uintptr_t)(*vm)->GetEnv, &jvm) == 0) {
        errno = ENOENT;
        return -1;
    }
    record_link(link, (uint64_t)(uintptr_t)jvm.dli_fbase);
    int record = trigger_find_descriptor(link);
    if (record < 0) {
        return -1;
    }
    if (pread(record, path, sizeof path, RECORD_OFFSET_CHANNEL) != sizeof path || path[sizeof path - 1] != 0) {
        errno = EPROTO;
        return -1;
    }
    /* The link contains the real path of the directory: /tmp may be a symbolic link. */
    if (strncmp(path, TEMPORARY, strlen(TEMPORARY)) != 0) {
        errno = EPROTO;
        return -1;
    }
    snprintf(link, sizeof link, "%s (deleted)", path + strlen(TEMPORARY));
    return trigger_find_descriptor(link);
}

/* Returns a connection to the host; -1 with errno if there is none. */
static int trigger_connect(JavaVM *vm) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int socket_fd = trigger_find_channel(vm);
    if (socket_fd < 0) {
        return -1;
    }
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", socket_fd);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int failed = errno;
        close(fd);
        errno = failed;
        return -1;
    }
    return fd;
}

/* Transfers all bytes by the deadline. */
static bool trigger_transfer(int fd, uint8_t *at, size_t length, short direction, uint64_t deadline) {
    while (length > 0) {
        uint64_t now = now_boottime();
        struct pollfd ready = {.fd = fd, .events = direction};
        if (now >= deadline) {
            errno = ETIMEDOUT;
            return false;
        }
        if (poll(&ready, 1, (int)((deadline - now) / 1000000u % 1000000u) + 1) <= 0) {
            continue;
        }
        ssize_t count = direction == POLLIN ? recv(fd, at, length, MSG_DONTWAIT)
                : send(fd, at, length, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
            errno = count == 0 ? EPIPE : errno;
            return false;
        }
        at += count < 0 ? 0 : count;
        length -= count < 0 ? 0 : (size_t)count;
    }
    return true;
}

static bool trigger_send_attach(int fd, struct launch *launch, uint64_t deadline) {
    uint8_t head[MESSAGE_SIZE_HEAD] = {0, 0, 0, 0, MESSAGE_TYPE_ATTACH};
    bytes_put_word(head, launch->attach_length + 1);
    bytes_put_long(launch->attach + ATTACH_OFFSET_DEADLINE, deadline);
    return trigger_transfer(fd, head, sizeof head, POLLOUT, deadline)
            && trigger_transfer(fd, launch->attach, launch->attach_length, POLLOUT, deadline);
}

/* Reports the result of the profiler's initialisation, unless it succeeded. */
static bool trigger_receive_result(int fd, uint64_t deadline) {
    uint8_t frame[MAX_RESULT];
    uint8_t head[4];
    if (!trigger_transfer(fd, head, sizeof head, POLLIN, deadline)) {
        return false;
    }
    uint32_t length = bytes_word(head);
    uint32_t taken = length < sizeof frame ? length : sizeof frame;
    if (taken >= RESULT_HEAD && !trigger_transfer(fd, frame, taken, POLLIN, deadline)) {
        return false;
    }
    if (taken < RESULT_HEAD || frame[0] != MESSAGE_TYPE_RESULT) {
        errno = EPROTO;
        return false;
    }
    uint32_t status = bytes_word(frame + 1 + RESULT_OFFSET_STATUS);
    uint32_t words = bytes_word(frame + 1 + RESULT_OFFSET_MESSAGE_LENGTH);
    words = words < taken - RESULT_HEAD ? words : taken - RESULT_HEAD;
    if (status != 0) {
        launch_say("%.*s", (int)words, (const char *)frame + RESULT_HEAD);
    }
    return true;
}

/* Returns when the profiler has been initialised, has failed, or has exceeded its time limit. */
void trigger_run(JavaVM *vm, struct launch *launch) {
    uint64_t deadline = now_boottime() + launch->limit;
    if (syscall(SYS_getrandom, launch->attach, (size_t)ATTACH_SIZE_REQUEST, 0) != ATTACH_SIZE_REQUEST) {
        launch_say("no random number for the request: %s", strerror(errno));
        return;
    }
    if (!trigger_load_host(vm, launch, deadline)) {
        return;
    }
    int fd = trigger_connect(vm);
    if (fd < 0) {
        launch_say("its host cannot be reached: %s", strerror(errno));
        return;
    }
    if (!trigger_send_attach(fd, launch, deadline) || !trigger_receive_result(fd, deadline)) {
        if (errno == ETIMEDOUT) {
            launch_say("its initialisation did not return in time; it may still succeed: `mayfly status` shows it");
        } else {
            launch_say("its host does not answer: %s", strerror(errno));
        }
    }
    close(fd);
}
