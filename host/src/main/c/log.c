/*
 * The event log of the user who attached the profiler: one line when the profiler has been unloaded and no command was
 * waiting to log this itself. The trigger names the file only if it runs as the same user and sees the same files
 * (decision 0024); the file must exist.
 */
#define _GNU_SOURCE
#include "log.h"
#include "bytes.h"
#include "clock.h"
#include "host.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PATH = 4096, MAX_ENTRY = 4096, MAX_TIME = 64 };

/* The file's path, and the part of the entry after the time; NULL if there is no log. */
static char *log_path;
static const char *log_entry;

void log_forget(void) {
    free(log_path);
    log_path = NULL;
    log_entry = NULL;
}

/* Takes a path, a zero and the rest of an entry. Returns false if the bytes are neither of this form nor empty. */
bool log_take(const struct bytes *named) {
    const uint8_t *zero = named->length == 0 ? NULL : memchr(named->at, 0, named->length);
    if (zero == NULL) {
        return named->length == 0;
    }
    size_t rest = named->length - (size_t)(zero - named->at) - 1;
    if (named->at[0] != '/' || zero - named->at > MAX_PATH || rest > MAX_ENTRY || memchr(zero + 1, '\n', rest) != NULL
            || memchr(zero + 1, 0, rest) != NULL) {
        return false;
    }
    log_forget();
    log_path = calloc(1, named->length + 1);
    if (log_path != NULL) {
        memcpy(log_path, named->at, named->length);
        log_entry = log_path + (zero - named->at) + 1;
    }
    return true;
}

/*
 * Computes the date of a day since 1970-01-01. gmtime_r would make the C library read the system's time zone and keep
 * it.
 */
static void log_date(int64_t day, int *year, int *month, int *of_month) {
    int64_t shifted = day + 719468;                         /* since 0000-03-01; an era has 400 years, 146097 days */
    int64_t era = shifted / 146097;
    int64_t in_era = shifted % 146097;
    int64_t year_in_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * year_in_era + year_in_era / 4 - year_in_era / 100);
    int64_t from_march = (5 * in_year + 2) / 153;
    *of_month = (int)(in_year - (153 * from_march + 2) / 5 + 1);
    *month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
    *year = (int)(year_in_era + era * 400 + (*month <= 2));
}

/* Formats the time as java.time.Instant does. */
static void log_time(struct timespec now, char *to, size_t size) {
    int year;
    int month;
    int day;
    long second = (long)(now.tv_sec % 86400);
    log_date(now.tv_sec / 86400, &year, &month, &day);
    snprintf(to, size, "%04d-%02d-%02dT%02ld:%02ld:%02ld.%09ldZ", year, month, day, second / 3600,
             second / 60 % 60, second % 60,
            now.tv_nsec);
}

/*
 * Returns true if the file is a regular file of this process's user, not writable by others, and the write stays below
 * the process's file size limit: a write beyond the limit would raise SIGXFSZ.
 */
static bool log_may_write(int fd, size_t length) {
    struct stat is;
    struct rlimit limit;
    return syscall(SYS_fstat, fd, &is) == 0 && S_ISREG(is.st_mode) && is.st_uid == geteuid()
            && is.st_uid == host.opened_as
            && (is.st_mode & (S_IWGRP | S_IWOTH)) == 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0
            && (limit.rlim_cur == RLIM_INFINITY || (uint64_t)is.st_size + length <= limit.rlim_cur);
}

/*
 * Appends the entry, whole or not at all. A log that cannot be written is ignored: the unloading does not depend on it.
 */
void log_gone(void) {
    char when[MAX_TIME];
    struct timespec now;
    char *line = log_path == NULL ? NULL : malloc(sizeof when + MAX_ENTRY + 16);
    if (line == NULL) {
        return;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    log_time(now, when, sizeof when);
    size_t length = (size_t)snprintf(line, sizeof when + MAX_ENTRY + 16, "{\"time\":\"%s\",%s\n", when, log_entry);
    int fd = open(log_path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd >= 0 && log_may_write(fd, length)) {
        ssize_t ignored = write(fd, line, length);
        (void)ignored;
    }
    if (fd >= 0) {
        close(fd);
    }
    free(line);
}
