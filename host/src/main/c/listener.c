/*
 * The attach listener was started for us and goes with us: its thread ends when its socket is shut down, and the JVM
 * starts a new one for the next attach. The file goes first: a client that found it would wait for nobody.
 */
#define _GNU_SOURCE
#include "host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* The thread ends at once, as soon as it is scheduled. */
enum { LOOKS = 200, LOOK_NANOS = 5000000 };

/* The JVM binds its socket under a name with .tmp behind, and renames it. */
static bool is_named(const struct sockaddr_un *name, const char *path) {
    size_t length = strlen(path);
    return name->sun_family == AF_UNIX && strncmp(name->sun_path, path, length) == 0
            && (name->sun_path[length] == 0 || strcmp(name->sun_path + length, ".tmp") == 0);
}

/*
 * The descriptor of the listening socket with this path, or -1. Also if there are two: another JVM of the process may have
 * listened there before, and nothing tells which is which.
 */
static int find_socket(const char *path) {
    DIR *fds = opendir("/proc/self/fd");
    int found = -1;
    int count = 0;
    for (struct dirent *entry; fds != NULL && (entry = readdir(fds)) != NULL;) {
        int fd = atoi(entry->d_name);
        struct sockaddr_un name = {0};
        socklen_t size = sizeof name - 1;
        int listens = 0;
        socklen_t int_size = sizeof listens;
        if (entry->d_name[0] != '.' && getsockname(fd, (struct sockaddr *)&name, &size) == 0
                && is_named(&name, path)
                && getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &int_size) == 0 && listens) {
            found = fd;
            count++;
        }
    }
    if (fds != NULL) {
        closedir(fds);
    }
    return count == 1 ? found : -1;
}

/* What a look at the threads has shown. */
enum look { ABSENT, PRESENT, UNSEEN };

/* Whether a thread of that name is there. Without a descriptor to spare (EMFILE) it is not known. */
static enum look look_for_thread(const char *name) {
    DIR *tasks = opendir("/proc/self/task");
    enum look found = tasks == NULL ? UNSEEN : ABSENT;
    for (struct dirent *entry; tasks != NULL && found != PRESENT && (entry = readdir(tasks)) != NULL;) {
        char path[300];
        char comm[32] = "";
        if (entry->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "re");
        if (file == NULL) {
            found = errno == ENOENT || errno == ESRCH ? found : UNSEEN;    /* a thread that has ended is not the one */
            continue;
        }
        errno = 0;
        if (fgets(comm, sizeof comm, file) != NULL) {
            found = strncmp(comm, name, strlen(name)) == 0 ? PRESENT : found;
        } else {
            found = errno == 0 || errno == ESRCH ? found : UNSEEN;
        }
        fclose(file);
    }
    if (tasks != NULL) {
        closedir(tasks);
    }
    return found;
}

void listener_stop(void) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/.java_pid%d", (int)getpid());
    int fd = find_socket(path);
    struct file socket;
    if (!file_of(fd, &socket)) {
        return;
    }
    /*
     * A process that has given up its user may not remove it from /tmp, and one in another root directory does not find it.
     * The JVM would take a socket that stays, and that nobody listens at, for its own, and could never be asked again.
     */
    if (unlink(path) != 0) {
        return;
    }
    shutdown(fd, SHUT_RDWR);
    enum look listener = look_for_thread("Attach Listener");
    for (int i = 0; i < LOOKS && listener != ABSENT; i++) {
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NANOS}, NULL);
        listener = look_for_thread("Attach Listener");
    }
    /*
     * Not while the listener is there, which a debugger holds: it would look at another file of this number. And not if the JVM
     * has closed the socket meanwhile, for a SIGQUIT: a thread of the program may have a file of this number by now.
     */
    if (listener == ABSENT && file_is(fd, socket)) {
        close(fd);
    }
}

/* The listener's thread, if it is the one that has loaded us; else 0. */
static pid_t caller;

/* Notes whether the attach listener has called us, whose JVM closes the library when it has our answer. */
bool listener_note_caller(void) {
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    caller = strcmp(name, "Attach Listener") == 0 ? (pid_t)syscall(SYS_gettid) : 0;
    return caller != 0;
}

/* Whether the listener waits for its next client, so that it is done with the one before. False if it cannot be seen. */
static bool accepts_again(void) {
    char path[64];
    char line[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)caller);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return errno == ENOENT;     /* it has ended */
    }
    bool accepting = fgets(line, sizeof line, file) != NULL && (atoi(line) == SYS_accept || atoi(line) == SYS_accept4)
            && line[0] != 'r';
    fclose(file);
    return accepting;
}

/* Returns when the JVM has closed the library, or after a second, in which it has. */
void listener_await_close(void) {
    for (int i = 0; i < LOOKS && !accepts_again(); i++) {
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NANOS}, NULL);
    }
}
