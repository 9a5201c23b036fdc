/*
 * The JVM's own log (-Xlog) as a source of events that need no JVMTI. On command the JVM logs the lines of some tags,
 * until another command stops the log. The log file is a memfd of the host, which releases each part after reading it.
 * A line of a safepoint is an event by itself; the Java half reads the other lines. A line begins with its time and the
 * kernel's number of the thread that has written it, each padded with blanks to the width of the longest one before.
 *
 *     [47090211167000ns][4711 ] Safepoint "G1CollectFull", ..., Reaching safepoint: 6099 ns, ..., Total: 9083429 ns[, ]
 *     [47090211183000ns][4711 ] GC(3) Pause Full (System.gc()) 12M->0M(61M) 3.656ms
 */
#define _GNU_SOURCE
#include "vmlog.h"
#include "command.h"
#include "files.h"
#include "flags.h"
#include "queue.h"
#include "timer.h"
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

enum { CLOEXEC = 1, PAGE = 4096, MAX_LINE = 4096 };

/*
 * The tags that an event needs, and their level. Each has a command of its own, because the JVM refuses a whole command
 * for a combination of tags that it does not know. A row with a flag is needed only if the JVM has that flag set: ZGC
 * logs its pauses under other tags than the other collectors.
 */
static const struct vmlog_row {
    uint32_t bit;
    const char *tags;
    const char *level;
    const char *flag;
} vmlog_rows[] = {
    {EVENT_BIT_SUSPENSIONS, "safepoint", "info", NULL},
    {EVENT_BIT_GARBAGE_COLLECTIONS, "gc", "info", NULL},
    {EVENT_BIT_GARBAGE_COLLECTIONS, "gc+phases", "info", "UseZGC"},
    {EVENT_BIT_THREADS, "os+thread", "info", NULL},
    {EVENT_BIT_CLASS_LOADS, "class+load", "debug", NULL},
    {EVENT_BIT_CLASS_LOADS, "class+unload", "info", NULL},
    {EVENT_BIT_COMPILATIONS, "jit+compilation", "debug", NULL},
    {EVENT_BIT_COMPILATIONS, "nmethod+install", "info", NULL},
    {EVENT_BIT_DEOPTIMIZATIONS, "deoptimization", "debug", NULL},
    {EVENT_BIT_MODULE_LOADS, "module", "debug", NULL},
    {EVENT_BIT_MODULE_LOADS, "class+loader+data", "trace", NULL},
};
enum { VMLOG_ROWS = sizeof vmlog_rows / sizeof vmlog_rows[0] };

/*
 * The lines for the Java half: what they begin with, and words that they contain. The JVM logs others, too. The last
 * two begin with the name of a class and with a number.
 */
static const struct vmlog_line {
    enum log_topic topic;
    const char *begin;
    const char *words;
} vmlog_lines[] = {
    {LOG_TOPIC_COLLECTION, "GC(", " Pause "},
    {LOG_TOPIC_THREAD, "Thread \"", "\" started (pthread id: "},
    {LOG_TOPIC_THREAD, "Thread is alive (", ""},
    {LOG_TOPIC_THREAD, "Thread attached (", ""},
    {LOG_TOPIC_THREAD, "JavaThread exiting (", ""},
    {LOG_TOPIC_THREAD, "JavaThread detaching (", ""},
    {LOG_TOPIC_COMPILATION, "Installing ", ""},
    {LOG_TOPIC_CLASS, "unloading class ", ""},
    {LOG_TOPIC_CLASS, " klass: 0x", ""},
    {LOG_TOPIC_DEOPTIMIZATION, "cid=", " trap_bci="},
    {LOG_TOPIC_MODULE, "define_module(): creation of module: ", ", loader data: 0x"},
    {LOG_TOPIC_MODULE, "unloadloader data: 0x", ""},
    {LOG_TOPIC_CLASS, "", " source: "},
    {LOG_TOPIC_COMPILATION_START, "", " bytes)"},
};
enum { VMLOG_LINES = sizeof vmlog_lines / sizeof vmlog_lines[0] };

/* The number of pages of the log that are released at once, at least. */
enum { RELEASED_PAGES = 16 };

/* Upper bound on the threads between the line of their creation and that of their start. */
enum { MAX_CREATED = 256 };

