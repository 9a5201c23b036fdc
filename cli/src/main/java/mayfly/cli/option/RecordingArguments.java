package mayfly.cli.option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import mayfly.cli.file.OutputFile;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.Message;
import mayfly.cli.recording.RecordingRequest;
import mayfly.record.RecordingOptions;
import mayfly.record.event.Collector;
import mayfly.record.event.RecordingEvent;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Options common to {@code record} and {@code run}. */
public final class RecordingArguments implements Definition {
    /**
     * Upper bound on the rate, one sample per microsecond. The kernel's own limit is lower and can be raised by the
     * user.
     */
    private static final int HIGHEST_RATE = 1_000_000;

    /** The description of {@code --duration}, without its default: each command has its own. */
    public static final String DURATION = "How long to record: 500ms, 5s, 2m, or 60 for 60 seconds.";

    private final Option<Integer> rate = Option.named("-F", "--rate")
            .number("HZ")
            .byDefault("99")
            .description("Samples per second of CPU time (cpu, alloc), or of wall-clock time (wall). Default:"
                    + " ${DEFAULT-VALUE}.");
    private final Option<List<RecordingEvent>> events = Option.named("-e", "--event")
            .value("EVENT", new EventsConverter())
            .byDefault("cpu")
            .candidates(new EventWords())
            .description("The event to sample: ${COMPLETION-CANDIDATES}; or several, separated by commas, in one"
                    + " capture (.mayfly). Default: ${DEFAULT-VALUE}.");
    private final Option<Path> output = Option.named("-o", "--output")
            .value("FILE", new PathConverter())
            .description("The output file; an existing file is replaced when the new one is complete. The suffix"
                    + " selects the format: .html (flame graph), .collapsed, .pb.gz (pprof),"
                    + " .speedscope.json, .txt (hottest frames and their callers), .mayfly (capture)."
                    + " Default: flamegraph-PID-HHMMSS.html, or profile-PID-HHMMSS.mayfly for several events;"
                    + " neither replaces a file. - is standard output, which needs --format; mayfly run does"
                    + " not accept -.");
    private final Option<String> format = Option.named("--format")
            .text("FORMAT")
            .description("html, collapsed, pprof, speedscope, text or mayfly, regardless of the suffix.");
    private final Flag kernel = new Flag("--kernel", "Show kernel frames too, if they are permitted.");
    private final Option<Collector> collector = Option.named("--collector")
            .value("HOW", new CollectorConverter())
            .byDefault("auto")
            .description("How samples are taken: auto, system-wide (perf, every CPU), per-thread (perf, the target's"
                    + " threads), ptrace. Default: ${DEFAULT-VALUE}.");
    private final Option<Duration> minWait = Option.named("--min-wait")
            .value("TIME", new DurationConverter())
            .description(
                    "With -e off-cpu, the shortest wait that is shown with its stack; shorter ones are added up for"
                            + " each thread. With -e lock, the shortest wait that is recorded. At most 1m. Default:"
                            + " 1ms.");
    private final ViewArguments view = new ViewArguments();
    private final Flag quiet = new Flag("-q", "--quiet", "Print only errors on stderr.");
    private final Flag json =
            new Flag("--json", "Print the result as one JSON object, see docs/formats/record-json.md.");

    @Override
    public void addTo(CommandSpec command) {
        rate.addTo(command);
        events.addTo(command);
        output.addTo(command);
        format.addTo(command);
        kernel.addTo(command);
        collector.addTo(command);
        minWait.addTo(command);
        view.addTo(command);
        quiet.addTo(command);
        json.addTo(command);
    }

    /** Returns the output file; null if none was named. */
    public @Nullable Path output() {
        return output.orNull();
    }

    /**
     * Returns the recording that the options request.
     *
     * @param duration zero to record until the target ends
     * @throws CommandFailed if a value is out of range, or two options exclude each other
     */
    public RecordingRequest request(Duration duration) throws CommandFailed {
        if (json.isSet() && OutputFile.isStandardOutput(output())) {
            throw Message.USAGE.with("--json and -o - both print on standard output: name a file");
        }
        return new RecordingRequest(
                options(events.value(), rate.value(), duration, collector.value(), kernel.isSet(), minWait()),
                view.options(),
                output(),
                format.orNull(),
                quiet.isSet(),
                json.isSet());
    }

    private Duration minWait() throws CommandFailed {
        Duration least = minWait.orNull();
        if (least != null && Collections.disjoint(events.value(), RecordingEvent.WAITS)) {
            throw Message.USAGE.with("--min-wait needs -e "
                    + RecordingEvent.WAITS.stream().map(RecordingEvent::id).collect(Collectors.joining(" or ")));
        }
        if (least != null && least.compareTo(RecordingOptions.MAX_MIN_WAIT) > 0) {
            throw Message.USAGE.with("--min-wait must be at most 1m");
        }
        return least == null ? RecordingOptions.MIN_WAIT : least;
    }

    /**
     * Returns the options of a recording.
     *
     * @throws CommandFailed if the rate is out of range, two events exclude each other, or an event is not sampled with
     *     the collector
     */
    public static RecordingOptions options(
            List<RecordingEvent> events,
            int rate,
            Duration duration,
            Collector collector,
            boolean kernel,
            Duration minWait)
            throws CommandFailed {
        if (rate < 1 || rate > HIGHEST_RATE) {
            throw Message.USAGE.with("a rate must be from 1 to " + HIGHEST_RATE + " Hz, not " + rate);
        }
        if (events.size() > 1 && events.contains(RecordingEvent.WALL)) {
            throw Message.USAGE.with("wall stops every thread for each sample, which would change what the other events"
                    + " record: leave it out, or record it alone");
        }
        for (RecordingEvent event : events) {
            if (event.kinds(collector).isEmpty()) {
                String possible = event.kinds().stream()
                        .map(kind -> kind.collector().id())
                        .collect(Collectors.joining(" or "));
                throw Message.USAGE.with(
                        event.quantity() + " is sampled with " + possible + " only, not " + collector.id());
            }
        }
        return new RecordingOptions(events, rate, duration, collector, kernel, minWait);
    }
}
