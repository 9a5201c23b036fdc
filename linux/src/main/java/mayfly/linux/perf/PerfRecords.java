package mayfly.linux.perf;

/** Receives the records of the kernel, ring by ring: ordered for each CPU, unordered across CPUs. */
public interface PerfRecords {

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

    /** Reports that the kernel has stopped an event until the next tick because it fired too often. */
    default void throttle() {}
}
