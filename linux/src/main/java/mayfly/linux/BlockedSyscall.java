package mayfly.linux;

import java.io.IOException;
import java.util.Set;
import mayfly.linux.proc.ProcFile;
import org.jspecify.annotations.Nullable;

/**
 * The content of one /proc/PID/task/TID/syscall, see proc_pid_syscall(5): where a thread blocked in the kernel left
 * user space.
 *
 * @param number the system call by its number on x86-64, -1 if the thread waits for something else such as a page
 * @param descriptor its first argument, which is a file descriptor for calls that read; -1 if there is none
 * @param sp the user stack pointer
 * @param pc the user program counter
 */
public record BlockedSyscall(long number, int descriptor, long sp, long pc) {
    /**
     * Calls that a stop may end early, with EINTR or after a part of their work: see signal(7), "Interruption of
     * system calls and library functions by stop signals". For the socket calls this depends on a time-out that cannot
     * be seen from outside. A call that does not block, such as a long getrandom(2), can still end after a part of its
     * work, as its manual page permits.
     */
    private static final Set<Integer> NOT_RESTARTED = Set.of(
            1,      // write
            3,      // close, of a socket with SO_LINGER
            16,     // ioctl, for some drivers, such as KVM_RUN
            18,     // pwrite64
            20,     // writev
            33,     // dup2, which closes as close does
            40,     // sendfile
            42,     // connect
            43,     // accept
            44,     // sendto
            45,     // recvfrom
            46,     // sendmsg
            47,     // recvmsg
            65,     // semop
            128,    // rt_sigtimedwait
            208,    // io_getevents
            220,    // semtimedop
            232,    // epoll_wait
            275,    // splice
            278,    // vmsplice
            281,    // epoll_pwait
            288,    // accept4
            292,    // dup3, which closes as close does
            296,    // pwritev
            299,    // recvmmsg
            307,    // sendmmsg
            328,    // pwritev2
            333,    // io_pgetevents
            426,    // io_uring_enter
            436,    // close_range, as close
            441);   // epoll_pwait2

    /** Calls that a stop may end early only if the descriptor is a socket; on other files the kernel restarts them. */
    private static final Set<Integer> NOT_RESTARTED_ON_SOCKETS = Set.of(
            0,      // read
            19,     // readv
            327);   // preadv2

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

    /** Parses {@code running}, {@code -1 SP PC}, or {@code NUMBER ARG0…ARG5 SP PC}. Returns null if the thread runs. */
    static @Nullable public BlockedSyscall parse(String text) {
        String[] words = text.strip().split(" ", 12);
        if (words.length != 3 && words.length != 9) {
            return null;
        }
        try {
            return new BlockedSyscall(Long.parseLong(words[0]), words.length == 3 ? -1 : (int) hex(words[1]),
                    hex(words[words.length - 2]), hex(words[words.length - 1]));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static long hex(String word) {
        return Long.parseUnsignedLong(word, word.startsWith("0x") ? 2 : 0, word.length(), 16);
    }

    /** Returns true if a stop could make the call return early. */
    public boolean isDisturbedByStop(LiveProcess target) {
        if (number < 0 || number > Integer.MAX_VALUE) {
            return false;
        }
        int call = (int) number;
        return NOT_RESTARTED.contains(call)
                || NOT_RESTARTED_ON_SOCKETS.contains(call) && target.mayBeSocket(descriptor);
    }
}
