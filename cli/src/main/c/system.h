/*
 * System calls and the entry point of the archive's programs. They have no C library: a host may have none, or another
 * one. Numbers and values are those of x86-64, see asm/unistd_64.h and asm-generic/fcntl.h.
 */
#ifndef MAYFLY_SYSTEM_H
#define MAYFLY_SYSTEM_H

#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <stddef.h>

/* Returns the kernel's result: at least 0, or a negated errno. */
static inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall" : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return result;
}

static inline long system_read(int file, void *into, size_t length) {
    return system_call(__NR_read, file, (long)into, (long)length, 0, 0, 0);
}

static inline long system_write(int file, const void *bytes, size_t length) {
    return system_call(__NR_write, file, (long)bytes, (long)length, 0, 0, 0);
}

static inline long system_open(const char *path) {
    return system_call(__NR_open, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
}

static inline void system_close(int file) {
    system_call(__NR_close, file, 0, 0, 0, 0, 0);
}

static inline long system_execve(const char *path, char *const *arguments, char *const *environment) {
    return system_call(__NR_execve, (long)path, (long)arguments, (long)environment, 0, 0, 0);
}

static inline _Noreturn void system_exit(int status) {
    for (;;) {
        system_call(__NR_exit_group, status, 0, 0, 0, 0, 0);
    }
}

/* The program. Its result is the exit status. */
int run(char **arguments, char **environment);

#endif
