/* The state that the files of the host share. */
#define _GNU_SOURCE
#include "host.h"

#include <errno.h>
#include <time.h>

struct host host = {.record_fd = -1, .socket_fd = -1, .listen_fd = -1, .wake_fd = -1};

/* Requires the lock. Waits until host.changed is signalled. Returns false if the time has been reached. */
bool host_wait_until(uint64_t monotonic_nanos) {
    struct timespec until = {
        .tv_sec = (time_t)(monotonic_nanos / 1000000000u), .tv_nsec = (long)(monotonic_nanos % 1000000000u)};
    return pthread_cond_timedwait(&host.changed, &host.lock, &until) != ETIMEDOUT;
}
