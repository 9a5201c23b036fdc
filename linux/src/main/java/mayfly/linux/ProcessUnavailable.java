package mayfly.linux;

/** A process that cannot be traced, and why. */
public final class ProcessUnavailable extends Exception {
    private static final long serialVersionUID = 1L;

    /** Why a process cannot be traced. */
    public enum Reason {
        /** There is no process of this id. */
        NOT_FOUND("there is no process %d"),
        /** The id is that of a thread, not that of a process. */
        NOT_A_PROCESS("%d is a thread of a process, not a process"),
        /** It has exited, and is being taken down or waits for its parent. */
        ZOMBIE("process %d has exited already (zombie)"),
        /** A thread of the kernel: it has no memory of its own. */
        KERNEL_THREAD("%d is a kernel thread"),
        /** It belongs to somebody else. */
        NOT_PERMITTED("reading process %d is not permitted"),
        /** The kernel lacks a call, or a resource ran out. */
        SYSTEM("the kernel did not open process %d");

        private final String sentence;

        Reason(String sentence) {
            this.sentence = sentence;
        }
    }

    private final int pid;
    private final Reason reason;

    ProcessUnavailable(int pid, Reason reason, String detail) {
        super(String.format(reason.sentence, pid) + (detail.isEmpty() ? "" : ": " + detail), null, false, false);
        this.pid = pid;
        this.reason = reason;
    }

    public int pid() {
        return pid;
    }

    public Reason reason() {
        return reason;
    }
}
