package mayfly.cli.command;

import java.time.Duration;
import mayfly.cli.option.DurationConverter;
import mayfly.cli.option.RecordingArguments;
import mayfly.cli.option.TargetArgument;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Terminal;
import mayfly.cli.recording.RecordingFlow;
import mayfly.discovery.Refused;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mayfly record}. */
@Command(addMethodSubcommands = false)
final class RecordCommand implements Subcommand {
    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "30s",
            description = RecordingArguments.DURATION + " Default: ${DEFAULT-VALUE}.")
    Duration duration = Duration.ofSeconds(30);

    @Mixin
    RecordingArguments arguments = new RecordingArguments();

    @Mixin
    TargetArgument target = new TargetArgument();

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        int pid = target.pid();
        RecordingFlow.record(pid, arguments.request(duration), terminal);
        return ExitCode.DONE.code();
    }
}
