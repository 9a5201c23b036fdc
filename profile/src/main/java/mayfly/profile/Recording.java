package mayfly.profile;

import java.util.List;

/**
 * What was recorded, how, and when: known before the first sample. Strings are the target's or the host's: untrusted.
 *
 * @param pid process id of the target
 * @param commandLine its command line, arguments separated by blanks
 * @param mainClass its main class or jar, empty if not known
 * @param jvmVersion the version of its first runtime, empty if not known
 * @param runtimes one line for each runtime in it, such as {@code r1 HotSpot 25.0.1+8}
 * @param event what was sampled, such as {@code cpu}
 * @param unit what a sample's value counts
 * @param rate samples per second asked for, for each busy thread; 0 if the event has no rate
 * @param collector how samples were taken, in a few words
 * @param hostKernel the host's kernel release, empty if not known
 * @param cpus number of online CPUs, 0 if not known
 * @param epochNanos the wall clock's nanoseconds since 1970-01-01 UTC at {@code monotonicNanos}
 * @param monotonicNanos CLOCK_MONOTONIC when the recording started
 */
public record Recording(
        int pid,
        String commandLine,
        String mainClass,
        String jvmVersion,
        List<String> runtimes,
        String event,
        Unit unit,
        int rate,
        String collector,
        String hostKernel,
        int cpus,
        long epochNanos,
        long monotonicNanos) {

    public Recording {
        runtimes = List.copyOf(runtimes);
    }
}
