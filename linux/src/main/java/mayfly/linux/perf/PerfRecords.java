package mayfly.linux.perf;

/** Receives the records of the kernel, ring by ring: ordered for each CPU, unordered across CPUs. */
public interface PerfRecords {

    /** A change between a thread and its CPU. */
    enum Switch {
        /** The thread runs on a CPU. */
        IN,
        /** The thread waits: it is blocked in the kernel. */
        OUT,
        /** The thread could continue, but another thread runs on its CPU. */
        PREEMPTED
    }

    /** Receives a sample of the target. The object is reused, so copy its data before returning. */
    void sample(PerfSample sample);

    /** Receives the number of records for which the kernel had no room. System-wide, they may belong to any process. */
    default void lost(long records) {}

    /**
     * Reports that a thread of the target has a new name.
     *
     * @param name untrusted text
     * @param exec true if execve(2) set the name, false if for example prctl(2) did
     */
    default void comm(int tid, String name, boolean exec) {}

    /** Reports that a thread of the target has been created. {@code time} is CLOCK_MONOTONIC, ns. */
    default void fork(int parentTid, int tid, long time) {}

    /** Reports that a thread of the target has ended. {@code time} is CLOCK_MONOTONIC, ns. */
    default void exit(int tid, long time) {}

    /**
     * Reports that a thread of the target has left a CPU, or runs again. Only {@link PerfCollector#switches} has these
     * records.
     *
     * @param time CLOCK_MONOTONIC, ns
     */
    default void switched(int tid, long time, Switch kind) {}

    /** Reports that the kernel has stopped an event until the next tick because it fired too often. */
    default void throttle() {}
}
