package mayfly.attach.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.ChannelMessage;
import mayfly.attach.channel.Deadline;
import mayfly.attach.channel.HostChannel;
import mayfly.attach.channel.HostRecord;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.channel.HostStatuses;
import mayfly.linux.sys.KernelClock;
import mayfly.profile.RuntimeId;
import mayfly.wire.message.DetachFlag;
import mayfly.wire.message.GoneOffset;
import mayfly.wire.message.MessageSize;
import mayfly.wire.message.MessageType;

/**
 * The requests to the host of an attached profiler. {@link ProfilerClient} describes each of them.
 *
 * @param opening opens the process of a request
 */
record HostRequests(AttachTarget.Opening opening) {
    /** Upper bound on the reason for a detach, in bytes. */
    private static final int MAX_REASON = 32 << 10;

    private static final int MAX_COMMAND = MessageSize.MAX_COMMAND;
    private static final String NO_ANSWER = "the profiler did not answer in time";
    private static final String NOT_UNLOADED =
            "the profiler was not unloaded in time: `mayfly status` shows what retains it";

    EmissionStream follow(int pid, Optional<RuntimeId.Choice> runtime, Duration timeout) throws AttachFailed {
        Deadline deadline = Deadline.in(timeout);
        return with(
                pid,
                target ->
                        EmissionStream.of(target, target.host(runtime), EmissionStream.AtEnd.KEEP_PROFILER, deadline));
    }

    HostStatuses statuses(int pid) throws AttachFailed {
        return with(pid, target -> HostStatuses.of(target.hosts()));
    }

    Optional<HostStatus> status(int pid, Optional<RuntimeId.Choice> runtime) throws AttachFailed {
        try {
            return with(pid, target -> Optional.of(HostStatus.of(target.host(runtime))));
        } catch (AttachFailed e) {
            if (e.status() == Status.NO_PROFILER) {
                return Optional.empty();
            }
            throw e;
        }
    }

    byte[] send(int pid, Optional<RuntimeId.Choice> runtime, byte[] command, Duration timeout) throws AttachFailed {
        if (command.length > MAX_COMMAND) {
            throw new AttachFailed(
                    Status.FAILED, "a command has at most " + MAX_COMMAND + " bytes, not " + command.length);
        }
        Deadline deadline = Deadline.in(timeout);
        return with(pid, target -> {
            try (HostChannel channel = target.channel(target.host(runtime), deadline)) {
                channel.send(MessageType.COMMAND, deadline, command);
                ChannelMessage answer = channel.receive(deadline, NO_ANSWER);
                if (answer.type() != MessageType.REPLY) {
                    answer.requireDone();
                }
                return answer.content();
            }
        });
    }

    void requestDetach(DetachRequest request) throws AttachFailed {
        Deadline deadline = Deadline.in(request.timeout());
        with(request.pid(), target -> {
            HostRecord host = target.host(request.runtime());
            try (HostChannel channel = ask(target, host, request.flags(), request.reason(), deadline)) {
                ChannelMessage answer = channel.receive(deadline, NO_ANSWER);
                answer.requireDone();
                return answer;
            }
        });
    }

    DetachOutcome detach(DetachRequest request) throws AttachFailed {
        Deadline deadline = Deadline.in(request.timeout());
        long start = KernelClock.BOOT.nanos();
        return with(request.pid(), target -> {
            DetachWait.Request state = DetachWait.Request.UNANSWERED;
            HostRecord host = target.host(request.runtime());
            int flags = DetachFlag.WAIT | request.flags();
            try (HostChannel channel = ask(target, host, flags, request.reason(), deadline)) {
                channel.receive(deadline, NO_ANSWER).requireDone();
                state = DetachWait.Request.ACCEPTED;
                ChannelMessage gone = channel.receive(deadline, NOT_UNLOADED);
                ByteBuffer content = ByteBuffer.wrap(gone.content()).order(ByteOrder.LITTLE_ENDIAN);
                if (gone.type() != MessageType.GONE || content.remaining() < GoneOffset.REMAINING_CLASSES) {
                    throw new AttachFailed(
                            Status.FAILED, "the host's answer is not understood (type " + gone.type() + ")");
                }
                target.awaitNoHost(host.library(), deadline, NOT_UNLOADED);
                return new DetachOutcome(
                        Duration.ofNanos(KernelClock.BOOT.nanos() - start),
                        Duration.ofNanos(content.getLong(GoneOffset.NANOS)),
                        content.getInt(GoneOffset.COLLECTIONS),
                        content.remaining() >= MessageSize.GONE && content.getInt(GoneOffset.REMAINING_CLASSES) != 0);
            } catch (AttachFailed e) {
                if (e.status() == Status.PROFILER_DETACHING) {
                    return awaitDetach(target, host, start, deadline);
                }
                throw e.status() == Status.TIMEOUT ? withReason(target, host, state, e) : e;
            }
        });
    }

    /** Waits for the end of a detach that another client or the profiler itself has requested. */
    private static DetachOutcome awaitDetach(AttachTarget target, HostRecord host, long start, Deadline deadline)
            throws IOException, AttachFailed {
        try {
            target.awaitNoHost(host.library(), deadline, NOT_UNLOADED);
            return new DetachOutcome(
                    Duration.ofNanos(KernelClock.BOOT.nanos() - start),
                    Duration.ZERO,
                    DetachOutcome.NOT_KNOWN,
                    host.remainingClasses());
        } catch (AttachFailed e) {
            throw e.status() == Status.TIMEOUT ? withReason(target, host, DetachWait.Request.ACCEPTED, e) : e;
        }
    }

    /**
     * Returns the failure, extended by the reason for which the detach waits. If the record cannot be read, the failure
     * reports this instead.
     */
    private static AttachFailed withReason(
            AttachTarget target, HostRecord host, DetachWait.Request request, AttachFailed late) {
        try {
            for (HostRecord now : target.hosts().known()) {
                if (now.library() == host.library()) {
                    return new AttachFailed(
                            Status.TIMEOUT, late.getMessage() + "; now " + DetachWait.reason(now, request));
                }
            }
            return late;
        } catch (IOException e) {
            return new AttachFailed(
                    Status.TIMEOUT, late.getMessage() + "; the reason cannot be read: " + e.getMessage());
        }
    }

    private static HostChannel ask(AttachTarget target, HostRecord host, int flags, String reason, Deadline deadline)
            throws IOException, AttachFailed {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        if (text.length > MAX_REASON) {
            throw new AttachFailed(Status.FAILED, "a reason has at most " + MAX_REASON + " bytes, not " + text.length);
        }
        HostChannel channel = target.channel(host, deadline);
        try {
            channel.send(
                    MessageType.DETACH,
                    deadline,
                    ByteBuffer.allocate(4)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putInt(flags)
                            .array(),
                    text);
            return channel;
        } catch (IOException | AttachFailed e) {
            channel.close();
            throw e;
        }
    }

    /** Opens a process, executes a request, and converts errors to failures. */
    private <T> T with(int pid, Request<T> request) throws AttachFailed {
        try (AttachTarget target = opening.open(pid)) {
            try {
                return request.of(target);
            } catch (IOException e) {
                throw target.failed(Status.FAILED, e);
            }
        }
    }

    private interface Request<T> {
        T of(AttachTarget target) throws IOException, AttachFailed;
    }
}
