package mayfly.cli.command;

import java.time.Duration;
import java.util.List;
import mayfly.cli.option.Definition;
import mayfly.cli.option.DurationConverter;
import mayfly.cli.option.Option;
import mayfly.cli.option.RecordingArguments;
import mayfly.cli.option.SizeConverter;
import mayfly.cli.option.TargetArgument;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.cli.recording.RecordingFlow;
import mayfly.cli.recording.RecordingRequest;
import mayfly.cli.recording.RotatingRecording;
import mayfly.discovery.Refused;

/** {@code mayfly record}. */
final class RecordCommand implements Subcommand {
    private static final Duration USUAL = Duration.ofSeconds(30);
    private static final int KEPT = 24;

    private final Option<Duration> duration = Option.named("-d", "--duration")
            .value("TIME", new DurationConverter())
            .description(
                    RecordingArguments.DURATION + " Default: 30s. With --rotate, until Ctrl-C or until the JVM ends.");

    private final Option<Duration> rotate = Option.named("--rotate")
            .value("TIME", new DurationConverter())
            .description("Record into captures of this duration, at least 1s, one after the other: -o app.mayfly writes"
                    + " app-20261129T224510Z.mayfly, with the time of its start (UTC). Only captures (.mayfly) are"
                    + " written; mayfly convert makes flame graphs of them. Some tenths of a second between two"
                    + " captures are not recorded. Default of -o: profile-PID.mayfly.");

    private final Option<Integer> keep = Option.named("--keep")
            .number("N")
            .description("With --rotate, how many captures to keep; older ones are removed. Those of an earlier"
                    + " command are neither counted nor removed. Default: 24.");

    private final Option<Long> maxSize = Option.named("--max-size")
            .value("SIZE", new SizeConverter())
            .description("With --rotate, the space for all captures of this command together, such as 500m or 2g, at"
                    + " least 64k: older ones are removed, and a capture that takes a quarter of it is ended early."
                    + " Default: no limit.");

    private final RecordingArguments arguments = new RecordingArguments();

    private final TargetArgument target = new TargetArgument();

    @Override
    public List<Definition> definitions() {
        return List.of(duration, rotate, keep, maxSize, arguments, target);
    }

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        int pid = target.pid();
        Duration interval = rotate.orNull();
        if (interval == null) {
            requireUnset(keep, "--keep");
            requireUnset(maxSize, "--max-size");
            RecordingFlow.record(pid, arguments.request(duration.or(USUAL)), terminal);
        } else {
            RecordingRequest request = arguments.request(duration.or(Duration.ZERO));
            var bounds = new RotatingRecording.Bounds(keep.or(KEPT), maxSize.or(Long.MAX_VALUE));
            RotatingRecording.record(pid, request, interval, bounds, terminal);
        }
        return ExitCode.DONE.code();
    }

    private static void requireUnset(Option<?> option, String name) throws CommandFailed {
        if (option.orNull() != null) {
            throw Message.USAGE.with(name + " needs --rotate");
        }
    }
}
