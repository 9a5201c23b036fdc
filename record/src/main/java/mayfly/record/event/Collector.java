package mayfly.record.event;

/** The method of taking samples. */
public enum Collector {
    /** The best permitted method, in the order of the others. */
    AUTO("auto"),
    /** One perf event for each CPU, filtered to the target. Sees kernel frames and short-lived threads. */
    SYSTEM_WIDE("system-wide"),
    /** One perf event for each thread, inherited by the threads it starts. Sees the kernel only if permitted. */
    PER_THREAD("per-thread"),
    /**
     * No perf events. Threads are stopped for some microseconds and copied; waiting threads are copied without a stop.
     */
    PTRACE("ptrace");

    private final String id;

    Collector(String id) {
        this.id = id;
    }

    /** Returns the identifier used on the command line and in reports. Stable across releases. */
    public String id() {
        return id;
    }

    @Override
    public String toString() {
        return id;
    }
}
