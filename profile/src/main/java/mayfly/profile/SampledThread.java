package mayfly.profile;

import java.util.List;

/**
 * A thread of the target. Tid and start time identify the thread, because the kernel can reuse a tid.
 *
 * @param tid thread id in the pid namespace of Mayfly
 * @param startTicks its start time as in field 22 of {@code /proc/PID/stat}, see proc_pid_stat(5); 0 if unknown
 * @param names its names so far, oldest first; never empty
 */
public record SampledThread(int tid, long startTicks, List<Name> names) {

    /**
     * A name and its start.
     *
     * @param nanos CLOCK_MONOTONIC nanoseconds at which the name was first seen
     * @param name untrusted text
     */
    public record Name(long nanos, String name) {}

    /** @throws IllegalArgumentException if it has no name */
    public SampledThread {
        names = List.copyOf(names);
        if (names.isEmpty()) {
            throw new IllegalArgumentException("thread " + tid + " has no name");
        }
    }

    /** Returns the latest name. */
    public String name() {
        return names.getLast().name();
    }
}
