package mayfly.process;

import java.util.OptionalLong;

/** The properties of single threads of a process, as reported by the kernel. They are read again at each call. */
public interface ThreadFacts {

    /**
     * Returns true if the thread that had an id at the given time still has its stack: it has not begun to exit, and
     * the id has not been reused by a thread started later.
     *
     * @param nanos CLOCK_MONOTONIC, ns
     */
    boolean isStillRunning(int tid, long nanos);

    /** Returns the id of a thread in its own, innermost pid namespace; -1 if it cannot be determined. */
    int innermostTid(int tid);

    /**
     * Returns the user stack pointer of a thread blocked in the kernel; empty if it runs, has ended, or may not be
     * read.
     */
    OptionalLong waitingAt(int tid);

    /**
     * Returns the CPU time of one thread so far in ns, from its schedstat; -1 if the kernel does not report it or the
     * thread has ended.
     */
    long cpuNanos(int tid);
}
