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
enum { CLOEXEC = 1, ALLOW_SEALING = 2, ADD_SEALS = 1033, SEAL_SEAL_SHRINK_GROW = 1 | 2 | 4 };

/*
 * Returns a descriptor of the record of this JVM's host, or of a host in another JVM of the process; -1 if there is
 * none.
 */
static int record_descriptor(bool of_another) {
    DIR *fds = opendir("/proc/self/fd");
    char own[RECORD_LINK_BYTES];
    record_link(own, host.library);
    int found = -1;
    for (struct dirent *entry; fds != NULL && found < 0 && (entry = readdir(fds)) != NULL;) {
        char target[RECORD_LINK_BYTES + 1];
        ssize_t length = readlinkat(dirfd(fds), entry->d_name, target, sizeof target - 1);
        if (length > 0) {
            target[length] = 0;
            bool is_record = strncmp(target, HOST_RECORD_FILE_LINK, strlen(HOST_RECORD_FILE_LINK)) == 0;
            bool is_own = strcmp(target, own) == 0;
            found = is_record && is_own != of_another ? atoi(entry->d_name) : -1;
        }
    }
    if (fds != NULL) {
        closedir(fds);
    }
    return found;
}

/* Returns 1 if this JVM already has a host, of any version; otherwise 0. */
int record_find(void) {
    return record_descriptor(false) >= 0;
}

/*
 * Leaves it to the host of another JVM to stop the attach listener, which all JVMs of the process share and which that
 * host may need. Returns false if there is none.
 */
bool record_leave_listener(void) {
    static const uint32_t stops = 1;
    int fd = record_descriptor(true);
    return fd >= 0 && pwrite(fd, &stops, sizeof stops, RECORD_OFFSET_STOPS_LISTENER) == sizeof stops;
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
