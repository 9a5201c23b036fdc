package mayfly.stack;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import mayfly.linux.trace.ThreadStopper;
import mayfly.linux.trace.WorldStop;

/**
 * The stacks of a process's threads at some moment. Strings are the target's: untrusted text.
 *
 * @param pid the process
 * @param mainClass its main class or jar, empty if not known
 * @param runtimes its runtimes with their versions, such as {@code r1 HotSpot 25.0.3+9}
 * @param time when it was begun
 * @param together whether all threads were stopped at one moment, and not each for itself
 * @param threads Java threads first, the main one before the others; then those of the VM and of native libraries
 * @param stops how long threads were kept from running
 */
public record ThreadDump(int pid, String mainClass, List<String> runtimes, Instant time, boolean together,
                         List<DumpedThread> threads, Stops stops) {

    public ThreadDump {
        runtimes = List.copyOf(runtimes);
        threads = List.copyOf(threads);
    }

    /**
     * How long threads were kept from running, ns at most.
     *
     * @param count how many were stopped
     * @param medianNanos half of them at most so long
     * @param longestNanos none longer
     * @param unstopped how many more were copied without a stop, because it would have ended a system call early
     * @param limitNanos what a stop should not exceed; once it is reached, a thread is let go as soon as we run
     * @param overLimit how many stops took longer than that
     */
    public record Stops(int count, long medianNanos, long longestNanos, int unstopped, long limitNanos,
                        int overLimit) {

        static Stops of(List<DumpedThread> threads, boolean together) {
            long limit = together ? WorldStop.LIMIT_NANOS : ThreadStopper.STOP_LIMIT_NANOS;
            long[] nanos = threads.stream().mapToLong(thread -> thread.result().stopNanos()).filter(n -> n > 0).sorted()
                    .toArray();
            int unstopped = (int) threads.stream().filter(thread -> thread.result().timeNanos() != 0
                    && thread.result().stopNanos() == 0).count();
            int over = (int) Arrays.stream(nanos).filter(n -> n > limit).count();
            return nanos.length == 0 ? new Stops(0, 0, 0, unstopped, limit, 0)
                    : new Stops(nanos.length, nanos[nanos.length / 2], nanos[nanos.length - 1], unstopped, limit, over);
        }
    }

    /** Told how a dump goes on, by the thread that makes it, at most ten times a second. */
    @FunctionalInterface
    public interface Progress {
        void tick(int done, int total);
    }

    /**
     * What to show.
     *
     * @param thread only threads of this name or kernel's id; empty: all
     * @param together stop all threads for one consistent picture
     * @param holes one line for each run of native frames
     * @param hidden frames too that the JVM hides from a Throwable's stack trace, as jstack does
     */
    public record Options(String thread, boolean together, boolean holes, boolean hidden) {
        /** Every thread, each stopped for itself, with all frames. */
        public static final Options ALL = new Options("", false, false, true);
    }
}
