/* Executes a program with the rights of a container's process, without a container engine: container CAPABILITIES USER
   FILTER -- PROGRAM ARGUMENT ...

   CAPABILITIES is a list such as default,SYS_PTRACE or none; "default" stands for those that container engines grant.
   USER is the user and group id. FILTER is filtered (Docker's default seccomp profile of June 2026, which depends on
   the capabilities) or unconfined. The caller provides a mount namespace of its own; /proc/sys becomes read-only. */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LENGTH(array) (sizeof array / sizeof *array)
#define NEVER (-1)
/* The newest call that the profile allows: removexattrat. */
#define LAST 466
/* Flags of clone(2) that create namespaces. */
#define NAMESPACES 0x7e020000

static const struct { const char *name; int number; } capabilities[] = {
    {"SYS_PTRACE", CAP_SYS_PTRACE}, {"PERFMON", CAP_PERFMON}, {"BPF", CAP_BPF}, {"SYS_ADMIN", CAP_SYS_ADMIN},
    {"DAC_READ_SEARCH", CAP_DAC_READ_SEARCH},
};
static const int defaults[] = {
    CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FSETID, CAP_FOWNER, CAP_MKNOD, CAP_NET_RAW, CAP_SETGID, CAP_SETUID, CAP_SETFCAP,
    CAP_SETPCAP, CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT, CAP_KILL, CAP_AUDIT_WRITE,
};

/* The calls that the profile refuses, unless the process has one of two capabilities. */
static const struct { int call; int capability; int other; } refused[] = {
    {SYS__sysctl, NEVER, NEVER}, {SYS_acct, CAP_SYS_PACCT, NEVER}, {SYS_add_key, NEVER, NEVER},
    {SYS_bpf, CAP_SYS_ADMIN, CAP_BPF}, {SYS_chroot, CAP_SYS_CHROOT, NEVER}, {SYS_clock_settime, CAP_SYS_TIME, NEVER},
    {SYS_create_module, NEVER, NEVER}, {SYS_delete_module, CAP_SYS_MODULE, NEVER},
    {SYS_fanotify_init, CAP_SYS_ADMIN, NEVER}, {SYS_finit_module, CAP_SYS_MODULE, NEVER},
    {SYS_fsconfig, CAP_SYS_ADMIN, NEVER}, {SYS_fsmount, CAP_SYS_ADMIN, NEVER}, {SYS_fsopen, CAP_SYS_ADMIN, NEVER},
    {SYS_fspick, CAP_SYS_ADMIN, NEVER}, {SYS_get_kernel_syms, NEVER, NEVER}, {SYS_get_mempolicy, CAP_SYS_NICE, NEVER},
    {SYS_init_module, CAP_SYS_MODULE, NEVER}, {SYS_io_uring_enter, NEVER, NEVER}, {SYS_io_uring_register, NEVER, NEVER},
    {SYS_io_uring_setup, NEVER, NEVER}, {SYS_ioperm, CAP_SYS_RAWIO, NEVER}, {SYS_iopl, CAP_SYS_RAWIO, NEVER},
    {SYS_kcmp, CAP_SYS_PTRACE, NEVER}, {SYS_kexec_file_load, NEVER, NEVER}, {SYS_kexec_load, NEVER, NEVER},
    {SYS_keyctl, NEVER, NEVER}, {SYS_lookup_dcookie, CAP_SYS_ADMIN, NEVER}, {SYS_mbind, CAP_SYS_NICE, NEVER},
    {SYS_migrate_pages, NEVER, NEVER}, {SYS_mount, CAP_SYS_ADMIN, NEVER}, {SYS_mount_setattr, CAP_SYS_ADMIN, NEVER},
    {SYS_move_mount, CAP_SYS_ADMIN, NEVER}, {SYS_move_pages, NEVER, NEVER}, {SYS_nfsservctl, NEVER, NEVER},
    {SYS_open_by_handle_at, CAP_DAC_READ_SEARCH, NEVER}, {SYS_open_tree, CAP_SYS_ADMIN, NEVER},
    {SYS_perf_event_open, CAP_SYS_ADMIN, CAP_PERFMON}, {SYS_pidfd_getfd, CAP_SYS_PTRACE, NEVER},
    {SYS_pivot_root, NEVER, NEVER}, {SYS_process_madvise, CAP_SYS_PTRACE, NEVER}, {SYS_query_module, NEVER, NEVER},
    {SYS_quotactl, CAP_SYS_ADMIN, NEVER}, {SYS_quotactl_fd, CAP_SYS_ADMIN, NEVER}, {SYS_reboot, CAP_SYS_BOOT, NEVER},
    {SYS_request_key, NEVER, NEVER}, {SYS_set_mempolicy, CAP_SYS_NICE, NEVER},
    {SYS_set_mempolicy_home_node, CAP_SYS_NICE, NEVER}, {SYS_setdomainname, CAP_SYS_ADMIN, NEVER},
    {SYS_sethostname, CAP_SYS_ADMIN, NEVER}, {SYS_setns, CAP_SYS_ADMIN, NEVER}, {SYS_settimeofday, CAP_SYS_TIME, NEVER},
    {SYS_swapoff, NEVER, NEVER}, {SYS_swapon, NEVER, NEVER}, {SYS_sysfs, NEVER, NEVER},
    {SYS_syslog, CAP_SYSLOG, CAP_SYS_ADMIN}, {SYS_umount2, CAP_SYS_ADMIN, NEVER}, {SYS_unshare, CAP_SYS_ADMIN, NEVER},
    {SYS_uselib, NEVER, NEVER}, {SYS_userfaultfd, NEVER, NEVER}, {SYS_ustat, NEVER, NEVER},
    {SYS_vhangup, CAP_SYS_TTY_CONFIG, NEVER},
};

