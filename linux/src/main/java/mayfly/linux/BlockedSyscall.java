package mayfly.linux;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import mayfly.linux.abi.Abi;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.proc.ProcFile;
import mayfly.linux.sys.Cpu;
import org.jspecify.annotations.Nullable;

/**
 * The content of one /proc/PID/task/TID/syscall, see proc_pid_syscall(5): where a thread blocked in the kernel left
 * user space.
 *
 * @param number the number of the system call, -1 if the thread waits for something else such as a page
 * @param descriptor its first argument, which is a file descriptor for calls that read; -1 if there is none
 * @param sp the user stack pointer
 * @param pc the user program counter
 */
public record BlockedSyscall(long number, int descriptor, long sp, long pc) {

    /** The object of the kernel for which a thread waits in a system call. */
    public enum Kind {
        /** The word of a lock or a condition in the process's own memory: futex(2). */
        FUTEX,
        /** A time. */
        SLEEP,
        /** A socket, or one of several descriptors: poll(2), select(2), epoll_wait(2). */
        SOCKET,
        /** A file, a pipe, or a device. */
        FILE,
        /** A page of memory: the thread is in no system call. */
        PAGE,
        /** Any other object. */
        OTHER
    }

    /**
     * Calls that a stop may end early, with EINTR or after a part of their work: see signal(7), "Interruption of
     * system calls and library functions by stop signals". For the socket calls this depends on a time-out that cannot
     * be seen from outside. A call that does not block, such as a long getrandom(2), can still end after a part of its
     * work, as its manual page permits.
     */
    private static final Set<SystemCall> NOT_RESTARTED = EnumSet.of(
            SystemCall.WRITE,
            SystemCall.CLOSE, // of a socket with SO_LINGER
            SystemCall.IOCTL, // for some drivers, such as KVM_RUN
            SystemCall.PWRITE64,
            SystemCall.WRITEV,
            SystemCall.DUP2, // closes as close does
            SystemCall.SENDFILE,
            SystemCall.CONNECT,
            SystemCall.ACCEPT,
            SystemCall.SENDTO,
            SystemCall.RECVFROM,
            SystemCall.SENDMSG,
            SystemCall.RECVMSG,
            SystemCall.SEMOP,
            SystemCall.RT_SIGTIMEDWAIT,
            SystemCall.IO_GETEVENTS,
            SystemCall.SEMTIMEDOP,
            SystemCall.EPOLL_WAIT,
            SystemCall.SPLICE,
            SystemCall.VMSPLICE,
            SystemCall.EPOLL_PWAIT,
            SystemCall.ACCEPT4,
            SystemCall.DUP3, // closes as close does
            SystemCall.PWRITEV,
            SystemCall.RECVMMSG,
            SystemCall.SENDMMSG,
            SystemCall.PWRITEV2,
            SystemCall.IO_PGETEVENTS,
            SystemCall.IO_URING_ENTER,
            SystemCall.CLOSE_RANGE, // as close
            SystemCall.EPOLL_PWAIT2);

    /** Calls that a stop may end early only if the descriptor is a socket; on other files the kernel restarts them. */
    private static final Set<SystemCall> NOT_RESTARTED_ON_SOCKETS =
            EnumSet.of(SystemCall.READ, SystemCall.READV, SystemCall.PREADV2);

