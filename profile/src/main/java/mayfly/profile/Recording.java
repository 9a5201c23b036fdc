package mayfly.profile;

import java.util.List;

/**
 * What was recorded, how, and when: known before the first sample. Strings are the target's or the host's: untrusted.
 *
 * @param pid process id of the target
 * @param commandLine its command line, arguments separated by blanks
 * @param mainClass its main class or jar, empty if not known
 * @param runtimes the runtimes in it
 * @param events what was sampled: at least one event
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
        List<RecordedRuntime> runtimes,
        List<SampledEvent> events,
        String collector,
        String hostKernel,
        int cpus,
        long epochNanos,
        long monotonicNanos) {

    public Recording {
        runtimes = List.copyOf(runtimes);
        events = List.copyOf(events);
        if (events.isEmpty()) {
            throw new IllegalArgumentException("a recording without an event");
        }
    }

    /** The version of its first runtime, empty if none was found. */
    public String runtimeVersion() {
        return runtimes.isEmpty() ? "" : runtimes.getFirst().version();
    }

    /** The same of one of its events alone. */
    Recording of(SampledEvent event) {
        return new Recording(pid, commandLine, mainClass, runtimes, List.of(event), collector, hostKernel, cpus,
                epochNanos, monotonicNanos);
    }
}