static unsigned long long granted;
static struct sock_filter program[256];
static int length;

static int has(int capability) {
    return capability >= 0 && (granted >> capability & 1);
}

static void grant(int capability) {
    granted |= 1ULL << capability;
}

static int parse(char *list) {
    for (char *word = strtok(list, ","); word != NULL; word = strtok(NULL, ",")) {
        int known = strcmp(word, "none") == 0;
        if (strcmp(word, "default") == 0) {
            known = 1;
            for (size_t i = 0; i < LENGTH(defaults); i++) {
                grant(defaults[i]);
            }
        }
        for (size_t i = 0; i < LENGTH(capabilities); i++) {
            if (strcmp(word, capabilities[i].name) == 0) {
                known = 1;
                grant(capabilities[i].number);
            }
        }
        if (!known) {
            return 0;
        }
    }
    return 1;
}

static void add(unsigned short code, unsigned int k, unsigned char yes, unsigned char no) {
    program[length++] = (struct sock_filter) BPF_JUMP(code, k, yes, no);
}

/* Adds the instruction that makes the call fail. A preceding test jumps over it if the call is allowed. */
static void refuse(int error) {
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error, 0, 0);
}

static void argument(void) {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args), 0, 0);
}

/* Tests arguments: socket(2) refuses AF_ALG and AF_VSOCK, personality(2) accepts only ordinary values, and without
   CAP_SYS_ADMIN clone(2) creates no namespace and clone3(2) is refused. */
static void add_conditions(void) {
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 5);
    argument();
    add(BPF_JMP | BPF_JEQ | BPF_K, 38, 1, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, 40, 0, 1);
    refuse(EPERM);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 8);
    argument();
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 5, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, 8, 4, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, 0x20000, 3, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, 0x20008, 2, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 1, 0);
    refuse(EPERM);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    if (!has(CAP_SYS_ADMIN)) {
        add(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
        refuse(ENOSYS);
        add(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3);
        argument();
        add(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1);
        refuse(EPERM);
    }
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

static int filter(void) {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    add(BPF_JMP | BPF_JGT | BPF_K, LAST, 0, 1);
    refuse(EPERM);
    for (size_t i = 0; i < LENGTH(refused); i++) {
        if (!has(refused[i].capability) && !has(refused[i].other)) {
            add(BPF_JMP | BPF_JEQ | BPF_K, refused[i].call, 0, 1);
            refuse(EPERM);
        }
    }
    add_conditions();
    struct sock_fprog all = {.len = length, .filter = program};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all);
}

static int fail(const char *what) {
    fprintf(stderr, "container: %s: %s\n", what, strerror(errno));
    return 99;
}

int main(int argc, char **argv) {
    if (argc < 6 || strcmp(argv[4], "--") != 0 || !parse(argv[1])) {
        fprintf(stderr, "usage: container CAPABILITIES USER filtered|unconfined -- PROGRAM ARGUMENT ...\n");
        return 98;
    }
    int user = atoi(argv[2]);
    if (mount("/proc/sys", "/proc/sys", NULL, MS_BIND, NULL) != 0
        || mount(NULL, "/proc/sys", NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) != 0) {
        return fail("/proc/sys");
    }
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++) {
        if (!has(capability) && prctl(PR_CAPBSET_DROP, capability) != 0) {
            return fail("bounding set");
        }
    }
    if (strcmp(argv[3], "filtered") == 0 && filter() != 0) {
        return fail("filter");
    }
    if (user != 0
        && (setgroups(0, NULL) != 0 || setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0)) {
        return fail("user");
    }
    execvp(argv[5], argv + 5);
    return fail(argv[5]);
}
