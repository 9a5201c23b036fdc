package mayfly.stack;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import mayfly.linux.trace.AllThreadsSnapshot;
import mayfly.linux.trace.ThreadStopper;
import mayfly.profile.RuntimeId;
import mayfly.stack.state.LockReport;
import mayfly.stack.state.VirtualThreadReport;
import org.jspecify.annotations.Nullable;

/**
 * The stacks of a process's threads. Strings come from the target: untrusted text.
 *
 * @param pid the process id
 * @param mainClass the main class or jar, empty if unknown
 * @param runtimes the runtimes with their versions, such as {@code r1 HotSpot 25.0.3+9}
 * @param time the start time of the dump
 * @param together true if all threads were stopped at one moment, false if each was stopped separately
 * @param threads Java threads first, the main thread before the others; then threads of the VM and of native libraries
 * @param unmounted true if virtual threads may exist that no thread of the kernel runs; they are not in {@code threads}
 * @param virtual these threads; null if the dump was taken without them
 * @param stops the durations for which threads were stopped
 * @param locks the locks for which the threads wait
 */
public record ThreadDump(
        int pid,
        String mainClass,
        List<String> runtimes,
        Instant time,
        boolean together,
        List<DumpedThread> threads,
        boolean unmounted,
        @Nullable VirtualThreadReport virtual,
        Stops stops,
        LockReport locks) {

    public ThreadDump {
        runtimes = List.copyOf(runtimes);
        threads = List.copyOf(threads);
    }

    /**
     * Upper bounds on the durations for which threads were stopped, ns.
     *
     * @param count the number of stopped threads
     * @param medianNanos the median duration
     * @param longestNanos the longest duration
     * @param unstopped the number of threads copied without a stop, because a stop would have ended a system call
     *         early
     * @param limitNanos the limit of a stop; once it is reached, a thread is released as soon as this process runs
     * @param overLimit the number of stops that exceeded the limit
     */
    public record Stops(int count, long medianNanos, long longestNanos, int unstopped, long limitNanos, int overLimit) {

        static Stops of(List<DumpedThread> threads, boolean together) {
            long limit = together ? AllThreadsSnapshot.LIMIT_NANOS : ThreadStopper.STOP_LIMIT_NANOS;
            long[] nanos = threads.stream()
                    .mapToLong(thread -> thread.result().stopNanos())
                    .filter(n -> n > 0)
                    .sorted()
                    .toArray();
            int unstopped = (int) threads.stream()
                    .filter(thread ->
                            thread.result().timeNanos() != 0 && thread.result().stopNanos() == 0)
                    .count();
            int over = (int) Arrays.stream(nanos).filter(n -> n > limit).count();
            return nanos.length == 0
                    ? new Stops(0, 0, 0, unstopped, limit, 0)
                    : new Stops(nanos.length, nanos[nanos.length / 2], nanos[nanos.length - 1], unstopped, limit, over);
        }
    }

    /** Receives the progress of a dump, on the dumping thread, at most ten times a second. */
    @FunctionalInterface
    public interface Progress {
        void tick(int done, int total);
    }

    /**
     * The options of a dump.
     *
     * @param thread only threads with this name or kernel id; empty for all
     * @param together true to stop all threads for one consistent snapshot
     * @param virtual true to include virtual threads that are not mounted, which stops all threads too
     * @param holes true for one line for each run of native frames
     * @param hidden true to include frames that the JVM hides from a Throwable's stack trace, as jstack does
     * @param runtime only managed threads of this runtime; empty for all threads
     */
    public record Options(
            String thread,
            boolean together,
            boolean virtual,
            boolean holes,
            boolean hidden,
            Optional<RuntimeId.Choice> runtime) {
        /** Every thread, each stopped separately, with all frames. */
        public static final Options ALL = new Options("", false, false, true);

        /** Creates the options of a dump of all runtimes. */
        public Options(String thread, boolean together, boolean holes, boolean hidden) {
            this(thread, together, false, holes, hidden, Optional.empty());
        }
    }
}
