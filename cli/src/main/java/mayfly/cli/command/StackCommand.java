package mayfly.cli.command;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import mayfly.cli.file.OutputFile;
import mayfly.cli.option.DurationConverter;
import mayfly.cli.option.PathConverter;
import mayfly.cli.option.TargetArgument;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.DumpProgress;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.StackJson;
import mayfly.cli.output.StackText;
import mayfly.cli.output.Terminal;
import mayfly.cli.output.Text;
import mayfly.cli.recording.RecordingFlow;
import mayfly.cli.recording.RecordingRequest;
import mayfly.discovery.Refused;
import mayfly.record.RecordingOptions;
import mayfly.record.event.Collector;
import mayfly.record.event.RecordingEvent;
import mayfly.report.tree.ConversionOptions;
import mayfly.stack.ThreadDump;
import mayfly.stack.ThreadDumper;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mayfly stack}. */
@Command(addMethodSubcommands = false)
final class StackCommand implements Subcommand {
    private static final Duration DEFAULT_DURATION = Duration.ofSeconds(10);
    private static final ConversionOptions BY_THREAD = new ConversionOptions(true, true, false, false, null);

    @Mixin
    TargetArgument target = new TargetArgument();

    @Option(
            names = {"-t", "--thread"},
            paramLabel = "NAME|TID",
            defaultValue = "",
            description = "Only threads with this name or, if there is none, with a name that contains it; or the"
                    + " thread with this kernel id.")
    String thread = "";

    @Option(
            names = "--together",
            description = "Stop all threads for one consistent snapshot. Without it, each is"
                    + " stopped separately, for some microseconds.")
    boolean together;

    @Option(names = "--holes", description = "Show each run of native frames as one line.")
    boolean holes;

    @Option(
            names = "--no-hidden",
            description = "Omit frames that the JVM hides from an exception's stack trace: those"
                    + " of method handles and lambdas.")
    boolean noHidden;

    @Option(
            names = "--every",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Take snapshots at this interval, such as 100ms, and fold them into a wall-clock profile of"
                    + " all threads, as record -e wall does.")
    @Nullable
    Duration every;

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "With --every: for how long. Default: 10s.")
    @Nullable
    Duration duration;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            converter = PathConverter.class,
            description = "With --every: the output file, as for record.")
    @Nullable
    Path output;

    @Option(
            names = {"-q", "--quiet"},
            description = "Print only errors on stderr.")
    boolean quiet;

    @Option(names = "--json", description = "Print one JSON object, see docs/formats/stack-json.md.")
    boolean json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        if (every != null) {
            return profile(terminal, every);
        }
        if (duration != null || output != null) {
            throw Message.USAGE.with("-d and -o need --every");
        }
        int pid = target.pid();
        ThreadDump dump;
        try (var dumper = ThreadDumper.open(pid);
                var progress = new DumpProgress(terminal, quiet)) {
            dump = dumper.dump(new ThreadDump.Options(thread, together, holes, !noHidden), progress);
        }
        // Print after the threads are released: a pipe that is not read would delay the release of a thread that
        // stopped late.
        print(dump, terminal);
        return ExitCode.DONE.code();
    }

    private int profile(Terminal terminal, Duration period) throws CommandFailed, Refused {
        if (together || holes || json || noHidden || !thread.isEmpty()) {
            throw Message.USAGE.with("--every permits only the options -d, -o and -q");
        }
        if (period.toMillis() > 1000) {
            throw Message.USAGE.with("--every is at most 1s, not " + Text.duration(period));
        }
        if (OutputFile.isStandardOutput(output)) {
            throw Message.USAGE.with("--every writes a file; record -e wall -t -o - --format FORMAT prints the same");
        }
        RecordingFlow.record(target.pid(), request(period), terminal);
        return ExitCode.DONE.code();
    }

    /** Returns the recording that folds a snapshot of each period into a profile. */
    RecordingRequest request(Duration period) {
        int rate = (int) Math.max(1, 1000 / period.toMillis());
        var options = new RecordingOptions(
                RecordingEvent.WALL, rate, duration == null ? DEFAULT_DURATION : duration, Collector.AUTO, false);
        return new RecordingRequest(options, BY_THREAD, output, null, quiet, false);
    }

    /** Prints the complete dump; it is formatted before the first byte is printed. */
    private void print(ThreadDump dump, Terminal terminal) throws CommandFailed {
        try {
            var out = new BufferedOutputStream(terminal.out(), 1 << 16);
            if (json) {
                StackJson.write(dump, out);
            } else {
                StackText.write(dump, out);
            }
            out.flush();
        } catch (IOException e) {
            throw Message.OUTPUT.with("standard output", OutputFile.reason(e));
        }
    }
}
