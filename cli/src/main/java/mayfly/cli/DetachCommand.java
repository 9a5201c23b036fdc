package mayfly.cli;

import java.time.Duration;
import mayfly.api.Status;
import mayfly.attach.AttachFailed;
import mayfly.attach.DetachMode;
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
            description = "How long to wait until it is gone; afterwards its detach goes on, and another mayfly detach waits for it."
                    + " Default: ${DEFAULT-VALUE}.")
    Duration timeout = Duration.ofSeconds(10);

    @Option(names = "--no-wait", description = "Ask the profiler to go, and do not wait until it has gone.")
    boolean noWait;

    @Option(names = "--force", description = "Do not ask the profiler: begin its detach at once. For one that ignores the request"
            + " or fails at it. It still waits for the profiler's callbacks and threads.")
    boolean force;
    @Option(names = "--collect", description = "Permit full garbage collections, however long they stop the program, and walks over its"
            + " heap to find what keeps the profiler. Without it, where a full collection is estimated to take longer than 100 ms, the"
            + " profiler is unloaded by the program's next collection that unloads classes. May be given while a detach waits.")
    boolean collect;

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
        EventLog log = EventLog.of(terminal.environment());
        try {
            String done = detach(pid);
            log.add(terminal, noWait ? "detach-request" : "detach", pid, Status.OK, done);
            if (!quiet) {
                terminal.err().println("mayfly: " + done);
            }
        } catch (AttachFailed e) {
            log.add(terminal, "detach", pid, e.status(), String.valueOf(e.getMessage()));
            throw Message.of(e);
        }
        return ExitCode.DONE.code();
    }

    private String detach(int pid) throws AttachFailed {
        DetachMode mode = force ? DetachMode.FORCE : DetachMode.ASK;
        if (noWait) {
            Trigger.requestDetach(pid, mode, collect, reason, timeout);
            return "the profiler in process " + pid + (force ? " is being detached" : " was asked to go")
                    + "; mayfly status " + pid + " tells when it has";
        }
        DetachOutcome gone = Trigger.detach(pid, mode, collect, reason, timeout);
        String after = " process " + pid + " after " + gone.took().toMillis() + " ms; ";
        if (gone.dormant()) {
            return "dormant in" + after + "nothing of it was found to run, and its classes stay: this JVM never unloads any";
        }
        if (gone.collections() == DetachOutcome.NOT_KNOWN) {
            return "gone from" + after + "it was being detached already";
        }
        if (gone.collections() == 0) {
            return "gone from" + after + "a collection of the program's own proved it";
        }
        return "gone from" + after + (gone.collections() == 1
                ? "the garbage collection that proves it took " : gone.collections() + " garbage collections that prove it took ")
                + gone.collecting().toMillis() + " ms";
    }
}
