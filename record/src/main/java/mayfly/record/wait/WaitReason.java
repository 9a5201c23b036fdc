package mayfly.record.wait;

import mayfly.linux.BlockedSyscall;
import mayfly.runtime.thread.ManagedThreadState;
import org.jspecify.annotations.Nullable;

/** The reason for which a thread was off every CPU: the state of a sample. The words are written to captures. */
public enum WaitReason {
    /** It waited to enter a monitor. */
    LOCK("lock"),
    /** It waited for a notification, in Object.wait or Thread.join. */
    NOTIFICATION("wait"),
    /** It was parked, as by a class of java.util.concurrent. */
    PARK("park"),
    /** It slept. */
    SLEEP("sleep"),
    /** It waited for a socket, or for one of several descriptors. */
    SOCKET("socket"),
    /** It waited for a file, a pipe, or a device. */
    FILE("file"),
    /** It waited for a page of memory. */
    PAGE("page"),
    /** A thread of a runtime waited in the runtime itself, as for the end of a safepoint. */
    RUNTIME("runtime"),
    /** Native code waited for a lock or a condition: futex(2). */
    FUTEX("futex"),
    /** It waited in another system call. */
    OTHER("other"),
    /** It could run, and another thread ran on its CPU. */
    PREEMPTED("preempted"),
    /** The wait ended before the reason was read. */
    UNKNOWN("unknown"),
    /** The sum of the waits that are shorter than the shortest wait of the recording. */
    SHORT("short");

    private final String word;

    WaitReason(String word) {
        this.word = word;
    }

    /** Returns the word in captures and reports. It never changes. */
    public String word() {
        return word;
    }

    /**
     * Returns the reason for a wait.
     *
     * @param state the state of the thread in its runtime; null for a thread of no runtime
     * @param call the object of the kernel for which it waits
     */
    public static WaitReason of(@Nullable ManagedThreadState state, BlockedSyscall.Kind call) {
        if (state != null) {
            switch (state) {
                case BLOCKED:
                    return LOCK;
                case WAITING, TIMED_WAITING:
                    return NOTIFICATION;
                case PARKED, TIMED_PARKED:
                    return PARK;
                case SLEEPING:
                    return SLEEP;
                case IN_VM:
                    return call == BlockedSyscall.Kind.FUTEX ? RUNTIME : of(call);
                case IN_MANAGED_CODE, IN_NATIVE, NEW, TERMINATED, UNKNOWN:
                default:
            }
        }
        return of(call);
    }

    private static WaitReason of(BlockedSyscall.Kind call) {
        return switch (call) {
            case FUTEX -> FUTEX;
            case SLEEP -> SLEEP;
            case SOCKET -> SOCKET;
            case FILE -> FILE;
            case PAGE -> PAGE;
            case OTHER -> OTHER;
        };
    }
}
