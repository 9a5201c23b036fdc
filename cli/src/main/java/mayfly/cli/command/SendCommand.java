package mayfly.cli.command;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.ProfilerClient;
import mayfly.cli.option.DurationConverter;
import mayfly.cli.option.TargetArgument;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.discovery.Refused;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mayfly send}. */
@Command(addMethodSubcommands = false)
final class SendCommand implements Subcommand {
    @Mixin
    TargetArgument target = new TargetArgument();

    @Parameters(
            index = "1",
            paramLabel = "TEXT",
            description = "The command, as UTF-8; the profiler defines its" + " meaning.")
    String text = "";

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "10s",
            description = "How long to wait for the answer. Default: ${DEFAULT-VALUE}.")
    Duration timeout = Duration.ofSeconds(10);

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        int pid = target.pid();
        try {
            byte[] answer = ProfilerClient.send(pid, text.getBytes(StandardCharsets.UTF_8), timeout);
            if (answer.length > 0) {
                terminal.printUntrusted(answer);
            }
        } catch (AttachFailed e) {
            throw Message.of(e);
        }
        return ExitCode.DONE.code();
    }
}
