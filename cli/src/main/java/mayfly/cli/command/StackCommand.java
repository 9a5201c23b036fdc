package mayfly.cli.command;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import mayfly.cli.file.OutputFile;
import mayfly.cli.option.AddressesConverter;
import mayfly.cli.option.Definition;
import mayfly.cli.option.DurationConverter;
import mayfly.cli.option.Flag;
import mayfly.cli.option.Option;
import mayfly.cli.option.PathConverter;
import mayfly.cli.option.RuntimeChoiceConverter;
import mayfly.cli.option.TargetArgument;
import mayfly.cli.output.CodeOutput;
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
import mayfly.profile.RuntimeId;
import mayfly.record.RecordingOptions;
import mayfly.record.event.Collector;
import mayfly.record.event.RecordingEvent;
import mayfly.report.tree.ConversionOptions;
import mayfly.stack.CodeAddresses;
import mayfly.stack.ThreadDump;
import mayfly.stack.ThreadDumper;

/** {@code mayfly stack}. */
final class StackCommand implements Subcommand {
    private static final Duration DEFAULT_DURATION = Duration.ofSeconds(10);
    private static final ConversionOptions BY_THREAD = new ConversionOptions(true, true, false, false, null);

    private final TargetArgument target = new TargetArgument();

    private final Option<String> thread = Option.named("-t", "--thread")
            .text("NAME|TID")
            .byDefault("")
            .description("Only threads with this name or, if there is none, with a name that contains it; or the"
                    + " thread with this kernel id.");

    private final Option<RuntimeId.Choice> runtime = Option.named("--runtime")
            .value("ID|VERSION", new RuntimeChoiceConverter())
            .description("Only the Java threads of one of the process's JVMs: r1, r2, ... as in mayfly ps, or its"
                    + " version or the beginning of it.");

    private final Flag together = new Flag(
            "--together",
            "Stop all threads for one consistent snapshot. Without it, each is"
                    + " stopped separately, for some microseconds.");

    private final Flag virtual = new Flag(
            "--virtual",
            "Show also virtual threads that are not mounted, grouped by equal stacks and states, with their locks and"
                + " deadlocks. Stops all threads, as --together does: for some tenths of a second with 100,000 virtual"
                + " threads.");

    private final Flag holes = new Flag("--holes", "Show each run of native frames as one line.");

    private final Flag noHidden = new Flag(
            "--no-hidden",
            "Omit frames that the JVM hides from an exception's stack trace: those"
                    + " of method handles and lambdas.");

    private final Option<List<Long>> at = Option.named("--at")
            .value("ADDRESS,...", new AddressesConverter())
            .description(
                    "Print the code at these addresses, such as 0x7f5d40001000, in place of the threads: the method"
                            + " with its line, tier and JVM, or the native function. With --runtime only that JVM is"
                            + " asked. An address outside known code is unknown.");

    private final Option<Duration> every = Option.named("--every")
            .value("TIME", new DurationConverter())
            .description("Take snapshots at this interval, such as 100ms, and fold them into a wall-clock profile of"
                    + " all threads, as record -e wall does.");

    private final Option<Duration> duration = Option.named("-d", "--duration")
            .value("TIME", new DurationConverter())
            .description("With --every: for how long. Default: 10s.");

    private final Option<Path> output = Option.named("-o", "--output")
            .value("FILE", new PathConverter())
            .description("With --every: the output file, as for record.");

    private final Flag quiet = new Flag("-q", "--quiet", "Print only errors on stderr.");

    private final Flag json = new Flag("--json", "Print one JSON object, see docs/formats/stack-json.md.");

    @Override
    public List<Definition> definitions() {
        return List.of(
                target, thread, runtime, together, virtual, holes, noHidden, at, every, duration, output, quiet, json);
    }

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        Duration period = every.orNull();
        if (period != null) {
            return profile(terminal, period);
        }
        if (duration.orNull() != null || output.orNull() != null) {
            throw Message.USAGE.with("-d and -o need --every");
        }
        List<Long> addresses = at.orNull();
        if (addresses != null) {
            return codeAt(addresses, terminal);
        }
        if (virtual.isSet() && !thread.value().isEmpty()) {
            throw Message.USAGE.with("--virtual shows all threads, and permits no -t");
        }
        int pid = target.pid();
        ThreadDump dump;
        try (var dumper = ThreadDumper.open(pid);
                var progress = new DumpProgress(terminal, quiet.isSet())) {
            dump = dumper.dump(
                    new ThreadDump.Options(
                            thread.value(),
                            together.isSet(),
                            virtual.isSet(),
                            holes.isSet(),
                            !noHidden.isSet(),
                            Optional.ofNullable(runtime.orNull())),
                    progress);
        }
        // Print after the threads are released: a pipe that is not read would delay the release of a thread that
        // stopped late.
        print(terminal, out -> {
            if (json.isSet()) {
                StackJson.write(dump, out);
            } else {
                StackText.write(dump, out);
            }
        });
        return ExitCode.DONE.code();
    }

    private int codeAt(List<Long> addresses, Terminal terminal) throws CommandFailed, Refused {
        if (together.isSet()
                || virtual.isSet()
                || holes.isSet()
                || noHidden.isSet()
                || !thread.value().isEmpty()) {
            throw Message.USAGE.with("--at permits only the options --runtime, -q and --json");
        }
        CodeAddresses code = CodeAddresses.of(target.pid(), addresses, Optional.ofNullable(runtime.orNull()));
        print(terminal, out -> {
            if (json.isSet()) {
                CodeOutput.writeJson(code, out);
            } else {
                CodeOutput.writeText(code, out);
            }
        });
        return ExitCode.DONE.code();
    }

    private int profile(Terminal terminal, Duration period) throws CommandFailed, Refused {
        if (together.isSet()
                || virtual.isSet()
                || holes.isSet()
                || json.isSet()
                || noHidden.isSet()
                || runtime.orNull() != null
                || at.orNull() != null
                || !thread.value().isEmpty()) {
            throw Message.USAGE.with("--every permits only the options -d, -o and -q");
        }
        if (period.toMillis() > 1000) {
            throw Message.USAGE.with("--every is at most 1s, not " + Text.duration(period));
        }
        if (OutputFile.isStandardOutput(output.orNull())) {
            throw Message.USAGE.with("--every writes a file; record -e wall -t -o - --format FORMAT prints the same");
        }
        RecordingFlow.record(target.pid(), request(period), terminal);
        return ExitCode.DONE.code();
    }

    /** Returns the recording that folds a snapshot of each period into a profile. */
    RecordingRequest request(Duration period) {
        int rate = (int) Math.max(1, 1000 / period.toMillis());
        var options =
                new RecordingOptions(RecordingEvent.WALL, rate, duration.or(DEFAULT_DURATION), Collector.AUTO, false);
        return new RecordingRequest(options, BY_THREAD, output.orNull(), null, quiet.isSet(), false);
    }

    /** Writes a result that is complete. */
    private interface Writing {
        void to(OutputStream out) throws IOException;
    }

    private static void print(Terminal terminal, Writing result) throws CommandFailed {
        try {
            var out = new BufferedOutputStream(terminal.out(), 1 << 16);
            result.to(out);
            out.flush();
        } catch (IOException e) {
            throw Message.OUTPUT.with("standard output", OutputFile.reason(e));
        }
    }
}
