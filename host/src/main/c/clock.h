/* The clocks of the kernel that the host and the launch library read. */
#ifndef MAYFLY_CLOCK_H
#define MAYFLY_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_nanos(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The time since boot, including the time in which the machine was suspended, ns. Deadlines use this clock. */
static inline uint64_t now_boottime(void) {
    return clock_nanos(CLOCK_BOOTTIME);
}

/* The time of CLOCK_MONOTONIC, ns. */
static inline uint64_t now_monotonic(void) {
    return clock_nanos(CLOCK_MONOTONIC);
}

#endif
