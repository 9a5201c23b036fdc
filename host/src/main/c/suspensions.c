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

enum { CLOEXEC = 1, PAGE = 4096, MAX_LINE = 1024 };

/* Protects the descriptors and the data already read. */
static pthread_mutex_t safepoint_lock = PTHREAD_MUTEX_INITIALIZER;
static int safepoint_log_fd = -1;
static int safepoint_change_fd = -1;      /* readable when the JVM has written */
static struct file safepoint_log_file;
static struct file safepoint_change_file;
static off_t safepoint_read_to;
static char safepoint_line[MAX_LINE];    /* the part of a line read so far */
static size_t safepoint_line_length;

static pthread_mutex_t safepoint_setting_lock = PTHREAD_MUTEX_INITIALIZER;     /* protects the JVM's log setting */
static enum { LOG_OFF, LOG_ON, LOG_UNKNOWN } safepoint_log_state = LOG_OFF;
static bool safepoint_log_ended;

static void safepoint_log_close(void) {
    pthread_mutex_lock(&safepoint_lock);
    file_close(&safepoint_change_fd, safepoint_change_file);
    file_close(&safepoint_log_fd, safepoint_log_file);
    pthread_mutex_unlock(&safepoint_lock);
    wake_channel();
}

static bool safepoint_log_open(void) {
    struct rlimit limit;
    char path[32];
    /* With a limit on the size of files, each write beyond it would raise a signal. */
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) {
        return false;
    }
    pthread_mutex_lock(&safepoint_lock);
    safepoint_log_fd = (int)syscall(SYS_memfd_create, HOST_NAME_LOG_MEMFD, CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", safepoint_log_fd);
    safepoint_change_fd = safepoint_log_fd < 0 ? -1 : inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    bool opened = safepoint_change_fd >= 0 && inotify_add_watch(safepoint_change_fd, path, IN_MODIFY) >= 0
            && file_of(safepoint_log_fd, &safepoint_log_file) && file_of(safepoint_change_fd, &safepoint_change_file);
    safepoint_read_to = 0;
    safepoint_line_length = 0;
    pthread_mutex_unlock(&safepoint_lock);
    wake_channel();
    return opened;
}

static enum command_outcome safepoint_log_command(const char *what) {
    char command[160];
    /*
     * If an answer was lost, the JVM may open this name as a new log. filecount=0 prevents it from renaming the file.
     */
    snprintf(command, sizeof command,
             "VM.log output=/proc/self/fd/%d what=%s decorators=timenanos output_options=filecount=0",
            safepoint_log_fd, what);
    return command_run(command);
}

static bool safepoint_log_begin(void) {
    enum command_outcome outcome = safepoint_log_open() ? safepoint_log_command("safepoint=info") : COMMAND_NOT_SENT;
    if (outcome == COMMAND_NOT_SENT || outcome == COMMAND_REFUSED) {
        safepoint_log_close();
    } else {
        safepoint_log_state = outcome == COMMAND_DONE ? LOG_ON : LOG_UNKNOWN;
    }
    return safepoint_log_state == LOG_ON;
}

static bool safepoint_log_end(void) {
    if (safepoint_log_command("all=off") != COMMAND_DONE) {
        safepoint_log_state = LOG_UNKNOWN;
        return false;
    }
    safepoint_log_state = LOG_OFF;
    suspensions_read();
    safepoint_log_close();
    return true;
}

/*
 * Switches the log on or off. Returns true if the JVM has done so. If the JVM did not answer, it may still execute the
 * command; the next command must then switch the log off.
 */
bool suspensions_set(bool on) {
    pthread_mutex_lock(&safepoint_setting_lock);
    bool done = safepoint_log_state != LOG_UNKNOWN || safepoint_log_end();
    if (done && on != (safepoint_log_state == LOG_ON)) {
        done = !on ? safepoint_log_end() : !safepoint_log_ended && safepoint_log_begin();
    }
    pthread_mutex_unlock(&safepoint_setting_lock);
    return done;
}

/* Switches the log off permanently. Returns false if the command must be repeated. */
bool suspensions_end(void) {
    pthread_mutex_lock(&safepoint_setting_lock);
    safepoint_log_ended = true;
    pthread_mutex_unlock(&safepoint_setting_lock);
    return suspensions_set(false);
}

/* The descriptor that the channel's thread polls; -1 if there is none. */
int suspensions_fd(void) {
    pthread_mutex_lock(&safepoint_lock);
    int fd = safepoint_change_fd;
    pthread_mutex_unlock(&safepoint_lock);
    return fd;
}

/* Returns the number after these words, or -1. */
static jlong safepoint_number_after(const char *words) {
    const char *at = strstr(safepoint_line, words);
    return at == NULL ? -1 : strtoll(at + strlen(words), NULL, 10);
}

static struct event *safepoint_parse(void) {
    char *reason = strstr(safepoint_line, "Safepoint \"");
    char *end = reason == NULL ? NULL : strchr(reason + strlen("Safepoint \""), '"');
    jlong logged = safepoint_line[0] == '[' ? strtoll(safepoint_line + 1, NULL, 10) : -1;
    jlong reaching = safepoint_number_after("Reaching safepoint: ");
    jlong total = safepoint_number_after("Total: ");
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
static void safepoint_take(char character) {
    if (character != '\n') {
        safepoint_line[safepoint_line_length] = character;
        safepoint_line_length += safepoint_line_length < sizeof safepoint_line - 1 ? 1 : 0;
        return;
    }
    safepoint_line[safepoint_line_length] = 0;
    safepoint_line_length = 0;
    queue_add(NULL, safepoint_parse());
}

/* Reads the data written since the last call. */
void suspensions_read(void) {
    char bytes[4096];
    pthread_mutex_lock(&safepoint_lock);
    while (safepoint_change_fd >= 0 && read(safepoint_change_fd, bytes, sizeof bytes) > 0) {
    }
    for (ssize_t count; safepoint_log_fd >= 0
            && (count = pread(safepoint_log_fd, bytes, sizeof bytes, safepoint_read_to)) > 0;
            safepoint_read_to += count) {
        for (ssize_t i = 0; i < count; i++) {
            safepoint_take(bytes[i]);
        }
    }
    /* Releases page by page: truncating the file would lose data written concurrently. */
    off_t whole = safepoint_read_to / PAGE * PAGE;
    if (whole > 0 && file_is(safepoint_log_fd, safepoint_log_file)) {
        syscall(SYS_fallocate, safepoint_log_fd, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, (off_t)0, whole);
    }
    pthread_mutex_unlock(&safepoint_lock);
}
