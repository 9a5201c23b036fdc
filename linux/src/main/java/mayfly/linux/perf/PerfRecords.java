package mayfly.linux.perf;

/** Receives what the kernel has recorded, ring by ring: in order for each CPU, not across them. */
public interface PerfRecords {

    /** One sample of the target. The object is reused: take what you need before returning. */
    void sample(PerfSample sample);

    /** The kernel had no room for so many records. System-wide they may have been any process's. */
    default void lost(long records) {
    }

    /** A thread has a new name, by execve(2) or by its own wish. The name is untrusted text. */
    default void comm(int tid, String name, boolean exec) {
    }

    /** A thread of the target has been created. Times are CLOCK_MONOTONIC, ns. */
    default void fork(int parentTid, int tid, long time) {
    }

    /** A thread of the target has ended. */
    default void exit(int tid, long time) {
    }

    /** The kernel has stopped an event until the next tick because it fired too often. */
    default void throttle() {
    }
}
