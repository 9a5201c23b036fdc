package mayfly.cli.command;

import java.time.Duration;
import java.util.List;
import mayfly.cli.option.Definition;
import mayfly.cli.option.DurationConverter;
import mayfly.cli.option.Option;
import mayfly.cli.option.RecordingArguments;
import mayfly.cli.option.TargetArgument;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Terminal;
import mayfly.cli.recording.RecordingFlow;
import mayfly.discovery.Refused;

/** {@code mayfly record}. */
final class RecordCommand implements Subcommand {
    private final Option<Duration> duration = Option.named("-d", "--duration")
            .value("TIME", new DurationConverter())
            .byDefault("30s")
            .description(RecordingArguments.DURATION + " Default: ${DEFAULT-VALUE}.");

    private final RecordingArguments arguments = new RecordingArguments();

    private final TargetArgument target = new TargetArgument();

    @Override
    public List<Definition> definitions() {
        return List.of(duration, arguments, target);
    }

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        int pid = target.pid();
        RecordingFlow.record(pid, arguments.request(duration.value()), terminal);
        return ExitCode.DONE.code();
    }
}