/* Protects the descriptors and the data already read. */
static pthread_mutex_t vmlog_lock = PTHREAD_MUTEX_INITIALIZER;
static int vmlog_fd_of_file = -1;
static int vmlog_fd_of_change = -1;      /* readable when the JVM has written */
static struct file vmlog_file;
static struct file vmlog_change_file;
static off_t vmlog_read_to;
static off_t vmlog_released_to;          /* the pages before it are released */
static char vmlog_text[MAX_LINE];        /* the part of a line read so far */
static size_t vmlog_length;

static pthread_mutex_t vmlog_setting_lock = PTHREAD_MUTEX_INITIALIZER;     /* protects the JVM's log setting */
/* LOG_UNKNOWN: the JVM has not answered a command, and may still execute it. */
static enum { LOG_CLOSED, LOG_OPEN, LOG_UNKNOWN } vmlog_state = LOG_CLOSED;
static uint32_t vmlog_on;                /* the rows that the JVM logs, one bit each */
static bool vmlog_ended;
static bool vmlog_is_owed;               /* a log was to be restored, and the JVM has refused or not answered */
static uint32_t vmlog_owed;              /* its rows */
static uint64_t vmlog_delay;             /* until the next attempt, ns */

/* The first and the longest delay before a log is restored again. */
#define VMLOG_FIRST_DELAY_NANOS 1000000000ull
#define VMLOG_MAX_DELAY_NANOS 64000000000ull

/*
 * The number of the next suspension, which the pauses of collections that are read before its line belong to: the JVM
 * logs them during the suspension, and the suspension at its end. A line that is lost leaves a number unused.
 */
static jlong vmlog_suspension = 1;
/*
 * A thread that creates another writes a line, which names the new thread by its pthread_t only; then the new thread
 * writes one, which has the kernel's number too. Both get the same number.
 */
static struct { uint64_t pthread; jlong number; } vmlog_created[MAX_CREATED];
static jlong vmlog_creations;
static bool vmlog_has_suspensions;       /* the JVM logs the suspension of each pause that is read from now on */

static void vmlog_close(void) {
    pthread_mutex_lock(&vmlog_lock);
    file_close(&vmlog_fd_of_change, vmlog_change_file);
    file_close(&vmlog_fd_of_file, vmlog_file);
    vmlog_has_suspensions = false;
    pthread_mutex_unlock(&vmlog_lock);
    vmlog_state = LOG_CLOSED;
    vmlog_on = 0;
    wake_channel();
}

static bool vmlog_open(void) {
    struct rlimit limit;
    char path[32];
    /* With a limit on the size of files, each write beyond it would raise a signal. */
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) {
        return false;
    }
    pthread_mutex_lock(&vmlog_lock);
    vmlog_fd_of_file = (int)syscall(SYS_memfd_create, HOST_NAME_LOG_MEMFD, CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", vmlog_fd_of_file);
    vmlog_fd_of_change = vmlog_fd_of_file < 0 ? -1 : inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    bool opened = vmlog_fd_of_change >= 0 && inotify_add_watch(vmlog_fd_of_change, path, IN_MODIFY) >= 0
            && file_of(vmlog_fd_of_file, &vmlog_file) && file_of(vmlog_fd_of_change, &vmlog_change_file);
    vmlog_read_to = 0;
    vmlog_released_to = 0;
    vmlog_length = 0;
    pthread_mutex_unlock(&vmlog_lock);
    vmlog_state = LOG_OPEN;
    wake_channel();
    return opened;
}

static enum command_outcome vmlog_command(const char *tags, const char *level) {
    char command[192];
    /*
     * If an answer was lost, the JVM may open this name as a new log. filecount=0 prevents it from renaming the file.
     */
    snprintf(command, sizeof command,
             "VM.log output=/proc/self/fd/%d what=%s=%s decorators=timenanos,tid output_options=filecount=0",
             vmlog_fd_of_file, tags, level);
    enum command_outcome outcome = command_run_silent(command, "Output options for existing outputs are ignored.\n");
    if (outcome == COMMAND_UNANSWERED) {
        vmlog_state = LOG_UNKNOWN;
    }
    return outcome;
}