    private static final Map<Kind, Set<Long>> KINDS = Map.of(
            Kind.FUTEX,
            numbers(EnumSet.of(SystemCall.FUTEX)),
            Kind.SLEEP,
            numbers(EnumSet.of(SystemCall.NANOSLEEP, SystemCall.CLOCK_NANOSLEEP)),
            Kind.SOCKET,
            numbers(EnumSet.of(
                    SystemCall.POLL,
                    SystemCall.PPOLL,
                    SystemCall.SELECT,
                    SystemCall.PSELECT6,
                    SystemCall.EPOLL_WAIT,
                    SystemCall.EPOLL_PWAIT,
                    SystemCall.EPOLL_PWAIT2,
                    SystemCall.CONNECT,
                    SystemCall.ACCEPT,
                    SystemCall.ACCEPT4,
                    SystemCall.SENDTO,
                    SystemCall.RECVFROM,
                    SystemCall.SENDMSG,
                    SystemCall.RECVMSG,
                    SystemCall.SENDMMSG,
                    SystemCall.RECVMMSG)),
            Kind.FILE,
            numbers(EnumSet.of(
                    SystemCall.OPENAT,
                    SystemCall.CLOSE,
                    SystemCall.FSYNC,
                    SystemCall.FDATASYNC,
                    SystemCall.LINKAT,
                    SystemCall.UNLINKAT,
                    SystemCall.MKDIRAT,
                    SystemCall.STATX)));
    /** Calls that wait for the file or the socket that their first argument denotes. */
    private static final Set<Long> ON_DESCRIPTORS = numbers(EnumSet.of(
            SystemCall.READ,
            SystemCall.WRITE,
            SystemCall.READV,
            SystemCall.WRITEV,
            SystemCall.PREAD64,
            SystemCall.PWRITE64,
            SystemCall.PREADV2,
            SystemCall.PWRITEV,
            SystemCall.PWRITEV2,
            SystemCall.SENDFILE));
    /** Stands for the number if the thread is in no system call. */
    private static final int NO_CALL = -1;

    private static final Set<Long> DISTURBED = numbers(NOT_RESTARTED);
    private static final Set<Long> DISTURBED_ON_SOCKETS = numbers(NOT_RESTARTED_ON_SOCKETS);

    private static Set<Long> numbers(Set<SystemCall> calls) {
        return calls.stream()
                .map(Cpu.ABI::number)
                .filter(number -> number != Abi.NO_CALL)
                .map(Long::valueOf)
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Reads the file of one thread. Returns null if the thread runs.
     *
     * @throws IOException if the file cannot be read
     */
    static @Nullable public BlockedSyscall read(LiveProcess target, int tid) throws IOException {
        return read(target.proc(), tid);
    }

    static @Nullable BlockedSyscall read(String proc, int tid) throws IOException {
        return parse(ProcFile.line(proc + "/task/" + tid + "/syscall"));
    }

    /**
     * Parses {@code running}, {@code -1 SP PC}, or {@code NUMBER ARG0…ARG5 SP PC}. Returns null if the thread runs, or
     * if the text is malformed.
     */
    static @Nullable public BlockedSyscall parse(String text) {
        String[] words = text.strip().split(" ", 12);
        if (words.length != 3 && words.length != 9) {
            return null;
        }
        try {
            return new BlockedSyscall(
                    Long.parseLong(words[0]),
                    words.length == 3 ? -1 : (int) hex(words[1]),
                    hex(words[words.length - 2]),
                    hex(words[words.length - 1]));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static long hex(String word) {
        return Long.parseUnsignedLong(word, word.startsWith("0x") ? 2 : 0, word.length(), 16);
    }

    /** Returns the kind of object for which the thread waits. */
    public Kind kind(LiveProcess target) {
        if (number == NO_CALL) {
            return Kind.PAGE;
        }
        if (ON_DESCRIPTORS.contains(number)) {
            return target.mayBeSocket(descriptor) ? Kind.SOCKET : Kind.FILE;
        }
        for (Map.Entry<Kind, Set<Long>> kind : KINDS.entrySet()) {
            if (kind.getValue().contains(number)) {
                return kind.getKey();
            }
        }
        return Kind.OTHER;
    }

    /** Returns true if a stop could make the call return early. */
    public boolean isDisturbedByStop(LiveProcess target) {
        return DISTURBED.contains(number) || DISTURBED_ON_SOCKETS.contains(number) && target.mayBeSocket(descriptor);
    }
}
