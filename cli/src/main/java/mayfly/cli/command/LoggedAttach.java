package mayfly.cli.command;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.EmissionStream;
import mayfly.attach.client.ProfilerClient;
import mayfly.attach.client.ProfilerJar;
import mayfly.cli.file.EventLog;
import mayfly.cli.output.Terminal;

/** The attaches of one command, with their entries in the log. */
final class LoggedAttach {
    /** The text of the log entry written by a follower. */
    static final String GONE = "the profiler has been detached, by itself or by a command, or its process has ended";

    private final EventLog log;
    private final Terminal terminal;
    /** The number of profilers that are detached when this process ends. */
    private final AtomicInteger leased = new AtomicInteger();

    LoggedAttach(EventLog log, Terminal terminal) {
        this.log = log;
        this.terminal = terminal;
    }

    void attach(AttachRequest request) throws AttachFailed {
        logged(request, () -> {
            ProfilerClient.attach(request);
            return request;
        });
    }

    /**
     * Attaches a profiler and opens the stream of its emissions. With a lease, the profiler is also detached when this
     * process ends, even by a signal; this process does not wait for that detach.
     */
    EmissionStream attachAndFollow(AttachRequest request, EmissionStream.AtEnd atEnd) throws AttachFailed {
        boolean isLeased = atEnd == EmissionStream.AtEnd.DETACH_PROFILER;
        if (isLeased && leased.get() == 0) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                if (leased.get() > 0) {
                    log.add(terminal, "detach-request", request.pid(), Status.OK, "the lease has ended");
                }
            }));
        }
        EmissionStream stream = logged(request, () -> ProfilerClient.attachAndFollow(request, atEnd));
        leased.addAndGet(isLeased ? 1 : 0);
        return stream;
    }

    /** Logs that the followed profilers of a process have been detached. */
    void gone(int pid) {
        leased.set(0);
        log.add(terminal, "gone", pid, Status.OK, GONE);
    }

    private interface Attach<T> {
        T run() throws AttachFailed;
    }

    private <T> T logged(AttachRequest request, Attach<T> attach) throws AttachFailed {
        int pid = request.pid();
        String jar =
                request.jar() + request.runtime().map(runtime -> ", " + runtime).orElse("");
        // Logged first, so that the log has an entry even if this command is killed before the outcome is known.
        log.add(terminal, "attach-request", pid, Status.OK, jar);
        try {
            T attached = attach.run();
            Optional<HostStatus> host = hostOf(request);
            if (host.isPresent()) {
                log.addAttach(terminal, pid, host.get(), jar + chosenByManifest(request, host.get()));
            } else {
                log.add(terminal, "attach", pid, Status.OK, jar); // already detached
            }
            return attached;
        } catch (AttachFailed e) {
            log.add(terminal, "attach", pid, e.status(), jar + ": " + e.getMessage());
            throw e;
        }
    }

    private static String chosenByManifest(AttachRequest request, HostStatus host) throws AttachFailed {
        boolean isFirst = ProfilerJar.schemeOf(request.jar()).equals(Optional.of(ProfilerJar.Scheme.FIRST));
        return isFirst ? ": attached to " + host.runtime() + ", the first JVM (Mayfly-Runtimes: first)" : "";
    }

    private static Optional<HostStatus> hostOf(AttachRequest request) {
        try {
            return ProfilerClient.status(request.pid(), request.runtime());
        } catch (AttachFailed e) {
            return Optional.empty(); // the process has ended
        }
    }
}
