package mayfly.cli.command;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import mayfly.attach.client.ClassLocation;
import mayfly.cli.demo.DemoProgram;
import mayfly.cli.file.OutputFile;
import mayfly.cli.help.HelpPage;
import mayfly.cli.launcher.Installation;
import mayfly.cli.option.CollectorConverter;
import mayfly.cli.option.Definition;
import mayfly.cli.option.DurationConverter;
import mayfly.cli.option.Flag;
import mayfly.cli.option.Option;
import mayfly.cli.option.PathConverter;
import mayfly.cli.option.RecordingArguments;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.cli.output.Text;
import mayfly.cli.recording.RecordingFlow;
import mayfly.cli.recording.RecordingRequest;
import mayfly.cli.recording.RecordingResult;
import mayfly.discovery.Refused;
import mayfly.discovery.SpawnedProcess;
import mayfly.record.RecordingOptions;
import mayfly.record.RecordingSession;
import mayfly.record.event.Collector;
import mayfly.record.event.RecordingEvent;
import mayfly.report.text.HottestPaths;
import mayfly.report.tree.ConversionOptions;

/** {@code mayfly demo}: like {@code mayfly run}, with a built-in program. */
public final class DemoCommand implements Subcommand {
    private final Option<Duration> duration = Option.named("-d", "--duration")
            .value("TIME", new DurationConverter())
            .byDefault("5s")
            .description(RecordingArguments.DURATION + " Default: ${DEFAULT-VALUE}.");

    private final Option<Integer> rate = Option.named("-F", "--rate")
            .number("HZ")
            .byDefault("999")
            .description("Samples per second of CPU time. Default: ${DEFAULT-VALUE}.");

    private final Option<Path> output = Option.named("-o", "--output")
            .value("FILE", new PathConverter())
            .description("The output file. Default: flamegraph-PID-HHMMSS.html.");

    private final Option<Collector> collector = Option.named("--collector")
            .value("HOW", new CollectorConverter())
            .byDefault("auto")
            .description("How samples are taken: auto, system-wide, per-thread, ptrace. Default: ${DEFAULT-VALUE}.");

    private final Flag quiet = new Flag("-q", "--quiet", "Print only errors on stderr.");

    private RecordingRequest request() throws CommandFailed {
        return new RecordingRequest(
                RecordingArguments.options(
                        List.of(RecordingEvent.CPU),
                        rate.value(),
                        duration.value(),
                        collector.value(),
                        false,
                        RecordingOptions.MIN_WAIT),
                ConversionOptions.DEFAULT,
                output.orNull(),
                null,
                quiet.isSet(),
                false);
    }

    @Override
    public List<Definition> definitions() {
        return List.of(duration, rate, output, collector, quiet);
    }

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        if (OutputFile.isStandardOutput(output.orNull())) {
            throw Message.USAGE.with("the hottest paths are printed on standard output: name a file with -o");
        }
        try (SpawnedProcess target = RunCommand.start(program(), Map.of());
                var flow = RecordingFlow.open(
                        target.pid(),
                        request(),
                        terminal,
                        (options, capture) -> RecordingSession.openOnExec(target, options, capture))) {
            RecordingResult result = flow.run();
            if (!quiet.isSet()) {
                result.summary().forEach(line -> terminal.err().println(Text.printable(line)));
                terminal.err().println();
            }
            // If the recording is too large to be read in this JVM, only the page shows the hottest paths.
            result.profile()
                    .ifPresent(profile -> HottestPaths.inJava(profile, 8)
                            .lines(terminal.columns())
                            .forEach(line -> terminal.out().println(Text.printable(line))));
            terminal.out().println();
            terminal.out()
                    .println("Flame graph: " + Text.printable(result.file().toString()));
            if (!quiet.isSet()) {
                terminal.err().println();
                HelpPage.wrapped(
                                "Open it in a browser. To record your own JVM: mayfly ps, then mayfly record PID",
                                terminal.columns())
                        .forEach(terminal.err()::println);
            }
        }
        return ExitCode.DONE.code();
    }

    /**
     * Returns the command that runs the demo program: on the same Java runtime, with Mayfly's own jar or directory as
     * the class path, and with no option other than a small heap.
     */
    public static List<String> program() {
        List<String> command = new ArrayList<>(Installation.current().java());
        command.addAll(List.of("-Xmx256m", "-cp", ourJar().toString(), DemoProgram.class.getName()));
        return command;
    }

    private static Path ourJar() {
        try {
            return ClassLocation.of(DemoProgram.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
