/* Wakes the channel's thread, which polls an eventfd. Any thread may call this. */
#define _GNU_SOURCE
#include "wake.h"
#include "files.h"
#include "host.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Returns an errno or 0. */
int wake_open(void) {
    host.wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return file_of(host.wake_fd, &host.wake_file) ? 0 : errno;
}

void wake_channel(void) {
    uint64_t one = 1;
    ssize_t ignored = write(host.wake_fd, &one, sizeof one);
    (void)ignored;
}

/* Clears the signal of all earlier calls of wake_channel. Only for the channel's thread. */
void wake_read(void) {
    uint64_t count;
    ssize_t ignored = read(host.wake_fd, &count, sizeof count);
    (void)ignored;
}

void wake_close(void) {
    file_close(&host.wake_fd, host.wake_file);
}
