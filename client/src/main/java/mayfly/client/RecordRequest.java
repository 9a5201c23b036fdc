package mayfly.client;

import java.nio.file.Path;
import java.time.Duration;

/** A recording to be made. Options and their values are those of {@code mayfly record}, see docs/cli.md. */
public final class RecordRequest {
    private final Invocation invocation;

    RecordRequest(Invocation invocation) {
        this.invocation = invocation;
    }

    private RecordRequest with(String option, String value) {
        return new RecordRequest(invocation.with(option, value));
    }

    private RecordRequest with(String option) {
        return new RecordRequest(invocation.with(option));
    }

    /**
     * Sets how long samples are taken. Default: 30 seconds.
     *
     * @throws IllegalArgumentException if the time is not a positive whole number of milliseconds, or is more than
     *         10,000 days
     */
    public RecordRequest duration(Duration time) {
        return new RecordRequest(invocation.with("--duration", time));
    }

    /**
     * Sets the samples per second of CPU time (cpu, alloc), or of wall-clock time (wall). Default: 99.
     *
     * @param hertz from 1 to 1,000,000; the kernel may permit less
     */
    public RecordRequest rate(int hertz) {
        return with("--rate", Integer.toString(hertz));
    }

    /**
     * Sets the event to sample: {@code cpu}, {@code wall}, {@code off-cpu}, {@code lock}, {@code safepoint}, {@code
     * gc}, {@code alloc} or {@code alloc-class}; or several, separated by commas, which only a capture can hold. The
     * {@link Recording} then has the figures of the first. Default: cpu.
     */
    public RecordRequest event(String event) {
        return with("--event", event);
    }

    /**
     * Sets the output file, whose suffix selects the format. An existing file is replaced when the new one is complete.
     * Default: a new file in the working directory, with a flame graph, or a capture of several events.
     */
    public RecordRequest to(Path file) {
        return new RecordRequest(invocation.with("--output", file));
    }

    /** Sets the format, regardless of the suffix: html, collapsed, pprof, speedscope, text or mayfly. */
    public RecordRequest format(String format) {
        return with("--format", format);
    }

    /** Shows kernel frames too, if they are permitted. */
    public RecordRequest kernel() {
        return with("--kernel");
    }

    /** Sets how samples are taken: auto, system-wide, per-thread or ptrace. Default: auto. */
    public RecordRequest collector(String collector) {
        return with("--collector", collector);
    }

    /** Begins each stack with the name of its thread. */
    public RecordRequest threads() {
        return with("--threads");
    }

    /** Omits native frames; their time is attributed to the Java frame that called them. */
    public RecordRequest withoutNative() {
        return with("--no-native");
    }

    /** Distinguishes the lines of a method. */
    public RecordRequest lines() {
        return with("--lines");
    }

    /** Shows only one of the process's runtimes: r1, r2, ... as in {@link JavaRuntime#id}. */
    public RecordRequest runtime(String id) {
        return with("--runtime", id);
    }

    /**
     * Records, and writes the file.
     *
     * @throws MayflyException if the process cannot be recorded, or the file cannot be written
     * @throws InterruptedException if this thread is interrupted; the recording ends early then, and its file is
     *         written if it has samples
     * @throws IllegalArgumentException if a text cannot be passed on a command line: it contains a NUL, or a character
     *         that the encoding of this JVM lacks
     */
    public Recording run() throws MayflyException, InterruptedException {
        return invocation.object("mayfly-record/1", Results.Recorded::of);
    }
}
