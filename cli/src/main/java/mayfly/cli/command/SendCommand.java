package mayfly.cli.command;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.ProfilerClient;
import mayfly.cli.option.Argument;
import mayfly.cli.option.Definition;
import mayfly.cli.option.DurationConverter;
import mayfly.cli.option.Option;
import mayfly.cli.option.RuntimeChoiceConverter;
import mayfly.cli.option.TargetArgument;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.discovery.Refused;
import mayfly.profile.RuntimeId;

/** {@code mayfly send}. */
final class SendCommand implements Subcommand {
    private final TargetArgument target = new TargetArgument();

    private final Argument<String> text =
            Argument.text(1, "TEXT", "The command, as UTF-8; the profiler defines its meaning.");

    private final Option<RuntimeId.Choice> runtime = RuntimeChoiceConverter.ofProfiler();

    private final Option<Duration> timeout = Option.named("--timeout")
            .value("TIME", new DurationConverter())
            .byDefault("10s")
            .description("How long to wait for the answer. Default: ${DEFAULT-VALUE}.");

    @Override
    public List<Definition> definitions() {
        return List.of(target, text, runtime, timeout);
    }

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        int pid = target.pid();
        try {
            byte[] answer = ProfilerClient.send(
                    pid,
                    Optional.ofNullable(runtime.orNull()),
                    text.value().getBytes(StandardCharsets.UTF_8),
                    timeout.value());
            if (answer.length > 0) {
                terminal.printUntrusted(answer);
            }
        } catch (AttachFailed e) {
            throw Message.of(e);
        }
        return ExitCode.DONE.code();
    }
}
