package mayfly.cli.command;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import mayfly.attach.launch.LaunchRequest;
import mayfly.cli.file.OutputFile;
import mayfly.cli.launcher.Installation;
import mayfly.cli.launcher.KeptVariables;
import mayfly.cli.option.Argument;
import mayfly.cli.option.Definition;
import mayfly.cli.option.DurationConverter;
import mayfly.cli.option.ExactLeaves;
import mayfly.cli.option.Flag;
import mayfly.cli.option.Option;
import mayfly.cli.option.RecordingArguments;
import mayfly.cli.option.profiler.LaunchArguments;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Interrupts;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.cli.recording.RecordingFlow;
import mayfly.cli.recording.RecordingRequest;
import mayfly.cli.recording.RecordingResult;
import mayfly.discovery.Refused;
import mayfly.discovery.SpawnedProcess;
import mayfly.record.RecordingSession;

/** {@code mayfly run}. */
final class RunCommand implements Subcommand {
    private final LaunchArguments launch = new LaunchArguments();

    private final Option<Duration> duration = Option.named("-d", "--duration")
            .value("TIME", new DurationConverter())
            .description(RecordingArguments.DURATION + " Default: until the program ends.");

    private final RecordingArguments arguments = new RecordingArguments();

    private final Flag exact = new Flag(
            "--exact",
            "Start the program's JVM with " + ExactLeaves.UNLOCK + " "
                    + ExactLeaves.FLAG
                    + ", so that its compilers record where each instruction comes from, and the methods of a profile"
                    + " are certain. It costs memory for that record. java gets the options as its first arguments."
                    + " Any other command, such as a script, gets them in JDK_JAVA_OPTIONS; each java that it starts"
                    + " reports this on stderr.");

    private final Argument<List<String>> command = Argument.all(
            "COMMAND", "The program and its arguments, after --. It inherits standard input, output and error.");

    @Override
    public List<Definition> definitions() {
        return List.of(launch, duration, arguments, exact, command);
    }

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        Optional<LaunchRequest> profiler = launch.request();
        Path folder = launch.folder();
        if (command.or(List.of()).isEmpty() == (folder == null)) {
            throw Message.USAGE.with(
                    folder == null
                            ? "Missing required parameter: 'COMMAND'; see mayfly run --help"
                            : "--print-environment starts nothing: leave out the program");
        }
        if (profiler.isEmpty()) {
            return record(terminal);
        }
        if (exact.isSet()) {
            throw Message.USAGE.with("--exact is for recordings: leave it out with --profiler");
        }
        if (folder == null) {
            var environment = KeptVariables.of(terminal.environment());
            return ProfiledRun.run(profiler.get(), launch.isPreload(), command.value(), environment, terminal);
        }
        ProfiledRun.print(profiler.get(), launch.isPreload(), folder, terminal);
        return ExitCode.DONE.code();
    }

    private int record(Terminal terminal) throws CommandFailed, Refused {
        if (OutputFile.isStandardOutput(arguments.output())) {
            throw Message.USAGE.with("standard output is the program's: name a file with -o");
        }
        Map<String, String> environment = KeptVariables.of(terminal.environment());
        List<String> words = exact.isSet() ? ExactLeaves.command(command.value()) : command.value();
        if (exact.isSet()) {
            environment.putAll(ExactLeaves.environment(command.value(), environment, terminal.environment()));
        }
        try (SpawnedProcess target = start(words, environment)) {
            RecordingRequest request = arguments.request(duration.or(Duration.ZERO));
            try (var flow = RecordingFlow.open(
                    target.pid(),
                    request,
                    terminal,
                    (options, capture) -> RecordingSession.openOnExec(target, options, capture))) {
                RecordingResult result = flow.run();
                // Standard output belongs to the program. With --json, Mayfly adds one line to it.
                result.print(request.json() ? terminal : terminal.withResultsOnErr(), request.quiet(), request.json());
            }
            return waitFor(target, () -> {});
        }
    }

    /** Waits for the program. A termination signal is passed on to the program, for which it is meant. */
    static int waitFor(SpawnedProcess target, Runnable givingUp) {
        Runnable end = () -> ProcessHandle.of(target.pid()).ifPresent(ProcessHandle::destroy);
        try (var _ = Interrupts.handle(end, givingUp)) {
            return target.waitFor();
        }
    }

    static SpawnedProcess start(List<String> command, Map<String, String> environment) throws CommandFailed {
        requireProgram(command.getFirst());
        try {
            return SpawnedProcess.start(Installation.current().gate(), command, environment);
        } catch (IOException e) {
            throw Message.PROGRAM_NOT_STARTED.with(command.getFirst(), OutputFile.reason(e));
        }
    }

    /**
     * Checks that the program exists. Without this check, the process that becomes the program would report a missing
     * program only after the recording has begun.
     */
    static void requireProgram(String program) throws CommandFailed {
        if (!program.contains("/")) {
            String path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
            if (Arrays.stream(path.split(":", -1)).noneMatch(folder -> isProgram(new File(folder, program)))) {
                throw Message.PROGRAM_NOT_STARTED.with(program, "there is no such program on the PATH");
            }
        } else if (!isProgram(new File(program))) {
            throw Message.PROGRAM_NOT_STARTED.with(
                    program, new File(program).exists() ? "it is not executable" : "no such file");
        }
    }

    private static boolean isProgram(File file) {
        return file.isFile() && file.canExecute();
    }
}
