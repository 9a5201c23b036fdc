/*
 * Prints the id of a process that soon loses its memory, and exits when its standard input ends.
 *
 * first: this process, whose first thread ends at the first line of input. Another thread continues.
 * last: the first process of a pid namespace. Once it is killed, it waits in its exit, without memory, until the other
 * process of the namespace has been reaped: see pid_namespaces(7). Its parent does so when the input ends.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *reader(void *unused) {
    while (getchar() != EOF) {
        continue;
    }
    exit(0);
    return unused;
}

static void end_first(void) {
    pthread_t thread;
    printf("%d\n", getpid());
    fflush(stdout);
    getchar();
    pthread_create(&thread, NULL, reader, NULL);
    pthread_exit(NULL);
}

int main(int argc, char **argv) {
    pid_t first;
    if (argc == 2 && strcmp(argv[1], "first") == 0) {
        end_first();
    }
    if (unshare(CLONE_NEWPID) != 0) {
        return 1;
    }
    first = fork();
    if (first == 0 || fork() == 0) {
        while (1) {
            pause();
        }
    }
    printf("%d\n", first);
    fflush(stdout);
    while (getchar() != EOF) {
        continue;
    }
    kill(first, SIGKILL);
    while (wait(NULL) > 0) {
        continue;
    }
    return 0;
}
