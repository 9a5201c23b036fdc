package mayfly.cli;

import java.time.Duration;
import mayfly.attach.AttachFailed;
import mayfly.attach.DetachOutcome;
import mayfly.attach.Trigger;
import mayfly.sampler.SessionRefused;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mayfly detach}. */
@Command
final class DetachCommand implements Subcommand {
    @Parameters(paramLabel = "PID|NAME", description = "A process id, or a main class or jar, whole or in part.")
    String target = "";

    @Option(names = "--timeout", paramLabel = "TIME", converter = DurationConverter.class, defaultValue = "10s",
            description = "How long to wait until it is gone; it goes on going afterwards. Default: ${DEFAULT-VALUE}.")
    Duration timeout = Duration.ofSeconds(10);

    @Option(names = "--no-wait", description = "Ask the profiler to go, and do not wait until it has gone.")
    boolean noWait;

    @Option(names = "--reason", paramLabel = "TEXT", defaultValue = "mayfly detach",
            description = "What the profiler is told. Default: ${DEFAULT-VALUE}.")
    String reason = "mayfly detach";

    @Option(names = {"-q", "--quiet"}, description = "Say nothing on stderr but what went wrong.")
    boolean quiet;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
    boolean help;

    @Override
    public int run(Terminal terminal) throws CommandFailed, SessionRefused {
        int pid = RecordCommand.pidOf(target);
        try {
            if (noWait) {
                Trigger.requestDetach(pid, reason, timeout);
            } else {
                DetachOutcome gone = Trigger.detach(pid, reason, timeout);
                if (!quiet) {
                    terminal.err().println("mayfly: gone from process " + pid + " after " + gone.took().toMillis() + " ms, of which "
                            + gone.collections() + " garbage collections that prove it took " + gone.collecting().toMillis() + " ms");
                }
            }
        } catch (AttachFailed e) {
            throw Message.of(e);
        }
        return ExitCode.DONE.code();
    }
}
