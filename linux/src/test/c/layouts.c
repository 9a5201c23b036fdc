/* Prints "name value" for each number of a kernel header that this module uses; LayoutsTest compares them. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <linux/magic.h>
#include <linux/memfd.h>
#include <linux/perf_event.h>
#include <asm/perf_regs.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#define P(name, value) printf("%s %lld\n", name, (long long) (value))
#define OFF(type, field) P(#type "." #field, offsetof(struct type, field))
#define ATTR(field) P("bpf_attr." #field, offsetof(union bpf_attr, field))
#define CALL(name) P(#name, SYS_##name)
#define FUNC(name) P(#name, BPF_FUNC_##name)
#define BIT(field) do { struct perf_event_attr a; unsigned long long w; memset(&a, 0, sizeof a); a.field = 1; \
    memcpy(&w, (char *) &a + offsetof(struct perf_event_attr, read_format) + 8, 8); P("bit." #field, w); } while (0)

int main(void) {
    CALL(read); CALL(write); CALL(close); CALL(mmap); CALL(munmap); CALL(ioctl); CALL(pread64);
    CALL(pwrite64); CALL(readv); CALL(writev); CALL(dup2); CALL(setitimer); CALL(sendfile); CALL(socket); CALL(connect);
    CALL(accept); CALL(sendto); CALL(recvfrom); CALL(sendmsg); CALL(recvmsg); CALL(getsockopt); CALL(semop);
    CALL(fchown); CALL(ptrace); CALL(geteuid); CALL(rt_sigtimedwait); CALL(fstatfs); CALL(getpriority);
    CALL(setpriority); CALL(gettid); CALL(io_setup); CALL(io_destroy); CALL(io_getevents); CALL(semtimedop);
    CALL(clock_gettime); CALL(exit_group); CALL(epoll_wait); CALL(waitid); CALL(openat); CALL(mkdirat); CALL(unlinkat);
    CALL(linkat); CALL(ppoll); CALL(splice); CALL(vmsplice); CALL(epoll_pwait); CALL(accept4); CALL(dup3); CALL(pipe2);
    CALL(pwritev); CALL(perf_event_open); CALL(recvmmsg); CALL(prlimit64); CALL(sendmmsg); CALL(process_vm_readv);
    CALL(getrandom); CALL(memfd_create); CALL(bpf); CALL(userfaultfd); CALL(preadv2); CALL(pwritev2); CALL(statx);
    CALL(io_pgetevents); CALL(pidfd_send_signal); CALL(io_uring_enter); CALL(pidfd_open); CALL(close_range);
    CALL(openat2); CALL(epoll_pwait2); CALL(poll); CALL(select); CALL(nanosleep); CALL(fsync); CALL(fdatasync);
    CALL(futex); CALL(clock_nanosleep); CALL(pselect6);

    P("PRIO_PROCESS", PRIO_PROCESS);
    P("AT_REMOVEDIR", AT_REMOVEDIR);
    P("sizeof statfs", sizeof(struct statfs)); P("TMPFS_MAGIC", TMPFS_MAGIC);
    P("O_NONBLOCK", O_NONBLOCK); P("O_NOCTTY", O_NOCTTY);
    P("AF_UNIX", AF_UNIX);
    P("SOCK_STREAM", SOCK_STREAM); P("SOCK_NONBLOCK", SOCK_NONBLOCK); P("SOCK_CLOEXEC", SOCK_CLOEXEC);
    P("SOL_SOCKET", SOL_SOCKET); P("SO_PEERCRED", SO_PEERCRED); P("sizeof sockaddr_un", sizeof(struct sockaddr_un));
    P("sizeof ucred", sizeof(struct ucred));
    P("O_CREAT", O_CREAT); P("O_EXCL", O_EXCL); P("MFD_CLOEXEC", MFD_CLOEXEC);

    P("sizeof iovec", sizeof(struct iovec)); OFF(iovec, iov_len);
    P("sizeof pollfd", sizeof(struct pollfd)); OFF(pollfd, events); OFF(pollfd, revents);
    P("ITIMER_REAL", ITIMER_REAL); P("sizeof itimerval", sizeof(struct itimerval));
    OFF(itimerval, it_value.tv_sec); OFF(itimerval, it_value.tv_usec);
    P("POLLIN", POLLIN); P("POLLHUP", POLLHUP);
    P("sizeof open_how", sizeof(struct open_how)); OFF(open_how, mode); OFF(open_how, resolve);
    P("O_PATH", O_PATH); P("O_NOFOLLOW", O_NOFOLLOW); P("O_CLOEXEC", O_CLOEXEC); P("O_DIRECTORY", O_DIRECTORY);
    P("O_WRONLY", O_WRONLY); P("O_TMPFILE", O_TMPFILE); P("AT_FDCWD", AT_FDCWD);
    P("AT_SYMLINK_FOLLOW", AT_SYMLINK_FOLLOW);
    P("RESOLVE_NO_XDEV", RESOLVE_NO_XDEV);
    P("RESOLVE_NO_MAGICLINKS", RESOLVE_NO_MAGICLINKS); P("RESOLVE_IN_ROOT", RESOLVE_IN_ROOT);
    P("sizeof statx", sizeof(struct statx)); OFF(statx, stx_uid); OFF(statx, stx_mode); OFF(statx, stx_ino);
    OFF(statx, stx_size); OFF(statx, stx_dev_major); OFF(statx, stx_dev_minor);
    P("AT_EMPTY_PATH", AT_EMPTY_PATH); P("STATX_BASIC_STATS", STATX_BASIC_STATS);
    P("RLIMIT_NOFILE", RLIMIT_NOFILE); P("RLIMIT_MEMLOCK", RLIMIT_MEMLOCK);
    P("sizeof rlimit", sizeof(struct rlimit)); P("sizeof timespec", sizeof(struct timespec));
    P("CLOCK_MONOTONIC", CLOCK_MONOTONIC);
    P("CLOCK_BOOTTIME", CLOCK_BOOTTIME);
    P("CLOCK_THREAD_CPUTIME_ID", CLOCK_THREAD_CPUTIME_ID);

    P("PERF_ATTR_SIZE_VER5", PERF_ATTR_SIZE_VER5);
    OFF(perf_event_attr, type); OFF(perf_event_attr, size); OFF(perf_event_attr, config);
    OFF(perf_event_attr, sample_period); OFF(perf_event_attr, sample_type);
    OFF(perf_event_attr, wakeup_watermark); OFF(perf_event_attr, sample_regs_user);
    OFF(perf_event_attr, sample_stack_user); OFF(perf_event_attr, clockid);
    OFF(perf_event_attr, config1); OFF(perf_event_attr, config2);
    P("flags", offsetof(struct perf_event_attr, read_format) + 8);
    BIT(disabled); BIT(inherit); BIT(exclude_kernel); BIT(exclude_idle); BIT(comm); BIT(enable_on_exec); BIT(task);
    BIT(watermark); BIT(exclude_callchain_user); BIT(comm_exec); BIT(use_clockid); BIT(inherit_thread);
    BIT(context_switch);
    P("PERF_TYPE_SOFTWARE", PERF_TYPE_SOFTWARE); P("PERF_COUNT_SW_CPU_CLOCK", PERF_COUNT_SW_CPU_CLOCK);
    P("PERF_COUNT_SW_TASK_CLOCK", PERF_COUNT_SW_TASK_CLOCK); P("PERF_COUNT_SW_DUMMY", PERF_COUNT_SW_DUMMY);
    P("sample_type", PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME
        | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_REGS_USER
        | PERF_SAMPLE_STACK_USER);
    P("PERF_SAMPLE_CALLCHAIN", PERF_SAMPLE_CALLCHAIN);
    P("regs", ((1ULL << (PERF_REG_X86_IP + 1)) - 1)
        | (((1ULL << (PERF_REG_X86_R15 + 1)) - 1) & ~((1ULL << PERF_REG_X86_R8) - 1)));
    P("PERF_EVENT_IOC_ENABLE", PERF_EVENT_IOC_ENABLE); P("PERF_EVENT_IOC_DISABLE", PERF_EVENT_IOC_DISABLE);
    P("PERF_EVENT_IOC_SET_OUTPUT", PERF_EVENT_IOC_SET_OUTPUT); P("PERF_EVENT_IOC_ID", PERF_EVENT_IOC_ID);
    P("PERF_EVENT_IOC_SET_BPF", PERF_EVENT_IOC_SET_BPF); P("PERF_FLAG_FD_CLOEXEC", PERF_FLAG_FD_CLOEXEC);
    OFF(perf_event_mmap_page, data_head); OFF(perf_event_mmap_page, data_tail);
    P("PERF_RECORD_LOST", PERF_RECORD_LOST); P("PERF_RECORD_COMM", PERF_RECORD_COMM);
    P("PERF_RECORD_EXIT", PERF_RECORD_EXIT); P("PERF_RECORD_THROTTLE", PERF_RECORD_THROTTLE);
    P("PERF_RECORD_FORK", PERF_RECORD_FORK); P("PERF_RECORD_SAMPLE", PERF_RECORD_SAMPLE);
    P("PERF_RECORD_LOST_SAMPLES", PERF_RECORD_LOST_SAMPLES);
    P("PERF_RECORD_MISC_COMM_EXEC", PERF_RECORD_MISC_COMM_EXEC);
    P("PERF_RECORD_SWITCH", PERF_RECORD_SWITCH); P("PERF_RECORD_MISC_SWITCH_OUT", PERF_RECORD_MISC_SWITCH_OUT);
    P("PERF_RECORD_MISC_SWITCH_OUT_PREEMPT", PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
    P("PERF_CONTEXT_MAX", (long long) PERF_CONTEXT_MAX); P("PERF_SAMPLE_REGS_ABI_64", PERF_SAMPLE_REGS_ABI_64);

    P("BPF_PROG_LOAD", BPF_PROG_LOAD); P("BPF_MAP_CREATE", BPF_MAP_CREATE);
    P("BPF_MAP_UPDATE_ELEM", BPF_MAP_UPDATE_ELEM); P("BPF_MAP_TYPE_LRU_HASH", BPF_MAP_TYPE_LRU_HASH);
    ATTR(key_size); ATTR(value_size); ATTR(map_fd); ATTR(key); ATTR(value); FUNC(map_lookup_elem);
    FUNC(map_update_elem);
    P("BPF_PROG_TYPE_KPROBE", BPF_PROG_TYPE_KPROBE);
    P("BPF_PROG_TYPE_PERF_EVENT", BPF_PROG_TYPE_PERF_EVENT); P("BPF_MAP_TYPE_RINGBUF", BPF_MAP_TYPE_RINGBUF);
    ATTR(prog_type); ATTR(insns); ATTR(insn_cnt); ATTR(license); ATTR(map_type); ATTR(max_entries);
    FUNC(ktime_get_ns); FUNC(get_smp_processor_id); FUNC(get_current_pid_tgid); FUNC(probe_read_user);
    FUNC(get_ns_current_pid_tgid); FUNC(ringbuf_reserve); FUNC(ringbuf_submit); FUNC(ringbuf_discard);
    FUNC(ringbuf_query); FUNC(get_current_task_btf); FUNC(task_pt_regs);
    P("BPF_RB_NO_WAKEUP", BPF_RB_NO_WAKEUP); P("BPF_RB_FORCE_WAKEUP", BPF_RB_FORCE_WAKEUP);
    P("BPF_RB_AVAIL_DATA", BPF_RB_AVAIL_DATA); P("BPF_RINGBUF_HDR_SZ", BPF_RINGBUF_HDR_SZ);
    P("BPF_RINGBUF_BUSY_BIT", BPF_RINGBUF_BUSY_BIT); P("BPF_RINGBUF_DISCARD_BIT", BPF_RINGBUF_DISCARD_BIT);
    /* struct pt_regs has the order of user_regs_struct; its header cannot be included beside sys/ptrace.h. */
    P("pt_regs.ip", offsetof(struct user_regs_struct, rip)); P("pt_regs.sp", offsetof(struct user_regs_struct, rsp));
    P("add", BPF_ALU64 | BPF_ADD | BPF_K); P("and", BPF_ALU64 | BPF_AND | BPF_K); P("set", BPF_ALU64 | BPF_MOV | BPF_K);
    P("move", BPF_ALU64 | BPF_MOV | BPF_X); P("load wide", BPF_LD | BPF_DW | BPF_IMM);
    P("load int", BPF_LDX | BPF_MEM | BPF_W); P("load", BPF_LDX | BPF_MEM | BPF_DW);
    P("store", BPF_STX | BPF_MEM | BPF_DW); P("jump", BPF_JMP | BPF_JA); P("jump equal", BPF_JMP | BPF_JEQ | BPF_K);
    P("jump not equal", BPF_JMP | BPF_JNE | BPF_K); P("jump below", BPF_JMP | BPF_JLT | BPF_K);
    P("jump below register", BPF_JMP | BPF_JLT | BPF_X); P("subtract", BPF_ALU64 | BPF_SUB | BPF_X);
    P("call", BPF_JMP | BPF_CALL); P("exit", BPF_JMP | BPF_EXIT);
    P("BPF_PSEUDO_MAP_FD", BPF_PSEUDO_MAP_FD); P("BPF_REG_FP", BPF_REG_10);

    P("PTRACE_SEIZE", PTRACE_SEIZE); P("PTRACE_INTERRUPT", PTRACE_INTERRUPT); P("PTRACE_GETREGSET", PTRACE_GETREGSET);
    P("PTRACE_DETACH", PTRACE_DETACH); P("NT_PRSTATUS", NT_PRSTATUS);
    P("sizeof user_regs_struct", sizeof(struct user_regs_struct)); OFF(user_regs_struct, r15);
    OFF(user_regs_struct, rbp);
    OFF(user_regs_struct, rax); OFF(user_regs_struct, rip); OFF(user_regs_struct, rsp);
    P("P_PID", P_PID); P("WNOHANG", WNOHANG); P("WSTOPPED", WSTOPPED); P("WEXITED", WEXITED);
    P("WNOWAIT", WNOWAIT); P("__WALL", __WALL);
    P("CLD_TRAPPED", CLD_TRAPPED); P("CLD_STOPPED", CLD_STOPPED);
    P("sizeof siginfo", sizeof(siginfo_t)); P("si_code", offsetof(siginfo_t, si_code));
    P("si_pid", offsetof(siginfo_t, si_pid)); P("si_status", offsetof(siginfo_t, si_status));
    P("CAP_SYS_PTRACE", CAP_SYS_PTRACE); P("CAP_SYS_ADMIN", CAP_SYS_ADMIN); P("CAP_PERFMON", CAP_PERFMON);
    P("CAP_BPF", CAP_BPF); P("CAP_CHECKPOINT_RESTORE", CAP_CHECKPOINT_RESTORE);
    return 0;
}
