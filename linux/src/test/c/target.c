/*
 * A program to be traced. Prints one line when it has reached the state that the test needs, and exits when its
 * standard input ends, unless it burns forever (f). On a line of input it executes itself again (x), does so
 * repeatedly without input (X), or ends its first thread (z).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <ucontext.h>
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

/* Every frame stores its depth and its round: (round << 16 | level) << 16 | 0xfeed. */
__attribute__((noinline)) static void deeper(unsigned long round, unsigned long level) {
    volatile unsigned long marks[12];
    for (int i = 0; i < 12; i++) {
        marks[i] = (round << 16 | level) << 16 | 0xfeed;
    }
    if (level < 3000) {
        deeper(round, level + 1);
    }
    sum += marks[level % 12];
}

static void *diver(void *unused) {
    for (unsigned long round = 1;; round++) {
        deeper(round, 1);
    }
    return unused;
}

static void *burner(void *unused) {
    burn();
    return unused;
}

/* A frame with pages in the middle that are never touched. Each sample must still contain the mark above the frame. */
static unsigned long *below_the_mark;

__attribute__((noinline)) static void over_a_hole(volatile char *buffer) {
    for (;;) {
        buffer[0]++;
    }
}

__attribute__((noinline)) static void with_a_hole(void) {
    volatile char buffer[64 * 4096];
    over_a_hole(buffer);
}

static void *holed(void *unused) {
    volatile unsigned long mark[2] = {0x1234feed, 0x1234feed};
    below_the_mark = (unsigned long *) mark;
    with_a_hole();
    return unused;
}

/* A thread with readable memory right after the end of its stack, as can happen in any process. */
static void *burner_below_a_mapping(void) {
    const size_t size = 1 << 20;
    pthread_t t;
    pthread_attr_t attr;
    char *stack = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) {
        return NULL;
    }
    memset(stack, 'x', 2 * size);
    pthread_attr_init(&attr);
    pthread_attr_setstack(&attr, stack, size);
    pthread_create(&t, &attr, burner, NULL);
    return stack + size;
}

/* A thread whose stack is followed by a guard page in the same mapping, as glibc 2.42 makes them on Linux 6.13. */
__attribute__((noinline)) static void burn_below(volatile char *pages) {
    pages[0] = 1;
    burn();
}

static void *burner_with_pages(void *unused) {
    volatile char pages[3 * 4096];
    burn_below(pages);
    return unused;
}

static void *burner_below_a_guard(void) {
    const size_t size = 1 << 18;
    const int guard_install = 102;
    pthread_t t;
    pthread_attr_t attr;
    char *stack = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) {
        return NULL;
    }
    memset(stack, 'x', 2 * size);
    if (madvise(stack + size, 4096, guard_install) != 0) {
        mprotect(stack + size, 4096, PROT_NONE);
    }
    pthread_attr_init(&attr);
    pthread_attr_setstack(&attr, stack, size);
    pthread_create(&t, &attr, burner_with_pages, NULL);
    return stack + size;
}

/* A readable mapping after the end of a stack that the program allocates, far from the thread's fs base. */
static void *switched_below_a_mapping(void *address) {
    const size_t size = 1 << 20;
    static ucontext_t before, switched;
    memset(address, 'x', 2 * size);
    getcontext(&switched);
    switched.uc_stack.ss_sp = address;
    switched.uc_stack.ss_size = size;
    makecontext(&switched, burn, 0);
    swapcontext(&before, &switched);
    return NULL;
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

/* Reads from a socket with a time-out that does not expire: by read(2), or by readv(2). */
static void *receiver(void *vector) {
    int pair[2];
    char byte;
    struct timeval limit = {.tv_sec = 100000};
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0
            || setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0) {
        return NULL;
    }
    for (;;) {
        if ((vector != NULL ? readv(pair[0], &part, 1) : read(pair[0], &byte, 1)) < 0 && errno == EINTR) {
            interrupted++;
        }
    }
    return NULL;
}

/* Closes a connection whose peer never reads, with SO_LINGER, by a call that closes descriptors: if the call ends, it
   has ended early. */
