package mayfly.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A finished recording. docs/formats/record-json.md explains the figures. */
public sealed interface Recording permits Results.Recorded {
    /** Returns the path of the output. */
    Path file();

    /** Returns the format of the output: html, collapsed, pprof, speedscope, text or mayfly. */
    String format();

    long pid();

    /** Returns the main class or jar of the process, or its program; empty if not known. Untrusted text. */
    String mainClass();

    /** Returns the version of the first runtime of the process; empty if not known. */
    String jvmVersion();

    /**
     * Returns the event that was sampled, the first one if there were several: cpu, wall, off-cpu, lock, safepoint,
     * gc, alloc or alloc-class.
     */
    String event();

    /** Returns the unit of a sample's value: ns, bytes or count. */
    String unit();

    /** Returns how samples were taken, in words. */
    String collector();

    /** Returns the samples per second that were requested for each busy thread. */
    long rateHz();

    /** Returns how long samples were taken. */
    Duration duration();

    /** Returns the number of samples. */
    long samples();

    /** Returns the number of samples whose stack reaches the thread's root. */
    long complete();

    /** Returns the number of samples whose stack is so deep that the walk ended before its root. */
    long truncated();

    /** Returns the number of samples whose stack reaches its root, with the middle left out. */
    long shortened();

    /** Returns the number of samples whose outer frames may belong to another call. */
    long unproven();

    /** Returns the number of samples with a broken stack, by outcome. */
    Map<String, Long> broken();

    /** Returns the number of samples that the kernel could not deliver. */
    long lost();

    /** Returns how many times the kernel throttled the event. */
    long throttled();

    /** Returns the number of samples that were ignored because they repeat another one. */
    long duplicates();

    /** Returns the time that the samples represent. */
    Duration sampledCpu();

    /** Returns the CPU time of the process in /proc over the same period, if it is known. */
    Optional<Duration> procCpu();

    /** Returns the number of frames decoded from a copy of compiled code that was replaced before the walk. */
    long supersededFrames();

    /** Returns the number of stacks whose walk continued in live memory, beyond the part that was copied and saved. */
    long continuedStacks();

    /** Returns the number of stacks of which a part was not saved when the sample was taken. */
    long unsavedStacks();

    /** Returns the number of samples whose leaf method is not certain, if it is known. */
    OptionalLong inferredLeaves();

    /** Returns problems with the recording as a whole, in sentences. */
    List<String> alarms();

    /** Returns facts that a reader should know, in sentences. */
    List<String> notes();
}
