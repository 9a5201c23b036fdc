package mayfly.runtime.thread;

/** The activity of a thread of a managed runtime, as recorded by the runtime itself. */
public enum ManagedThreadState {
    /** It runs managed code, interpreted or compiled, or is ready to run it. */
    IN_MANAGED_CODE("running"),
    /** It is in native code that managed code called: it runs there, or waits in a system call. */
    IN_NATIVE("in native code"),
    /** It is in the runtime itself: it runs there, or waits for a lock of the runtime or for the end of a safepoint. */
    IN_VM("in the VM"),
    /** It waits to enter a monitor that another thread holds. */
    BLOCKED("blocked on a monitor"),
    /** It waits to be notified, in Object.wait or in Thread.join, without a limit. */
    WAITING("waiting"),
    /** It waits to be notified, with a time limit. */
    TIMED_WAITING("waiting, with a limit"),
    /** It is parked without a limit until another thread unparks it, for example by a class of java.util.concurrent. */
    PARKED("parked"),
    /** It is parked, with a time limit. */
    TIMED_PARKED("parked, with a limit"),
    /** It is in Thread.sleep. */
    SLEEPING("sleeping"),
    /** It exists and has not begun to run. */
    NEW("new"),
    /** It has finished and still exists. */
    TERMINATED("terminated"),
    /** It could not be read. */
    UNKNOWN("unknown");

    private final String label;

    ManagedThreadState(String label) {
        this.label = label;
    }

    /** Returns the state in words for a human reader, such as {@code blocked on a monitor}. */
    public String label() {
        return label;
    }
}
