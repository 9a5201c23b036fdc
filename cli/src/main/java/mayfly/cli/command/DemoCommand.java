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
import mayfly.cli.option.DurationConverter;
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
import mayfly.record.RecordingSession;
import mayfly.record.event.Collector;
import mayfly.record.event.RecordingEvent;
import mayfly.report.text.HottestPaths;
import mayfly.report.tree.ConversionOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mayfly demo}: like {@code mayfly run}, with a built-in program. */
@Command(addMethodSubcommands = false)
public final class DemoCommand implements Subcommand {
    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "5s",
            description = RecordingArguments.DURATION + " Default: ${DEFAULT-VALUE}.")
    Duration duration = Duration.ZERO;

    @Option(
            names = {"-F", "--rate"},
            paramLabel = "HZ",
            defaultValue = "999",
            description = "Samples per second of CPU time. Default: ${DEFAULT-VALUE}.")
    int rate;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            converter = PathConverter.class,
            description = "The output file. Default: flamegraph-PID-HHMMSS.html.")
    @Nullable
    Path output;

    @Option(
            names = "--collector",
            paramLabel = "HOW",
            converter = CollectorConverter.class,
            defaultValue = "auto",
            description = "How samples are taken: auto, system-wide, per-thread, ptrace. Default: ${DEFAULT-VALUE}.")
    Collector collector = Collector.AUTO;

    @Option(
            names = {"-q", "--quiet"},
            description = "Print only errors on stderr.")
    boolean quiet;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    private RecordingRequest request() throws CommandFailed {
        return new RecordingRequest(
                RecordingArguments.options(RecordingEvent.CPU, rate, duration, collector, false),
                ConversionOptions.DEFAULT,
                output,
                null,
                quiet,
                false);
    }

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        if (OutputFile.isStandardOutput(output)) {
            throw Message.USAGE.with("the hottest paths are printed on standard output: name a file with -o");
        }
        try (SpawnedProcess target = RunCommand.start(program(), Map.of());
                var flow = RecordingFlow.open(
                        target.pid(),
                        request(),
                        terminal,
                        (options, capture) -> RecordingSession.openOnExec(target, options, capture))) {
            RecordingResult result = flow.run();
            if (!quiet) {
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
            if (!quiet) {
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
