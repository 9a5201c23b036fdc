/*
 * latenames: starts one thread after the other. Each thread runs for 2 ms of CPU time under the name of its creator,
 * "maker", then takes the name "named" and waits for 20 ms. Prints "READY" and ends with its standard input.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void *named(void *unused) {
    struct timespec used = {0};
    struct timespec rest = {.tv_nsec = 20000000};
    while (used.tv_nsec < 2000000) {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    }
    pthread_setname_np(pthread_self(), "named");
    nanosleep(&rest, NULL);
    return unused;
}

static void *maker(void *unused) {
    pthread_setname_np(pthread_self(), "maker");
    printf("READY\n");
    fflush(stdout);
    for (;;) {
        pthread_t thread;
        clockid_t clock;
        struct timespec used = {0};
        struct timespec step = {.tv_nsec = 200000};
        if (pthread_create(&thread, NULL, named, NULL) != 0) {
            exit(1);
        }
        /* The next thread starts when this one has its name. */
        while (pthread_getcpuclockid(thread, &clock) == 0 && clock_gettime(clock, &used) == 0
                && used.tv_nsec < 2000000) {
            nanosleep(&step, NULL);
        }
        pthread_detach(thread);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, maker, NULL) != 0) {
        return 1;
    }
    while (getchar() != EOF) {
        continue;
    }
    return 0;
}