/* Makes the JVM stop its log to this file. Returns true if it has. */
static bool vmlog_stop(void) {
    if (vmlog_command("all", "off") != COMMAND_DONE) {
        vmlog_state = LOG_UNKNOWN;
        return false;
    }
    vmlog_read();
    vmlog_close();
    return true;
}

/* The JVM has begun to log suspensions. Those of the pauses that it has logged until now may have no line. */
static void vmlog_begin_suspensions(void) {
    vmlog_read();
    pthread_mutex_lock(&vmlog_lock);
    vmlog_suspension++;
    vmlog_has_suspensions = true;
    pthread_mutex_unlock(&vmlog_lock);
}

static void vmlog_end_suspensions(void) {
    pthread_mutex_lock(&vmlog_lock);
    vmlog_has_suspensions = false;
    pthread_mutex_unlock(&vmlog_lock);
}

/* Switches one row on or off. Returns false if the JVM has not executed the command. */
static bool vmlog_switch_row(const struct vmlog_row *row, bool on) {
    bool suspensions = row->bit == EVENT_BIT_SUSPENSIONS;
    if (suspensions) {
        vmlog_end_suspensions();
    }
    bool done = vmlog_command(row->tags, on ? row->level : "off") == COMMAND_DONE;
    if (done && on && suspensions) {
        vmlog_begin_suspensions();
    }
    return done;
}

/* Switches these rows on or off. Returns false if the JVM has not executed a command. */
static bool vmlog_switch_rows(uint32_t rows, bool on) {
    for (unsigned i = 0; i < VMLOG_ROWS; i++) {
        uint32_t bit = 1u << i;
        if ((rows & bit) == 0) {
            continue;
        }
        if (!vmlog_switch_row(&vmlog_rows[i], on)) {
            return false;
        }
        vmlog_on ^= bit;
    }
    return true;
}

/*
 * Switches the rows on or off that differ. New rows come first: the JVM closes an output that has no tags, and
 * truncates the file when it opens the output again.
 */
static bool vmlog_switch(uint32_t wanted) {
    return vmlog_switch_rows(wanted & ~vmlog_on, true) && vmlog_switch_rows(vmlog_on & ~wanted, false);
}

static uint32_t vmlog_rows_of(uint32_t events) {
    uint32_t rows = 0;
    for (unsigned i = 0; i < VMLOG_ROWS; i++) {
        const struct vmlog_row *row = &vmlog_rows[i];
        bool wanted = (row->bit & events) != 0 && (row->flag == NULL || flag_is_set(row->flag, false));
        rows |= wanted ? 1u << i : 0;
    }
    return rows;
}

static bool vmlog_set_rows(uint32_t wanted) {
    /* If the JVM did not answer before, it may still execute that command: the next one must switch the log off. */
    if (vmlog_state == LOG_UNKNOWN && !vmlog_stop()) {
        return false;
    }
    if (wanted == 0) {
        return vmlog_state == LOG_CLOSED || vmlog_stop();
    }
    bool set = !vmlog_ended && (vmlog_state == LOG_OPEN || vmlog_open()) && vmlog_switch(wanted);
    if (!set && vmlog_state == LOG_OPEN && vmlog_on == 0) {
        vmlog_close();
    }
    return set;
}

/* Makes the JVM log what these events need, and nothing else. Returns true if the JVM has done so. */
bool vmlog_set(uint32_t events) {
    pthread_mutex_lock(&vmlog_setting_lock);
    bool done = vmlog_set_rows(vmlog_rows_of(events));
    vmlog_is_owed = vmlog_is_owed && !done;
    pthread_mutex_unlock(&vmlog_setting_lock);
    return done;
}

static void vmlog_try_later(uint64_t nanos) {
    vmlog_delay = nanos > VMLOG_MAX_DELAY_NANOS ? VMLOG_MAX_DELAY_NANOS : nanos;
    timer_log_after(vmlog_delay);
}

/*
 * Restores the log of these events after a failure to set another. If the JVM does not do so, lines are missing, which
 * counts as one loss, and the host's thread tries again until a log is set.
 */