static void *lingerer(void *call) {
    static char block[1 << 16];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    struct linger linger = {.l_onoff = 1, .l_linger = 30000};
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    int connected = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listening, (struct sockaddr *) &address, length) != 0 || listen(listening, 1) != 0
            || getsockname(listening, (struct sockaddr *) &address, &length) != 0
            || connect(connected, (struct sockaddr *) &address, length) != 0
            || setsockopt(connected, SOL_SOCKET, SO_LINGER, &linger, sizeof linger) != 0) {
        return NULL;
    }
    while (send(connected, block, sizeof block, MSG_DONTWAIT) > 0) {
        continue;
    }
    switch ((long) call) {
    case SYS_dup2:
        dup2(listening, connected);
        break;
    case SYS_dup3:
        dup3(listening, connected, 0);
        break;
    case SYS_close_range:
        syscall(SYS_close_range, connected, connected, 0);
        break;
    default:
        close(connected);
    }
    interrupted++;
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

/* Executes the same program again, by execve(2) from a thread that is not the first. */
static void *executor(void *argv) {
    for (int i = 0; i < 300000; i++) {
        sum += i;
    }
    execv("/proc/self/exe", argv);
    return NULL;
}

static void handler(int signal) {
    handled++;
}

/* Signals the burner as fast as the burner handles signals: one is always pending. If one is lost, no other follows. */
static void *kicker(void *burner) {
    for (int sent = 1;; sent++) {
        pthread_kill(*(pthread_t *) burner, SIGUSR1);
        while (handled < sent) {
            sched_yield();
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    char line[64];
    int epoll = epoll_create1(0);
    void *stack_end = NULL;
    pthread_t t;
    pthread_t burning;
    for (int i = 0; i < 4096; i++) {
        pattern[i] = 0x0123456789abcdefUL * (i + 1);
    }
    signal(SIGUSR1, handler);
    if (strchr(argv[1], 'b')) {
        pthread_create(&burning, NULL, burner, NULL);
    }
    if (strchr(argv[1], 'k')) {
        pthread_create(&t, NULL, kicker, &burning);
    }
    if (strchr(argv[1], 'd')) {
        pthread_create(&t, NULL, diver, NULL);
    }
    if (strchr(argv[1], 'm')) {
        stack_end = burner_below_a_mapping();
    }
    if (strchr(argv[1], 'g')) {
        stack_end = burner_below_a_guard();
    }
    if (strchr(argv[1], 'c')) {
        const size_t size = 1 << 20;
        char *stack = mmap((void *) 0x10000000000, 2 * size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stack != MAP_FAILED) {
            pthread_create(&t, NULL, switched_below_a_mapping, stack);
            stack_end = stack + size;
        }
    }
    if (strchr(argv[1], 'h')) {
        pthread_create(&t, NULL, holed, NULL);
        while (!*(unsigned long *volatile *) &below_the_mark) {
            sched_yield();
        }
        stack_end = below_the_mark;
    }
    if (strchr(argv[1], 'e')) {
        pthread_create(&t, NULL, waiter, &epoll);
    }
    if (strchr(argv[1], 'r')) {
        pthread_create(&t, NULL, receiver, NULL);
    }
    if (strchr(argv[1], 'v')) {
        pthread_create(&t, NULL, receiver, &epoll);
    }
    if (strchr(argv[1], 'l')) {
        pthread_create(&t, NULL, lingerer, (void *) SYS_close);
    }
    if (strchr(argv[1], '2')) {
        pthread_create(&t, NULL, lingerer, (void *) SYS_dup2);
    }
    if (strchr(argv[1], '3')) {
        pthread_create(&t, NULL, lingerer, (void *) SYS_dup3);
    }
    if (strchr(argv[1], '4')) {
        pthread_create(&t, NULL, lingerer, (void *) SYS_close_range);
    }
    if (strchr(argv[1], 's')) {
        pthread_create(&t, NULL, spawner, NULL);
    }
    if (strchr(argv[1], 'X') && argc == 3) {
        pthread_create(&t, NULL, executor, argv);
    }
    pthread_setname_np(pthread_self(), "odd) name (");
    if (argc == 2) {
        printf("%p %p %p\n", (void *) pattern, (void *) burn, stack_end);
        fflush(stdout);
    }
    if (strchr(argv[1], 'z')) {
        fgets(line, sizeof line, stdin);
        pthread_exit(NULL);
    }
    if (strchr(argv[1], 'f')) {
        burn();
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strchr(argv[1], 'x')) {
            execv("/proc/self/exe", argv);
        }
        if (strchr(argv[1], 'X')) {
            char *silent[] = {argv[0], argv[1], "silent", NULL};
            execv("/proc/self/exe", silent);
        }
        printf("%d %d\n", interrupted, handled);
        fflush(stdout);
    }
    return 0;
}
