package mayfly.profile;

import java.util.List;

/**
 * The target, method and time of a recording. A recorder creates it with the values known before the first
 * sample; a reader returns the last values of the capture. Strings are from the target or the host: untrusted.
 *
 * @param pid process id of the target
 * @param commandLine its command line, arguments separated by blanks
 * @param mainClass its main class or jar, empty if unknown
 * @param runtimes the runtimes in it
 * @param events the sampled events: at least one
 * @param collector the sampling method, in a few words
 * @param hostKernel the host's kernel release, empty if unknown
 * @param cpus number of online CPUs, 0 if unknown
 * @param epochNanos the wall-clock time at {@code monotonicNanos}, in ns since 1970-01-01 UTC
 * @param monotonicNanos CLOCK_MONOTONIC at the start of the recording, ns
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

    /** @throws IllegalArgumentException if there is no event */
    public Recording {
        runtimes = List.copyOf(runtimes);
        events = List.copyOf(events);
        if (events.isEmpty()) {
            throw new IllegalArgumentException("a recording without an event");
        }
    }

    /** Returns the version of its first runtime, empty if none was found. */
    public String runtimeVersion() {
        return runtimes.isEmpty() ? "" : runtimes.getFirst().version();
    }

    /** Returns the version of a runtime, empty if the recording does not have it. */
    public String versionOf(RuntimeId runtime) {
        return runtimes.stream()
                .filter(recorded -> recorded.id().equals(runtime))
                .map(RecordedRuntime::version)
                .findFirst()
                .orElse("");
    }

    /** Returns the same recording with one of its events only. */
    Recording of(SampledEvent event) {
        return new Recording(
                pid,
                commandLine,
                mainClass,
                runtimes,
                List.of(event),
                collector,
                hostKernel,
                cpus,
                epochNanos,
                monotonicNanos);
    }
}