void vmlog_restore(uint32_t events) {
    pthread_mutex_lock(&vmlog_setting_lock);
    vmlog_owed = vmlog_rows_of(events);
    vmlog_is_owed = !vmlog_set_rows(vmlog_owed);
    if (vmlog_is_owed) {
        queue_add(NULL, NULL);
        vmlog_try_later(VMLOG_FIRST_DELAY_NANOS);
    }
    pthread_mutex_unlock(&vmlog_setting_lock);
}

/* Tries again to restore the log. Only for the host's thread, when timer_take_log has returned true. */
void vmlog_restore_again(void) {
    pthread_mutex_lock(&vmlog_setting_lock);
    vmlog_is_owed = vmlog_is_owed && !vmlog_ended && !vmlog_set_rows(vmlog_owed);
    if (vmlog_is_owed) {
        vmlog_try_later(vmlog_delay * 2);
    }
    pthread_mutex_unlock(&vmlog_setting_lock);
}

/* Switches the log off permanently. Returns false if the command must be repeated. */
bool vmlog_end(void) {
    pthread_mutex_lock(&vmlog_setting_lock);
    vmlog_ended = true;
    pthread_mutex_unlock(&vmlog_setting_lock);
    return vmlog_set(0);
}

/* The descriptor that the channel's thread polls; -1 if there is none. */
int vmlog_fd(void) {
    pthread_mutex_lock(&vmlog_lock);
    int fd = vmlog_fd_of_change;
    pthread_mutex_unlock(&vmlog_lock);
    return fd;
}

/* Returns the number after these words, or -1. */
static jlong vmlog_number_after(const char *words) {
    const char *at = strstr(vmlog_text, words);
    return at == NULL ? -1 : strtoll(at + strlen(words), NULL, 10);
}

static struct event *vmlog_parse_safepoint(jlong logged, char *reason) {
    char *end = strchr(reason, '"');
    jlong reaching = vmlog_number_after("Reaching safepoint: ");
    jlong total = vmlog_number_after("Total: ");
    if (end == NULL || reaching < 0 || total < reaching || total > logged) {
        return NULL;
    }
    struct event *event = event_new(UPCALL_KIND_RUNTIME_SUSPENDED, reaching, total);
    if (event != NULL) {
        *end = 0;
        event->numbers[0] = logged - total;
        event->numbers[4] = vmlog_suspension;
        event->text[0] = strdup(reason);
    }
    return event;
}

/*
 * Returns what follows a decoration: a number in brackets, with a unit, padded with blanks to the width of the longest
 * one that the JVM has written. Returns NULL if the text does not begin with one.
 */
static char *vmlog_after_decoration(char *text, const char *unit, jlong *number) {
    char *end = text;
    *number = text[0] == '[' ? strtoll(text + 1, &end, 10) : -1;
    if (*number <= 0 || strncmp(end, unit, strlen(unit)) != 0) {
        return NULL;
    }
    end += strlen(unit);
    end += strspn(end, " ");
    return *end == ']' ? end + 1 : NULL;
}

/* Returns the text of a line if it has a valid time and the number of a thread, which it stores; otherwise NULL. */
static char *vmlog_text_of_line(jlong *logged, jlong *writer) {
    char *thread = vmlog_after_decoration(vmlog_text, "ns", logged);
    char *end = thread == NULL ? NULL : vmlog_after_decoration(thread, "", writer);
    return end != NULL && *end == ' ' ? end + 1 : NULL;
}

/* Returns the pthread_t of a line of a thread, or 0. A thread's name, which comes before it, may contain any text. */
static uint64_t vmlog_pthread_of(const char *text) {
    static const char words[] = "pthread id: ";
    const char *last = NULL;
    for (const char *at = strstr(text, words); at != NULL; at = strstr(at + 1, words)) {
        last = at;
    }
    return last == NULL ? 0 : strtoull(last + sizeof words - 1, NULL, 10);
}

