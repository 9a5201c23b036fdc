package mayfly.attach.client;

import java.time.Duration;
import java.util.Optional;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.channel.HostStatuses;
import mayfly.profile.RuntimeId;

/** Attaches profilers to processes, and queries the attached ones. */
public final class ProfilerClient {
    private static final HostRequests REQUESTS = new HostRequests(HostedProcess::open);

    private ProfilerClient() {}

    /**
     * Attaches a profiler. Returns when its initialisation and its completion callback have returned.
     *
     * @return the JVM to which it is attached
     * @throws AttachFailed with the reason; after {@link Status#TIMEOUT} the attach may still succeed
     */
    public static RuntimeId attach(AttachRequest request) throws AttachFailed {
        return new AttachOperation(request, HostedProcess::open).run();
    }

    /**
     * Attaches a profiler and follows its emissions from its first call on.
     *
     * @param atEnd applies when the stream is closed or this process ends in any way; also if the attach succeeds after
     *     a time-out
     * @throws AttachFailed as {@link #attach}
     */
    public static EmissionStream attachAndFollow(AttachRequest request, EmissionStream.AtEnd atEnd)
            throws AttachFailed {
        return new AttachOperation(request, HostedProcess::open).runAndFollow(atEnd);
    }

    /**
     * Follows the emissions of a profiler. The stream begins with the emissions made without a follower, of which the
     * first MiB is kept.
     *
     * @param runtime the JVM in the process; empty if only one has a profiler
     * @param timeout time limit for opening the stream
     * @throws AttachFailed if it cannot be followed
     */
    public static EmissionStream follow(int pid, Optional<RuntimeId.Choice> runtime, Duration timeout)
            throws AttachFailed {
        return REQUESTS.follow(pid, runtime, timeout);
    }

    /**
     * Follows the only profiler of a process.
     *
     * @throws AttachFailed as {@link #follow(int, Optional, Duration)}
     */
    public static EmissionStream follow(int pid, Duration timeout) throws AttachFailed {
        return follow(pid, Optional.empty(), timeout);
    }

    /**
     * Returns the profilers attached to a process, at most one for each of its JVMs. Also works while the process is
     * stopped or hangs.
     *
     * @throws AttachFailed if the process does not exist or may not be inspected
     */
    public static HostStatuses statuses(int pid) throws AttachFailed {
        return REQUESTS.statuses(pid);
    }

    /**
     * Returns a profiler attached to a process; empty if there is none.
     *
     * @param runtime the JVM in the process; empty if only one has a profiler
     * @throws AttachFailed if the process does not exist or may not be inspected, or if several profilers are attached
     *     and none was chosen
     */
    public static Optional<HostStatus> status(int pid, Optional<RuntimeId.Choice> runtime) throws AttachFailed {
        return REQUESTS.status(pid, runtime);
    }

    /**
     * Returns the only profiler attached to a process.
     *
     * @throws AttachFailed as {@link #status(int, Optional)}
     */
    public static Optional<HostStatus> status(int pid) throws AttachFailed {
        return status(pid, Optional.empty());
    }

    /**
     * Sends a command to a profiler and returns its answer.
     *
     * @param runtime the JVM in the process; empty if only one has a profiler
     * @param command at most 16 MiB
     * @throws AttachFailed if no profiler is attached, or the request fails
     */
    public static byte[] send(int pid, Optional<RuntimeId.Choice> runtime, byte[] command, Duration timeout)
            throws AttachFailed {
        return REQUESTS.send(pid, runtime, command, timeout);
    }

    /**
     * Sends a command to the only profiler of a process.
     *
     * @throws AttachFailed as {@link #send(int, Optional, byte[], Duration)}
     */
    public static byte[] send(int pid, byte[] command, Duration timeout) throws AttachFailed {
        return send(pid, Optional.empty(), command, timeout);
    }

    /**
     * Asks the profiler to detach, and does not wait for the end of the detach.
     *
     * @param reason the reason, for a human reader
     * @throws AttachFailed if no profiler is attached, or the request fails
     */
    public static void requestDetach(int pid, String reason, Duration timeout) throws AttachFailed {
        requestDetach(new DetachRequest(pid, reason, timeout));
    }

    /**
     * Begins a detach, and does not wait for its end.
     *
     * @throws AttachFailed if no profiler is attached, or the request fails
     */
    public static void requestDetach(DetachRequest request) throws AttachFailed {
        REQUESTS.requestDetach(request);
    }

    /**
     * Asks the profiler to detach, and waits until its code is no longer in the process. If a detach is already in
     * progress, waits for its end.
     *
     * @param reason the reason, for a human reader
     * @throws AttachFailed {@link Status#TIMEOUT} with a description of the retainer; a detach that has begun still
     *     completes when nothing retains the profiler any more
     */
    public static DetachOutcome detach(int pid, String reason, Duration timeout) throws AttachFailed {
        return detach(new DetachRequest(pid, reason, timeout));
    }

    /**
     * Detaches the profiler, and waits until its code is no longer in the process. If a detach is already in progress,
     * waits for its end; the permission for collections then still applies.
     *
     * @throws AttachFailed as {@link #detach(int, String, Duration)}
     */
    public static DetachOutcome detach(DetachRequest request) throws AttachFailed {
        return REQUESTS.detach(request);
    }
}
