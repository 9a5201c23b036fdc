package mayfly.runtime;

/** What a thread of a managed runtime is doing, as the runtime itself notes it. */
public enum ManagedThreadState {
    /** It runs managed code, interpreted or compiled, or would if it had a CPU. */
    IN_MANAGED_CODE("running"),
    /** It is in native code that managed code called: it runs there, or waits in a system call. */
    IN_NATIVE("in native code"),
    /** It is in the runtime itself: it works there, or waits for a lock of the runtime's or for a safepoint to end. */
    IN_VM("in the VM"),
    /** It waits to enter a monitor that another thread holds. */
    BLOCKED("blocked on a monitor"),
    /** It waits to be notified, in Object.wait or in Thread.join, for ever. */
    WAITING("waiting"),
    /** The same with a limit. */
    TIMED_WAITING("waiting, with a limit"),
    /** It is parked, as the waiters of java.util.concurrent are, until somebody unparks it. */
    PARKED("parked"),
    /** The same with a limit. */
    TIMED_PARKED("parked, with a limit"),
    /** It is in Thread.sleep. */
    SLEEPING("sleeping"),
    /** It exists and has not begun to run. */
    NEW("new"),
    /** It has run to its end and is not yet gone. */
    TERMINATED("terminated"),
    /** It could not be read. */
    UNKNOWN("unknown");

    private final String label;

    ManagedThreadState(String label) {
        this.label = label;
    }

    /** The state in words for a reader, such as {@code blocked on a monitor}. */
    public String label() {
        return label;
    }
}
