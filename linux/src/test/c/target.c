/* A program to be traced. Prints one line when it is where the test wants it, and ends when its standard input does,
   unless it is to burn for ever (f). */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile unsigned long sum;
static unsigned long pattern[4096];
static volatile int interrupted;
static volatile int handled;

__attribute__((noinline)) static void burn(void) {
    for (;;) {
        for (int i = 0; i < 1000; i++) {
            sum = sum * 31 + i;
        }
    }
}

static void *burner(void *unused) {
    burn();
    return unused;
}

static void *waiter(void *epoll) {
    struct epoll_event event;
    for (;;) {
        if (epoll_wait(*(int *) epoll, &event, 1, -1) < 0 && errno == EINTR) {
            interrupted++;
        }
    }
    return NULL;
}

static void *shortlived(void *unused) {
    for (int i = 0; i < 100000; i++) {
        sum += i;
    }
    return unused;
}

static void *spawner(void *unused) {
    for (;;) {
        pthread_t t;
        if (pthread_create(&t, NULL, shortlived, NULL) == 0) {
            pthread_join(t, NULL);
        }
    }
    return unused;
}

static void handler(int signal) {
    handled++;
}

int main(int argc, char **argv) {
    char line[64];
    int epoll = epoll_create1(0);
    pthread_t t;
    for (int i = 0; i < 4096; i++) {
        pattern[i] = 0x0123456789abcdefUL * (i + 1);
    }
    signal(SIGUSR1, handler);
    if (strchr(argv[1], 'b')) {
        pthread_create(&t, NULL, burner, NULL);
    }
    if (strchr(argv[1], 'e')) {
        pthread_create(&t, NULL, waiter, &epoll);
    }
    if (strchr(argv[1], 's')) {
        pthread_create(&t, NULL, spawner, NULL);
    }
    pthread_setname_np(pthread_self(), "odd) name (");
    printf("%p %p\n", (void *) pattern, (void *) burn);
    fflush(stdout);
    if (strchr(argv[1], 'f')) {
        burn();
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        printf("%d %d\n", interrupted, handled);
        fflush(stdout);
    }
    return 0;
}
