/*
 * The shutdown of the attach listener, whose socket the JVM may close at the same time. The listener here is a thread
 * of the test.
 */
#include "../../main/c/files.c"
#include "../../main/c/listener.c"

#include "check.h"

#include <sys/resource.h>

static int listening;
static bool closes;
static int reused;
static bool takes;
static int taken[256];
static int count;

/*
 * Waits for a client until the socket is shut down. The JVM then closes the socket if a signal requested a listener
 * meanwhile.
 */
static void *listener_run(void *unused) {
    prctl(PR_SET_NAME, "Attach Listener");
    while (accept(listening, NULL, NULL) >= 0) {
    }
    if (takes) {
        /* The descriptor that accept had reserved; the other thread may use it for a moment. */
        while ((taken[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0) {
            sched_yield();
        }
        count++;
    }
    if (closes) {
        /* In one step: a file that the other thread opens meanwhile must not get this number. */
        int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
        reused = dup3(file, listening, O_CLOEXEC);
        close(file);
    }
    return unused;
}

/* Starts a listener like the JVM's. */
static struct sockaddr_un start(pthread_t *thread, bool the_jvm_closes) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    closes = the_jvm_closes;
    reused = -1;
    snprintf(name.sun_path, sizeof name.sun_path, "/tmp/.java_pid%d", (int)getpid());
    listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(listening, (struct sockaddr *)&name, sizeof name) == 0);
    CHECK(listen(listening, 5) == 0);
    CHECK(pthread_create(thread, NULL, listener_run, NULL) == 0);
    while (listener_find_thread("Attach Listener") != THREAD_PRESENT) {
        sched_yield();
    }
    return name;
}

/* Starts and ends a listener; returns true if its descriptor number is open afterwards. */
static bool is_open_after_end(bool the_jvm_closes) {
    pthread_t thread;
    struct sockaddr_un name = start(&thread, the_jvm_closes);
    listener_stop();
    pthread_join(thread, NULL);
    CHECK(access(name.sun_path, F_OK) != 0);
    return fcntl(listening, F_GETFD) != -1;
}

static void theSocketOfAStoppedListenerIsClosed(void) {
    CHECK(!is_open_after_end(false));
}

/* The JVM has closed the descriptor, and a thread of the program has opened a file that received its number. */
static void aDescriptorThatTheJvmHasClosedIsNotClosedAgain(void) {
    CHECK(is_open_after_end(true));
    CHECK(reused == listening);
    close(reused);
}

/* If the listener ended while its file remained, the JVM could not be attached to again. */
static void aListenerWhoseFileCannotBeRemovedKeepsRunning(void) {
    pthread_t thread;
    struct sockaddr_un name = start(&thread, false);
    CHECK(unlink(name.sun_path) == 0);
    listener_stop();
    CHECK(listener_find_thread("Attach Listener") == THREAD_PRESENT);
    CHECK(fcntl(listening, F_GETFD) != -1);
    shutdown(listening, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(listening);
}

static void take_descriptors(void) {
    while (count < 200 && (taken[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) {
        count++;
    }
    CHECK(errno == EMFILE && count < 200);
}

/* A thread that cannot be looked for may exist: if its socket were closed, it could read another file. */
static void aSocketStaysOpenIfNoDescriptorIsFreeToFindTheThread(void) {
    pthread_t thread;
    struct rlimit limit;
    struct sockaddr_un name = start(&thread, false);
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK(setrlimit(RLIMIT_NOFILE, &(struct rlimit){128, limit.rlim_max}) == 0);
    take_descriptors();
    CHECK(listener_find_thread("Attach Listener") == THREAD_UNSEEN);
    close(taken[--count]);      /* one is free: for the folder, but not also for a file in it */
    CHECK(listener_find_thread("no such thread") == THREAD_UNSEEN);
    takes = true;
    listener_stop();
    pthread_join(thread, NULL);
    takes = false;
    CHECK(access(name.sun_path, F_OK) != 0 && fcntl(listening, F_GETFD) != -1);
    close(taken[--count]);
    CHECK(listener_find_thread("no such thread") == THREAD_ABSENT);
    while (count > 0) {
        close(taken[--count]);
    }
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    close(listening);
}

int main(void) {
    RUN(aSocketStaysOpenIfNoDescriptorIsFreeToFindTheThread);
    RUN(theSocketOfAStoppedListenerIsClosed);
    RUN(aDescriptorThatTheJvmHasClosedIsNotClosedAgain);
    RUN(aListenerWhoseFileCannotBeRemovedKeepsRunning);
}
