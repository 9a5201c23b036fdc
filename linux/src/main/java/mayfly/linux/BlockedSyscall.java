package mayfly.linux;

import java.io.IOException;
import java.util.Set;
import mayfly.linux.proc.ProcFile;
import org.jspecify.annotations.Nullable;

/**
 * One /proc/PID/task/TID/syscall, see proc_pid_syscall(5): where a thread that waits in the kernel left user space.
 *
 * @param number the system call, -1 if it waits for something else such as a page
 * @param descriptor its first argument, which for calls that read is a file descriptor; -1 if there is none
 * @param sp its user stack pointer
 * @param pc its user program counter
 */
public record BlockedSyscall(long number, int descriptor, long sp, long pc) {
    /**
     * What a stop may end early, with EINTR or with a part done: see signal(7), "Interruption of system calls and
     * library functions by stop signals". For the socket calls it depends on a time-out that is not seen from here. A call
     * that does not wait, such as a long getrandom(2), can still end with a part done, as its page permits.
     */
    private static final Set<Integer> NOT_RESTARTED = Set.of(
            1,      // write
            3,      // close, of a socket with SO_LINGER
            18,     // pwrite64
            20,     // writev
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
            296,    // pwritev
            299,    // recvmmsg
            307,    // sendmmsg
            328,    // pwritev2
            333,    // io_pgetevents
            426,    // io_uring_enter
            441);   // epoll_pwait2

    /** The same, but only if the descriptor is a socket: of other files these calls are restarted. */
    private static final Set<Integer> NOT_RESTARTED_ON_SOCKETS = Set.of(
            0,      // read
            19,     // readv
            327);   // preadv2

    /** Null if the thread runs. */
    static @Nullable public BlockedSyscall read(LiveProcess target, int tid) throws IOException {
        return parse(ProcFile.line(target.proc() + "/task/" + tid + "/syscall"));
    }

    /** {@code running}, {@code -1 SP PC}, or {@code NUMBER ARG0…ARG5 SP PC}. */
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

    /** Whether a stop could make the call return early. */
    public boolean isDisturbedByStop(LiveProcess target) {
        if (number < 0 || number > Integer.MAX_VALUE) {
            return false;
        }
        int call = (int) number;
        return NOT_RESTARTED.contains(call) || NOT_RESTARTED_ON_SOCKETS.contains(call) && target.mayBeSocket(descriptor);
    }
}
