package mayfly.record;

/** How samples are taken. */
public enum Collector {
    /** The best that is permitted, in the order of the others. */
    AUTO("auto"),
    /** One perf event for each CPU, filtered to the target. Sees kernel frames and short-lived threads. */
    SYSTEM_WIDE("system-wide"),
    /** One perf event for each thread, inherited by the threads it starts. User space only. */
    PER_THREAD("per-thread"),
    /** Threads whose CPU time advanced are stopped for some microseconds and read. */
    PTRACE("ptrace");

    private final String id;

    Collector(String id) {
        this.id = id;
    }

    /** The word used on the command line and in reports. Never changes. */
    public String id() {
        return id;
    }

    @Override
    public String toString() {
        return id;
    }
}
