/*
 * The host's record: two pages in a memfd, found by its name in /proc/PID/fd. The name contains the address of the
 * JVM's library, because each JVM of a process can have a host. docs/formats/host-channel.md lists the fields.
 */
#define _GNU_SOURCE
#include "record.h"
#include "clock.h"
#include "files.h"
#include "host.h"
#include "record_name.h"
#include "old-glibc.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Values of linux/memfd.h and linux/fcntl.h, which old headers lack. */
enum { CLOEXEC = 1, ALLOW_SEALING = 2, DUPLICATE_CLOEXEC = 1030, ADD_SEALS = 1033, SEAL_SEAL_SHRINK_GROW = 1 | 2 | 4 };

/* The values of stops_listener. */
enum { LISTENER_NOT_LEFT, LISTENER_LEFT, LISTENER_REFUSED };

/* Returns true if a descriptor is of the record of this JVM's host, or of a host in another JVM of the process. */
static bool record_is(int fds, const char *name, bool of_another) {
    char own[RECORD_LINK_BYTES];
    char target[RECORD_LINK_BYTES + 1];
    record_link(own, host.library);
    ssize_t length = readlinkat(fds, name, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = 0;
    bool is_record = strncmp(target, HOST_RECORD_FILE_LINK, strlen(HOST_RECORD_FILE_LINK)) == 0;
    return is_record && (strcmp(target, own) != 0) == of_another;
}

/* Calls a function with the descriptors of such records until it returns true. Returns the last result. */
static bool record_any(bool of_another, bool (*accepts)(int fds, int fd)) {
    DIR *fds = opendir("/proc/self/fd");
    bool found = false;
    for (struct dirent *entry; fds != NULL && !found && (entry = readdir(fds)) != NULL;) {
        found = record_is(dirfd(fds), entry->d_name, of_another) && accepts(dirfd(fds), atoi(entry->d_name));
    }
    if (fds != NULL) {
        closedir(fds);
    }
    return found;
}

static bool record_accept(int fds, int fd) {
    (void)fds;
    (void)fd;
    return true;
}

/* Returns 1 if this JVM already has a host, of any version; otherwise 0. */
int record_find(void) {
    return record_any(false, record_accept);
}

/*
 * Asks the host with this record to stop the attach listener. Returns false if that host is ending and no longer takes
 * requests.
 */
static bool record_ask(int fds, int fd) {
    char name[16];
    /* The other host may close its descriptor at any time, and a thread of the program may then get its number. */
    int own = (int)syscall(SYS_fcntl, fd, DUPLICATE_CLOEXEC, 0);
    snprintf(name, sizeof name, "%d", own);
    struct record *record = MAP_FAILED;
    if (own >= 0 && record_is(fds, name, true) && lseek(own, 0, SEEK_END) >= (off_t)sizeof *record) {
        record = mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED, own, 0);
    }
    bool asked = false;
    if (record != MAP_FAILED) {
        uint32_t before = LISTENER_NOT_LEFT;
        asked = atomic_compare_exchange_strong(&record->stops_listener, &before, LISTENER_LEFT)
                || before == LISTENER_LEFT;
        munmap(record, sizeof *record);
    }
    if (own >= 0) {
        close(own);
    }
    return asked;
}

/*
 * Leaves it to the host of another JVM to stop the attach listener, which all JVMs of the process share and which that
 * host may need. Returns false if there is none, or if all of them are ending too.
 */
bool record_leave_listener(void) {
    return record_any(true, record_ask);
}

/*
 * Refuses all later requests to stop the attach listener. Returns true if another host has made one. A host that ends
 * calls this before record_leave_listener: of two hosts that end at the same moment, none then leaves the listener to
 * the other.
 */
bool record_refuse_listener(void) {
    return atomic_exchange(&host.record->stops_listener, LISTENER_REFUSED) == LISTENER_LEFT;
}

/* Opens the record with the first state that it publishes. Returns an errno or 0. */
int record_open(enum host_state state) {
    char name[RECORD_LINK_BYTES];
    Dl_info own;
    record_name(name, host.library);
    host.record_fd = (int)syscall(SYS_memfd_create, name, CLOEXEC | ALLOW_SEALING);
    if (!file_of(host.record_fd, &host.record_file) || ftruncate(host.record_fd, sizeof(struct record)) != 0) {
        return errno;
    }
    /* Best effort: only this process can write to it in any case. */
    syscall(SYS_fcntl, host.record_fd, ADD_SEALS, SEAL_SEAL_SHRINK_GROW);
    host.record = mmap(NULL, sizeof(struct record), PROT_READ | PROT_WRITE, MAP_SHARED, host.record_fd, 0);
    if (host.record == MAP_FAILED) {
        host.record = NULL;
        return errno;
    }
    memcpy(host.record->request, host.request, sizeof host.request);
    host.record->state = state;
    host.record->remaining_classes = host.remaining_classes;
    host.record->attached_at = now_boottime();
    host.record->library = host.library;
    host.record->code = dladdr((const void *)(uintptr_t)&record_open, &own) == 0 ? 0
            : (uint64_t)(uintptr_t)own.dli_fbase;
    snprintf(host.record->channel, sizeof host.record->channel, "%s", host.socket_path);
    memcpy(host.record->magic, HOST_RECORD_FILE_MAGIC, sizeof host.record->magic);
    return 0;
}

/* Every writer holds host.lock. */
void record_begin(void) {
    atomic_fetch_add(&host.record->sequence, 1);
}

void record_end(void) {
    atomic_fetch_add(&host.record->sequence, 1);
}

/*
 * Requires the lock. Publishes a state, and the reason for a wait or an empty text. If a detach begins, its
 * expected duration is not 0. Only life.c calls this.
 */
void record_publish(enum host_state state, uint64_t detach_expected, const char *pinned_by) {
    record_begin();
    host.record->state = state;
    snprintf(host.record->pinned_by, sizeof host.record->pinned_by, "%s", pinned_by);
    if (detach_expected != 0) {
        host.record->detach_at = now_boottime();
        host.record->detach_expected = detach_expected;
    }
    record_end();
}

void record_text(char *field, size_t size, const char *text) {
    pthread_mutex_lock(&host.lock);
    record_begin();
    snprintf(field, size, "%s", text);
    record_end();
    pthread_mutex_unlock(&host.lock);
}

void record_rank(uint32_t rank) {
    pthread_mutex_lock(&host.lock);
    record_begin();
    host.record->runtime = rank;
    record_end();
    pthread_mutex_unlock(&host.lock);
}

/* Records that the calling thread is the host's. */
void record_thread(void) {
    pthread_mutex_lock(&host.lock);
    record_begin();
    host.record->thread = (uint32_t)syscall(SYS_gettid);
    record_end();
    pthread_mutex_unlock(&host.lock);
}

void record_close(void) {
    if (host.record != NULL) {
        munmap(host.record, sizeof(struct record));
        host.record = NULL;
    }
    file_close(&host.record_fd, host.record_file);
}
