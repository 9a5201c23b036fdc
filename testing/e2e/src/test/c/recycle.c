/*
 * recycle FILE PID...: starts a child with each of these process ids, in its own pid namespace. Each child has the
 * file open under every descriptor from 3 to 255, and runs as user 65534. Prints "READY" and waits. Needs permission to
 * write ns_last_pid, see pid_namespaces(7).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The id of an ended process becomes free when its parent has been notified. */
enum { TRIES = 2000, REST_MICROS = 5000 };

static void hold(const char *path) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int fd = open(path, O_RDONLY);
    for (int i = 3; fd >= 0 && i < 256; i++) {
        if (i != fd) {
            dup2(fd, i);
        }
    }
    if (fd < 0 || setgid(65534) != 0 || setuid(65534) != 0) {
        _exit(1);
    }
    for (;;) {
        pause();
    }
}

static int take(int pid, const char *path) {
    for (int i = 0; i < TRIES; i++) {
        FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "w");
        if (last == NULL || fprintf(last, "%d", pid - 1) < 0 || fclose(last) != 0) {
            return 0;
        }
        pid_t child = fork();
        if (child == 0) {
            if (getpid() == pid) {
                hold(path);
            }
            _exit(0);
        }
        if (child == pid) {
            return 1;
        }
        waitpid(child, NULL, 0);
        usleep(REST_MICROS);
    }
    return 0;
}

int main(int argc, char **argv) {
    for (int i = 2; i < argc; i++) {
        if (!take(atoi(argv[i]), argv[1])) {
            fprintf(stderr, "no child got the process id %s\n", argv[i]);
            return 1;
        }
    }
    puts("READY");
    fflush(stdout);
    for (;;) {
        pause();
    }
}
