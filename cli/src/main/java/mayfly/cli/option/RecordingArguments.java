package mayfly.cli.option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;
import mayfly.cli.file.OutputFile;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.Message;
import mayfly.cli.recording.RecordingRequest;
import mayfly.record.RecordingOptions;
import mayfly.record.event.Collector;
import mayfly.record.event.RecordingEvent;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options common to {@code record} and {@code run}. */
@Command(addMethodSubcommands = false)
public final class RecordingArguments {
    /**
     * Upper bound on the rate, one sample per microsecond. The kernel's own limit is lower and can be raised by the
     * user.
     */
    private static final int HIGHEST_RATE = 1_000_000;

    /** The description of {@code --duration}, without its default: each command has its own. */
    public static final String DURATION = "How long to record: 500ms, 5s, 2m, or 60 for 60 seconds.";

    @Option(
            names = {"-F", "--rate"},
            paramLabel = "HZ",
            defaultValue = "99",
            description = "Samples per second of CPU time, or of wall-clock time. Default: ${DEFAULT-VALUE}.")
    int rate = 99;

    @Option(
            names = {"-e", "--event"},
            paramLabel = "EVENT",
            defaultValue = "cpu",
            converter = EventConverter.class,
            completionCandidates = EventWords.class,
            description = "The event to sample: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    RecordingEvent event = RecordingEvent.CPU;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            converter = PathConverter.class,
            description = "The output file; an existing file is replaced when the new one is complete. The suffix"
                    + " selects the format: .html (flame graph), .collapsed, .pb.gz (pprof), .speedscope.json, .txt"
                    + " (hottest frames and their callers), .mayfly (capture). Default: flamegraph-PID-HHMMSS.html,"
                    + " which never replaces a file. - is standard output, which needs --format; mayfly run does not"
                    + " accept -.")
    @Nullable
    public Path output;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "html, collapsed, pprof, speedscope, text or mayfly, regardless of the suffix.")
    @Nullable
    String format;

    @Option(names = "--kernel", description = "Show kernel frames too, if they are permitted.")
    boolean kernel;

    @Option(
            names = "--collector",
            paramLabel = "HOW",
            defaultValue = "auto",
            converter = CollectorConverter.class,
            description = "How samples are taken: auto, system-wide (perf, every CPU), per-thread (perf, the target's"
                    + " threads), ptrace. Default: ${DEFAULT-VALUE}.")
    Collector collector = Collector.AUTO;

    @Mixin
    ViewArguments view = new ViewArguments();

    @Option(
            names = {"-q", "--quiet"},
            description = "Print only errors on stderr.")
    boolean quiet;

    @Option(names = "--json", description = "Print the result as one JSON object, see docs/formats/record-json.md.")
    boolean json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    /**
     * Returns the recording that the options request.
     *
     * @param duration zero to record until the target ends
     * @throws CommandFailed if a value is out of range, or two options exclude each other
     */
    public RecordingRequest request(Duration duration) throws CommandFailed {
        if (json && OutputFile.isStandardOutput(output)) {
            throw Message.USAGE.with("--json and -o - both print on standard output: name a file");
        }
        return new RecordingRequest(
                options(event, rate, duration, collector, kernel), view.options(), output, format, quiet, json);
    }

    /**
     * Returns the options of a recording.
     *
     * @throws CommandFailed if the rate is out of range, or the event is not sampled with the collector
     */
    public static RecordingOptions options(
            RecordingEvent event, int rate, Duration duration, Collector collector, boolean kernel)
            throws CommandFailed {
        if (rate < 1 || rate > HIGHEST_RATE) {
            throw Message.USAGE.with("a rate must be from 1 to " + HIGHEST_RATE + " Hz, not " + rate);
        }
        if (event.kinds(collector).isEmpty()) {
            String possible =
                    event.kinds().stream().map(kind -> kind.collector().id()).collect(Collectors.joining(" or "));
            throw Message.USAGE.with(
                    event.quantity() + " is sampled with " + possible + " only, not " + collector.id());
        }
        return new RecordingOptions(event, rate, duration, collector, kernel);
    }
}
