package mayfly.linux.x86;

import static java.util.Map.entry;

import java.util.Map;
import mayfly.linux.abi.SystemCall;

/** The numbers of the system calls, see asm/unistd_64.h; a test compares them with the header. */
final class X86SystemCalls {
    static final Map<SystemCall, Integer> NUMBERS = Map.ofEntries(
            entry(SystemCall.READ, 0), entry(SystemCall.WRITE, 1), entry(SystemCall.CLOSE, 3),
            entry(SystemCall.POLL, 7), entry(SystemCall.MMAP, 9), entry(SystemCall.MUNMAP, 11),
            entry(SystemCall.IOCTL, 16), entry(SystemCall.PREAD64, 17), entry(SystemCall.PWRITE64, 18),
            entry(SystemCall.READV, 19), entry(SystemCall.WRITEV, 20), entry(SystemCall.DUP2, 33),
            entry(SystemCall.ALARM, 37), entry(SystemCall.SENDFILE, 40), entry(SystemCall.SOCKET, 41),
            entry(SystemCall.CONNECT, 42), entry(SystemCall.ACCEPT, 43), entry(SystemCall.SENDTO, 44),
            entry(SystemCall.RECVFROM, 45), entry(SystemCall.SENDMSG, 46), entry(SystemCall.RECVMSG, 47),
            entry(SystemCall.GETSOCKOPT, 55), entry(SystemCall.SEMOP, 65), entry(SystemCall.FCHOWN, 93),
            entry(SystemCall.PTRACE, 101), entry(SystemCall.GETEUID, 107), entry(SystemCall.RT_SIGTIMEDWAIT, 128),
            entry(SystemCall.FSTATFS, 138), entry(SystemCall.GETPRIORITY, 140), entry(SystemCall.SETPRIORITY, 141),
            entry(SystemCall.GETTID, 186), entry(SystemCall.IO_SETUP, 206), entry(SystemCall.IO_DESTROY, 207),
            entry(SystemCall.IO_GETEVENTS, 208), entry(SystemCall.SEMTIMEDOP, 220),
            entry(SystemCall.CLOCK_GETTIME, 228), entry(SystemCall.EXIT_GROUP, 231), entry(SystemCall.EPOLL_WAIT, 232),
            entry(SystemCall.WAITID, 247), entry(SystemCall.OPENAT, 257), entry(SystemCall.MKDIRAT, 258),
            entry(SystemCall.UNLINKAT, 263), entry(SystemCall.LINKAT, 265), entry(SystemCall.SPLICE, 275),
            entry(SystemCall.VMSPLICE, 278), entry(SystemCall.EPOLL_PWAIT, 281), entry(SystemCall.ACCEPT4, 288),
            entry(SystemCall.DUP3, 292), entry(SystemCall.PIPE2, 293), entry(SystemCall.PWRITEV, 296),
            entry(SystemCall.PERF_EVENT_OPEN, 298), entry(SystemCall.RECVMMSG, 299), entry(SystemCall.PRLIMIT64, 302),
            entry(SystemCall.SENDMMSG, 307), entry(SystemCall.PROCESS_VM_READV, 310), entry(SystemCall.GETRANDOM, 318),
            entry(SystemCall.MEMFD_CREATE, 319), entry(SystemCall.BPF, 321), entry(SystemCall.USERFAULTFD, 323),
            entry(SystemCall.PREADV2, 327), entry(SystemCall.PWRITEV2, 328), entry(SystemCall.STATX, 332),
            entry(SystemCall.IO_PGETEVENTS, 333), entry(SystemCall.PIDFD_SEND_SIGNAL, 424),
            entry(SystemCall.IO_URING_ENTER, 426), entry(SystemCall.PIDFD_OPEN, 434),
            entry(SystemCall.CLOSE_RANGE, 436), entry(SystemCall.OPENAT2, 437), entry(SystemCall.EPOLL_PWAIT2, 441));

    private X86SystemCalls() {
    }
}