/* Returns the number of the creation of the thread that has this line; 0 if it is unknown. */
static jlong vmlog_creation_of(const char *text) {
    bool starts = strncmp(text, "Thread is alive (", sizeof "Thread is alive (" - 1) == 0;
    bool created = strncmp(text, "Thread \"", sizeof "Thread \"" - 1) == 0;
    uint64_t pthread = starts || created ? vmlog_pthread_of(text) : 0;
    if (pthread == 0) {
        return 0;
    }
    if (created) {
        vmlog_creations++;
        vmlog_created[vmlog_creations % MAX_CREATED].pthread = pthread;
        vmlog_created[vmlog_creations % MAX_CREATED].number = vmlog_creations;
        return vmlog_creations;
    }
    jlong found = 0;
    for (int i = 0; i < MAX_CREATED; i++) {
        if (vmlog_created[i].pthread == pthread) {
            found = vmlog_created[i].number > found ? vmlog_created[i].number : found;
            vmlog_created[i].pthread = 0;
        }
    }
    return found;
}

/* Returns the number that this line has in common with another, or 0. */
static jlong vmlog_link_of(enum log_topic topic, const char *text) {
    if (topic == LOG_TOPIC_COLLECTION) {
        return vmlog_has_suspensions ? vmlog_suspension : 0;
    }
    return topic == LOG_TOPIC_THREAD ? vmlog_creation_of(text) : 0;
}

/* A line without a time or a thread, or a malformed line of a safepoint, counts as a lost event. */
static void vmlog_take_line(void) {
    static const char safepoint[] = "Safepoint \"";
    jlong logged;
    jlong writer;
    char *text = vmlog_text_of_line(&logged, &writer);
    if (text == NULL || strncmp(text, safepoint, sizeof safepoint - 1) == 0) {
        queue_add(NULL, text == NULL ? NULL : vmlog_parse_safepoint(logged, text + sizeof safepoint - 1));
        vmlog_suspension++;
        return;
    }
    for (const struct vmlog_line *line = vmlog_lines; line < vmlog_lines + VMLOG_LINES; line++) {
        if (strncmp(text, line->begin, strlen(line->begin)) == 0 && strstr(text, line->words) != NULL) {
            struct event *event = event_new(UPCALL_KIND_LOG_LINE, (jlong)line->topic, writer);
            if (event != NULL) {
                event->numbers[0] = logged;
                event->numbers[4] = vmlog_link_of(line->topic, text);
                event->text[0] = strdup(text);
            }
            queue_add(NULL, event);
            return;
        }
    }
}

static void vmlog_take(char character) {
    if (character != '\n') {
        vmlog_text[vmlog_length] = character;
        vmlog_length += vmlog_length < sizeof vmlog_text - 1 ? 1 : 0;
        return;
    }
    vmlog_text[vmlog_length] = 0;
    vmlog_length = 0;
    vmlog_take_line();
}

/* A user who switches all logs of the JVM off and on again makes it truncate the file. Unread lines are lost. */
static void vmlog_begin_again_if_truncated(void) {
    /* The size; the JVM writes by a descriptor of its own. */
    if (vmlog_fd_of_file >= 0 && lseek(vmlog_fd_of_file, 0, SEEK_END) < vmlog_read_to) {
        vmlog_read_to = 0;
        vmlog_released_to = 0;
        vmlog_length = 0;
        vmlog_suspension++;
        memset(vmlog_created, 0, sizeof vmlog_created);
        queue_add(NULL, NULL);
    }
}

/* Reads the data written since the last call. */
void vmlog_read(void) {
    char bytes[4096];
    pthread_mutex_lock(&vmlog_lock);
    while (vmlog_fd_of_change >= 0 && read(vmlog_fd_of_change, bytes, sizeof bytes) > 0) {
    }
    vmlog_begin_again_if_truncated();
    for (ssize_t count; vmlog_fd_of_file >= 0
            && (count = pread(vmlog_fd_of_file, bytes, sizeof bytes, vmlog_read_to)) > 0;
            vmlog_read_to += count) {
        for (ssize_t i = 0; i < count; i++) {
            vmlog_take(bytes[i]);
        }
    }
    /* Releases whole pages: truncating the file would lose data written concurrently. The JVM waits meanwhile. */
    off_t whole = vmlog_read_to / PAGE * PAGE - vmlog_released_to;
    if (whole >= RELEASED_PAGES * PAGE && file_is(vmlog_fd_of_file, vmlog_file)) {
        syscall(SYS_fallocate, vmlog_fd_of_file, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, vmlog_released_to, whole);
        vmlog_released_to += whole;
    }
    pthread_mutex_unlock(&vmlog_lock);
}
