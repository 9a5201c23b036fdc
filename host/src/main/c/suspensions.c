/*
 * The number, duration and reason of the JVM's safepoints. On command the JVM logs one line per safepoint, until
 * another command stops the log. The log file is a memfd of the host, which releases each part after reading it.
 *
 *     [47090211167000ns] Safepoint "G1CollectFull", ..., Reaching safepoint: 6099 ns, ..., Total: 9083429 ns[, ...]
 */
#define _GNU_SOURCE
#include "suspensions.h"
#include "command.h"
#include "files.h"
#include "queue.h"
#include "wake.h"

#include <errno.h>
#include <linux/falloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CLOEXEC = 1, PAGE = 4096, MOST_LINE = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;    /* protects the descriptors and the data already read */
static int log_fd = -1;
static int change_fd = -1;      /* readable when the JVM has written */
static struct file log_file;
static struct file change_file;
static off_t read_to;
static char line[MOST_LINE];    /* the part of a line read so far */
static size_t line_length;

static pthread_mutex_t setting = PTHREAD_MUTEX_INITIALIZER;     /* protects the JVM's log setting */
static enum { OFF, ON, MAYBE } told = OFF;
static bool ended;

static void close_log(void) {
    pthread_mutex_lock(&lock);
    file_close(&change_fd, change_file);
    file_close(&log_fd, log_file);
    pthread_mutex_unlock(&lock);
    wake_channel();
}

static bool open_log(void) {
    struct rlimit limit;
    char path[32];
    /* With a limit on the size of files, each write beyond it would raise a signal. */
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) {
        return false;
    }
    pthread_mutex_lock(&lock);
    log_fd = (int)syscall(SYS_memfd_create, "mayfly-log", CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", log_fd);
    change_fd = log_fd < 0 ? -1 : inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    bool opened = change_fd >= 0 && inotify_add_watch(change_fd, path, IN_MODIFY) >= 0
            && file_of(log_fd, &log_file) && file_of(change_fd, &change_file);
    read_to = 0;
    line_length = 0;
    pthread_mutex_unlock(&lock);
    wake_channel();
    return opened;
}

static enum command_outcome tell_jvm(const char *what) {
    char command[160];
    /*
     * If an answer was lost, the JVM may open this name as a new log. filecount=0 prevents it from renaming the file.
     */
    snprintf(command, sizeof command,
             "VM.log output=/proc/self/fd/%d what=%s decorators=timenanos output_options=filecount=0",
            log_fd, what);
    return command_run(command);
}

static bool begin(void) {
    enum command_outcome outcome = open_log() ? tell_jvm("safepoint=info") : COMMAND_NOT_SENT;
    if (outcome == COMMAND_NOT_SENT || outcome == COMMAND_REFUSED) {
        close_log();
    } else {
        told = outcome == COMMAND_DONE ? ON : MAYBE;
    }
    return told == ON;
}

static bool end(void) {
    if (tell_jvm("all=off") != COMMAND_DONE) {
        told = MAYBE;
        return false;
    }
    told = OFF;
    suspensions_read();
    close_log();
    return true;
}

/*
 * Switches the log on or off. Returns true if the JVM has done so. If the JVM did not answer, it may still execute the
 * command; the next command must then switch the log off.
 */
bool suspensions_set(bool on) {
    pthread_mutex_lock(&setting);
    bool done = told != MAYBE || end();
    if (done && on != (told == ON)) {
        done = !on ? end() : !ended && begin();
    }
    pthread_mutex_unlock(&setting);
    return done;
}

/* Switches the log off permanently. Returns false if the command must be repeated. */
bool suspensions_end(void) {
    pthread_mutex_lock(&setting);
    ended = true;
    pthread_mutex_unlock(&setting);
    return suspensions_set(false);
}

/* The descriptor that the channel's thread polls; -1 if there is none. */
int suspensions_fd(void) {
    pthread_mutex_lock(&lock);
    int fd = change_fd;
    pthread_mutex_unlock(&lock);
    return fd;
}

/* Returns the number after these words, or -1. */
static jlong number_after(const char *words) {
    const char *at = strstr(line, words);
    return at == NULL ? -1 : strtoll(at + strlen(words), NULL, 10);
}

static struct event *parse(void) {
    char *reason = strstr(line, "Safepoint \"");
    char *end = reason == NULL ? NULL : strchr(reason + strlen("Safepoint \""), '"');
    jlong logged = line[0] == '[' ? strtoll(line + 1, NULL, 10) : -1;
    jlong reaching = number_after("Reaching safepoint: ");
    jlong total = number_after("Total: ");
    if (end == NULL || logged <= 0 || reaching < 0 || total < reaching || total > logged) {
        return NULL;
    }
    struct event *event = event_new(UPCALL_KIND_RUNTIME_SUSPENDED, reaching, total);
    if (event != NULL) {
        *end = 0;
        event->numbers[0] = logged - total;
        event->text[0] = strdup(reason + strlen("Safepoint \""));
    }
    return event;
}

/* A line that cannot be parsed counts as a lost event. */
static void take(char character) {
    if (character != '\n') {
        line[line_length] = character;
        line_length += line_length < sizeof line - 1 ? 1 : 0;
        return;
    }
    line[line_length] = 0;
    line_length = 0;
    queue_add(NULL, parse());
}

/* Reads the data written since the last call. */
void suspensions_read(void) {
    char bytes[4096];
    pthread_mutex_lock(&lock);
    while (change_fd >= 0 && read(change_fd, bytes, sizeof bytes) > 0) {
    }
    for (ssize_t count; log_fd >= 0 && (count = pread(log_fd, bytes, sizeof bytes, read_to)) > 0; read_to += count) {
        for (ssize_t i = 0; i < count; i++) {
            take(bytes[i]);
        }
    }
    /* Releases page by page: truncating the file would lose data written concurrently. */
    off_t whole = read_to / PAGE * PAGE;
    if (whole > 0 && file_is(log_fd, log_file)) {
        syscall(SYS_fallocate, log_fd, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, (off_t)0, whole);
    }
    pthread_mutex_unlock(&lock);
}
