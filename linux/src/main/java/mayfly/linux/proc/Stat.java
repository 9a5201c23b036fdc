package mayfly.linux.proc;

import mayfly.process.TargetThread;
import org.jspecify.annotations.Nullable;

/**
 * The content of one /proc/PID/stat or /proc/PID/task/TID/stat, see proc_pid_stat(5).
 *
 * @param id the id of the process or the thread
 * @param comm the name, untrusted text that may contain blanks and parentheses
 * @param state the kernel's letter
 * @param parent the parent's process id
 * @param flags the kernel's PF_ flags
 * @param userTicks CPU time in user space, clock ticks
 * @param systemTicks CPU time in the kernel, clock ticks
 * @param startTicks start time since boot, clock ticks
 */
public record Stat(
        int id, String comm, char state, int parent, long flags, long userTicks, long systemTicks, long startTicks) {
    /** USER_HZ is 100, see asm-generic/param.h. */
    public static final long TICK_NANOS = 10_000_000;
    /** PF_KTHREAD, see linux/sched.h. */
    private static final long KERNEL_THREAD = 0x0020_0000;
    /** PF_EXITING, set before a thread releases its address space and thereby its stack. */
    private static final long EXITING = 4;

    /** Parses the file; returns null if the text is malformed. */
    static @Nullable public Stat parse(String text) {
        int open = text.indexOf('(');
        int close = text.lastIndexOf(')');
        if (open < 2 || close < open || close + 2 >= text.length()) {
            return null;
        }
        // Fields from the third on: state is rest[0], field n is rest[n - 3].
        String[] rest = text.substring(close + 2).strip().split(" ", 24);
        if (rest.length < 20 || rest[0].length() != 1) {
            return null;
        }
        try {
            return new Stat(
                    Integer.parseInt(text.substring(0, open).strip()),
                    text.substring(open + 1, close),
                    rest[0].charAt(0),
                    Integer.parseInt(rest[1]),
                    Long.parseUnsignedLong(rest[6]),
                    Long.parseUnsignedLong(rest[11]),
                    Long.parseUnsignedLong(rest[12]),
                    Long.parseUnsignedLong(rest[19]));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /**
     * Returns the address of the bottom of the stack, field 28; each execve(2) chooses a different one. 0 if the
     * process has no memory, if the field may not be read, or if the text is malformed.
     */
    public static long stackStart(String text) {
        String[] rest = text.substring(text.lastIndexOf(')') + 1).strip().split(" ", 27);
        try {
            return rest.length < 27 ? 0 : Long.parseUnsignedLong(rest[25]);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Returns the kernel's letter, '?' if the text is malformed: faster than parsing the whole text. */
    public static char state(String text) {
        int at = text.lastIndexOf(") ") + 2;
        return at >= 2 && at < text.length() ? text.charAt(at) : '?';
    }

    /** Returns true for a thread of the kernel. */
    public boolean isKernelThread() {
        return (flags & KERNEL_THREAD) != 0;
    }

    /** Returns true if the thread has begun to exit, or has exited. */
    public boolean isExiting() {
        return isZombie() || (flags & EXITING) != 0;
    }

    /** Returns true if the thread has exited. */
    public boolean isZombie() {
        return state == 'Z' || state == 'X';
    }

    /** Returns the CPU time in user space, ns. */
    public long userNanos() {
        return userTicks * TICK_NANOS;
    }

    /** Returns the CPU time in the kernel, ns. */
    public long systemNanos() {
        return systemTicks * TICK_NANOS;
    }

    public TargetThread thread() {
        return new TargetThread(id, comm, state, startTicks, userNanos(), systemNanos());
    }
}
