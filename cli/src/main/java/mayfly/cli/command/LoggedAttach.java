package mayfly.cli.command;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.EmissionStream;
import mayfly.attach.client.ProfilerClient;
import mayfly.attach.client.ProfilerGroup;
import mayfly.attach.client.ProfilerJar;
import mayfly.cli.file.EventLog;
import mayfly.cli.output.Terminal;
import mayfly.profile.RuntimeId;

/** The attaches of one command, with their entries in the log. */
final class LoggedAttach {
    /** The text of the log entry written by a follower. */
    static final String GONE = "the profiler has been detached, by itself or by a command, or its process has ended";

    private static final RuntimeId.Choice FIRST = new RuntimeId.Choice("r1");

    private final EventLog log;
    private final Terminal terminal;
    /** The number of profilers that are detached when this process ends. */
    private final AtomicInteger leased = new AtomicInteger();

    private boolean hasHook;

    LoggedAttach(EventLog log, Terminal terminal) {
        this.log = log;
        this.terminal = terminal;
    }

    /** Attaches a profiler, and returns its JVM. */
    RuntimeId attach(AttachRequest request) throws AttachFailed {
        return logged(request, () -> ProfilerClient.attach(request));
    }

    /**
     * Attaches a profiler and opens the stream of its emissions. With a lease, the profiler is also detached when this
     * process ends, even by a signal; this process does not wait for that detach.
     */
    EmissionStream attachAndFollow(AttachRequest request, EmissionStream.AtEnd atEnd) throws AttachFailed {
        boolean isLeased = atEnd == EmissionStream.AtEnd.DETACH_PROFILER;
        if (isLeased && !hasHook) {
            hasHook = true;
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

    /**
     * Returns the JVMs of a request that is for several, as {@link ProfilerGroup#runtimes} does. A failure is logged as
     * that of the attach.
     */
    Optional<List<RuntimeId>> runtimes(AttachRequest request) throws AttachFailed {
        try {
            return ProfilerGroup.runtimes(request);
        } catch (AttachFailed e) {
            log.add(terminal, "attach-request", request.pid(), Status.OK, subject(request));
            log.add(terminal, "attach", request.pid(), e.status(), subject(request) + ": " + e.getMessage());
            throw e;
        }
    }

    private static String subject(AttachRequest request) {
        return request.jar() + request.runtime().map(runtime -> ", " + runtime).orElse("");
    }

    private interface Attach<T> {
        T run() throws AttachFailed;
    }

    private <T> T logged(AttachRequest request, Attach<T> attach) throws AttachFailed {
        int pid = request.pid();
        String subject = subject(request);
        // Logged first, so that the log has an entry even if this command is killed before the outcome is known.
        log.add(terminal, "attach-request", pid, Status.OK, subject);
        try {
            boolean isForFirst = ProfilerJar.schemeOf(request.jar()).equals(Optional.of(ProfilerJar.Scheme.FIRST));
            T attached = attach.run();
            Optional<HostStatus> host = hostOf(pid, isForFirst ? Optional.of(FIRST) : request.runtime());
            if (host.isPresent()) {
                String chosen = isForFirst ? ": attached to r1, the first JVM (Mayfly-Runtimes: first)" : "";
                log.addAttach(terminal, pid, host.get(), subject + chosen);
            } else {
                log.add(terminal, "attach", pid, Status.OK, subject); // already detached
            }
            return attached;
        } catch (AttachFailed e) {
            log.add(terminal, "attach", pid, e.status(), subject + ": " + e.getMessage());
            throw e;
        }
    }

    private static Optional<HostStatus> hostOf(int pid, Optional<RuntimeId.Choice> runtime) {
        try {
            return ProfilerClient.status(pid, runtime);
        } catch (AttachFailed e) {
            return Optional.empty(); // the process has ended
        }
    }
}
