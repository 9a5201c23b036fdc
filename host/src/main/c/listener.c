/*
 * Stops an attach listener that was started for the host: its thread ends when its socket is shut down, and the JVM
 * starts a new one for the next attach. The file is removed first, because a client that found it would wait for a
 * listener that no longer exists.
 */
#define _GNU_SOURCE
#include "listener.h"
#include "files.h"
#include "host.h"
#include "runtimes.h"

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

/*
 * Upper bound on the number of checks whether the thread has ended, and the delay between them. The thread ends as soon
 * as it is scheduled.
 */
enum { MAX_LOOKS = 200, LOOK_NANOS = 5000000 };

/*
 * Returns true if the socket has this path. The JVM binds its socket under this name plus ".tmp" and then renames it.
 */
static bool listener_is_named(const struct sockaddr_un *name, const char *path) {
    size_t length = strlen(path);
    return name->sun_family == AF_UNIX && strncmp(name->sun_path, path, length) == 0
            && (name->sun_path[length] == 0 || strcmp(name->sun_path + length, ".tmp") == 0);
}

/*
 * Returns the descriptor of the listening socket with this path, or -1. Also returns -1 if there are two: another JVM
 * of the process may have listened there before, and they cannot be distinguished.
 */
static int listener_find_socket(const char *path) {
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
                && listener_is_named(&name, path)
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

/* The result of a search through the threads. */
enum listener_look { THREAD_ABSENT, THREAD_PRESENT, THREAD_UNSEEN };

/* Looks for a thread with this name. If no descriptor is free (EMFILE), the result is unknown. */
static enum listener_look listener_find_thread(const char *name) {
    DIR *tasks = opendir("/proc/self/task");
    enum listener_look found = tasks == NULL ? THREAD_UNSEEN : THREAD_ABSENT;
    for (struct dirent *entry; tasks != NULL && found != THREAD_PRESENT && (entry = readdir(tasks)) != NULL;) {
        char path[300];
        char comm[32] = "";
        if (entry->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "re");
        if (file == NULL) {
            found = errno == ENOENT || errno == ESRCH ? found : THREAD_UNSEEN;    /* that thread has ended */
            continue;
        }
        errno = 0;
        if (fgets(comm, sizeof comm, file) != NULL) {
            found = strncmp(comm, name, strlen(name)) == 0 ? THREAD_PRESENT : found;
        } else {
            found = errno == 0 || errno == ESRCH ? found : THREAD_UNSEEN;
        }
        fclose(file);
    }
    if (tasks != NULL) {
        closedir(tasks);
    }
    return found;
}

/*
 * Returns true if the attach listener belongs, or may belong, to another JVM of the process. It belongs to this JVM if
 * it loaded the host, unless the options state otherwise; a host loaded at launch may have another JVM beside it.
 */
bool listener_is_others(void) {
    return host.listener_is_others || (host.at_launch && runtime_has_company());
}

void listener_stop(void) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/.java_pid%d", (int)getpid());
    int fd = listener_find_socket(path);
    struct file socket;
    if (!file_of(fd, &socket)) {
        return;
    }
    /*
     * A process that has given up its user may be unable to remove the file from /tmp, and a process in another root
     * directory does not find it. If the file remained without a listener, the JVM would take it for its own and could
     * never be attached to again.
     */
    if (unlink(path) != 0) {
        return;
    }
    shutdown(fd, SHUT_RDWR);
    enum listener_look listener = listener_find_thread("Attach Listener");
    for (int i = 0; i < MAX_LOOKS && listener != THREAD_ABSENT; i++) {
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NANOS}, NULL);
        listener = listener_find_thread("Attach Listener");
    }
    /*
     * The socket stays open if the listener's thread still exists, for instance because a debugger holds it: after a
     * close, the thread could read another file under this number. It also stays if the JVM has closed the socket
     * meanwhile because of a SIGQUIT: a thread of the program may now have a file with this number.
     */
    if (listener == THREAD_ABSENT && file_is(fd, socket)) {
        close(fd);
    }
}

/* The listener's thread if it loaded the host; otherwise 0. */
static pid_t listener_caller;

/* Records whether the attach listener called the host. Its JVM then closes the library after it receives the answer. */
bool listener_note_caller(void) {
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    listener_caller = strcmp(name, "Attach Listener") == 0 ? (pid_t)syscall(SYS_gettid) : 0;
    return listener_caller != 0;
}

/*
 * Returns true if the listener waits for its next client and has therefore finished the previous one. Returns false if
 * that cannot be determined.
 */
static bool listener_accepts_again(void) {
    char path[64];
    char line[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)listener_caller);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return errno == ENOENT;     /* it has ended */
    }
    bool accepting = fgets(line, sizeof line, file) != NULL && (atoi(line) == SYS_accept || atoi(line) == SYS_accept4)
            && line[0] != 'r';
    fclose(file);
    return accepting;
}

/* Returns when the JVM has closed the library, or after one second, which is sufficient for that. */
void listener_await_close(void) {
    for (int i = 0; i < MAX_LOOKS && !listener_accepts_again(); i++) {
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NANOS}, NULL);
    }
}
