/* Makes system calls fail, as the filter of a container does, and then executes another program. deny NAME=ERRNO ... --
   PROGRAM ARGUMENT ... */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct { const char *name; int number; } calls[] = {
    {"bpf", SYS_bpf}, {"kcmp", SYS_kcmp}, {"openat2", SYS_openat2}, {"perf_event_open", SYS_perf_event_open},
    {"pidfd_open", SYS_pidfd_open}, {"process_vm_readv", SYS_process_vm_readv}, {"ptrace", SYS_ptrace},
    {"setpriority", SYS_setpriority},
};
static const struct { const char *name; int number; } errors[] = {
    {"EACCES", EACCES}, {"ENOSYS", ENOSYS}, {"EPERM", EPERM},
};

#define FIND(table, word, into) do { into = -1; for (size_t n = 0; n < sizeof table / sizeof *table; n++) { \
    if (strcmp(table[n].name, word) == 0) { into = table[n].number; } } \
    if (into < 0) { fprintf(stderr, "deny: unknown: %s\n", word); return 98; } } while (0)

int main(int argc, char **argv) {
    struct sock_filter program[64] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    int at = 1, i = 1;
    for (; i < argc && strcmp(argv[i], "--") != 0 && at < 60; i++) {
        char *error = strchr(argv[i], '=');
        int call, number;
        if (error == NULL) {
            return 98;
        }
        *error++ = 0;
        FIND(calls, argv[i], call);
        FIND(errors, error, number);
        program[at++] = (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
        program[at++] = (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | number);
    }
    program[at++] = (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {.len = at, .filter = program};
    if (i + 1 >= argc) {
        return 98;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        perror("deny");
        return 99;
    }
    execvp(argv[i + 1], argv + i + 1);
    perror(argv[i + 1]);
    return 97;
}
