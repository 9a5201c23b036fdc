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
import mayfly.linux.sys.KernelClock;
import mayfly.wire.DetachFlag;
import mayfly.wire.MessageSize;
import mayfly.wire.MessageType;

/** Attaches profilers to processes, and queries the attached ones. */
public final class ProfilerClient {
    /** Upper bound on the reason for a detach, in bytes. */
    private static final int MAX_REASON = 32 << 10;
    private static final int MOST_COMMAND = MessageSize.MAX_COMMAND;

    private ProfilerClient() {
    }

    /**
     * Attaches a profiler. Returns when its initialisation and its completion callback have returned.
     *
     * @throws AttachFailed with the reason; after {@link Status#TIMEOUT} the attach may still succeed
     */
    public static void attach(AttachRequest request) throws AttachFailed {
        new AttachOperation(request).run();
    }

    /**
     * Attaches a profiler and follows its emissions from its first call on.
     *
     * @param lease true if the profiler is to be asked to detach when the stream is closed or this process ends in any
     *     way; also if the attach succeeds after a time-out
     * @throws AttachFailed as {@link #attach}
     */
    public static EmissionStream attachAndFollow(AttachRequest request, boolean lease) throws AttachFailed {
        return new AttachOperation(request).runAndFollow(lease);
    }

    /**
     * Follows the emissions of the profiler of a process. The stream begins with the emissions made without a follower,
     * of which the first MiB is kept.
     *
     * @param timeout time limit for opening the stream
     * @throws AttachFailed if it cannot be followed
     */
    public static EmissionStream follow(int pid, Duration timeout) throws AttachFailed {
        Deadline deadline = Deadline.in(timeout);
        return with(pid, target -> EmissionStream.of(target, false, deadline));
    }

    /**
     * Returns the profiler attached to a process; empty if there is none. Also works while the process is stopped or
     * hangs.
     *
     * @throws AttachFailed if the process does not exist or may not be inspected
     */
    public static Optional<HostStatus> status(int pid) throws AttachFailed {
        return with(pid, target -> target.host().map(HostStatus::of));
    }

    /**
     * Sends a command to the profiler and returns its answer.
     *
     * @param command at most 16 MiB
     * @throws AttachFailed if no profiler is attached, or the request fails
     */
    public static byte[] send(int pid, byte[] command, Duration timeout) throws AttachFailed {
        if (command.length > MOST_COMMAND) {
            throw new AttachFailed(Status.FAILED,
                    "a command has at most " + MOST_COMMAND + " bytes, not " + command.length);
        }
        Deadline deadline = Deadline.in(timeout);
        return with(pid, target -> {
            try (HostChannel channel = HostChannel.open(target.process(), target.requireHost(), deadline)) {
                channel.send(MessageType.COMMAND, deadline, command);
                ChannelMessage answer = channel.receive(deadline, "the profiler did not answer in time");
                if (answer.type() != MessageType.REPLY) {
                    answer.requireDone();
                }
                return answer.content();
            }
        });
    }

    /**
     * Asks the profiler to detach, and does not wait for the end of the detach.
     *
     * @param reason the reason, for a human reader
     * @throws AttachFailed if no profiler is attached, or the request fails
     */
    public static void requestDetach(int pid, String reason, Duration timeout) throws AttachFailed {
        requestDetach(pid, DetachMode.ASK, false, reason, timeout);
    }

    /**
     * Begins a detach in the given mode, and does not wait for its end.
     *
     * @param collect as in {@link #detach(int, DetachMode, boolean, String, Duration)}
     * @param reason the reason, for a human reader
     * @throws AttachFailed if no profiler is attached, or the request fails
     */
    public static void requestDetach(int pid, DetachMode mode, boolean collect, String reason, Duration timeout)
            throws AttachFailed {
        Deadline deadline = Deadline.in(timeout);
        with(pid, target -> {
            try (HostChannel channel = ask(target, flags(mode, collect), reason, deadline)) {
                ChannelMessage answer = channel.receive(deadline, "the profiler did not answer in time");
                answer.requireDone();
                return answer;
            }
        });
    }

    /**
     * Asks the profiler to detach, and waits until its code is no longer in the process. If a detach is already in
     * progress, waits for its end.
     *
     * @throws AttachFailed {@link Status#TIMEOUT} with a description of the retainer; a detach that has begun still
     *     completes when nothing retains the profiler any more
     */
    public static DetachOutcome detach(int pid, String reason, Duration timeout) throws AttachFailed {
        return detach(pid, DetachMode.ASK, false, reason, timeout);
    }

    /**
     * Detaches the profiler in the given mode, and waits until its code is no longer in the process. If a detach is
     * already in progress, waits for its end; {@code collect} then still applies.
     *
     * @param collect permits full collections, regardless of how long they stop the program, and long walks over the
     *     heap to find what retains the profiler. Without it the host forces a collection only if it estimates the
     *     pause to be short; otherwise it waits for a collection of the program (docs/footprint.md)
     * @throws AttachFailed as {@link #detach(int, String, Duration)}
     */
    public static DetachOutcome detach(int pid, DetachMode mode, boolean collect, String reason, Duration timeout)
            throws AttachFailed {
        Deadline deadline = Deadline.in(timeout);
        long start = KernelClock.BOOT.nanos();
        return with(pid, target -> {
            boolean asked = false;
            String waiting = "the profiler was not unloaded in time: `mayfly status` shows what retains it";
            try (HostChannel channel = ask(target, DetachFlag.WAIT | flags(mode, collect), reason, deadline)) {
                channel.receive(deadline, "the profiler did not answer in time").requireDone();
                asked = true;
                ChannelMessage gone = channel.receive(deadline, waiting);
                ByteBuffer content = ByteBuffer.wrap(gone.content()).order(ByteOrder.LITTLE_ENDIAN);
                if (gone.type() != MessageType.GONE || content.remaining() < 12) {
                    throw new AttachFailed(Status.FAILED,
                            "the host's answer is not understood (type " + gone.type() + ")");
                }
                target.awaitNoHost(deadline, waiting);
                return new DetachOutcome(Duration.ofNanos(KernelClock.BOOT.nanos() - start),
                        Duration.ofNanos(content.getLong()),
                        content.getInt(), content.remaining() >= 4 && content.getInt() != 0);
            } catch (AttachFailed e) {
                if (e.status() == Status.PROFILER_DETACHING) {
                    return awaitDetach(target, start, deadline, waiting);
                }
                throw e.status() == Status.TIMEOUT ? withPinnedBy(target, asked, e) : e;
            }
        });
    }

    /** Waits for the end of a detach that another client or the profiler itself has requested. */
    private static DetachOutcome awaitDetach(HostedProcess target, long start, Deadline deadline, String waiting)
            throws IOException, AttachFailed {
        boolean dormant = target.host().map(HostRecord::dormant).orElse(false);
        try {
            target.awaitNoHost(deadline, waiting);
            return new DetachOutcome(Duration.ofNanos(KernelClock.BOOT.nanos() - start), Duration.ZERO,
                    DetachOutcome.NOT_KNOWN, dormant);
        } catch (AttachFailed e) {
            throw e.status() == Status.TIMEOUT ? withPinnedBy(target, true, e) : e;
        }
    }

    /**
     * Returns the failure, extended by the reason for which the detach waits. If the record cannot be read, the failure
     * reports this instead.
     */
    private static AttachFailed withPinnedBy(HostedProcess target, boolean asked, AttachFailed late) {
        try {
            Optional<HostRecord> host = target.host();
            return host.isEmpty() ? late
                    : new AttachFailed(Status.TIMEOUT, late.getMessage() + "; now " + awaited(host.get(), asked));
        } catch (IOException e) {
            return new AttachFailed(Status.TIMEOUT,
                    late.getMessage() + "; the reason cannot be read: " + e.getMessage());
        }
    }

    /** Returns the reason for which a detach waits, as part of a sentence. */
    public static String awaited(HostRecord host, boolean asked) {
        if (!host.pinnedBy().isEmpty()) {
            return (host.pinnedBy().startsWith("referenced by ") ? "it is " : "that is ") + host.pinnedBy();
        }
        if (asked && host.state() == HostRecord.State.ACTIVE) {
            return "it is still active: it has been asked, and does not detach; `mayfly detach --force` does not ask"
                    + " it";
        }
        Optional<HostRecord.Running> running = host.longest().filter(callback -> !callback.callback().isEmpty());
        if (running.isPresent()) {
            return "that is its callback " + running.get().callback() + " on thread " + running.get().tid();
        }
        if (host.state() == HostRecord.State.INITIALIZING) {
            return "that is its initialization: its class's static initializer or its constructor has not returned";
        }
        return asked ? "the host is working, or waits for a garbage collection that shows whether anything retains the"
                + " profiler: `mayfly stack` shows where its thread is"
                : "its host does not answer: the process is stopped, gets too little CPU time, or cannot open another"
                + " descriptor";
    }

    private static int flags(DetachMode mode, boolean collect) {
        return mode.flags() | (collect ? DetachFlag.COLLECT : 0);
    }

    private static HostChannel ask(HostedProcess target, int flags, String reason, Deadline deadline)
            throws IOException, AttachFailed {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        if (text.length > MAX_REASON) {
            throw new AttachFailed(Status.FAILED, "a reason has at most " + MAX_REASON + " bytes, not " + text.length);
        }
        HostChannel channel = HostChannel.open(target.process(), target.requireHost(), deadline);
        try {
            channel.send(MessageType.DETACH, deadline,
                    ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(flags).array(), text);
            return channel;
        } catch (IOException | AttachFailed e) {
            channel.close();
            throw e;
        }
    }

    /** Opens a process, executes a request, and converts errors to failures. */
    private static <T> T with(int pid, Request<T> request) throws AttachFailed {
        try (HostedProcess target = HostedProcess.open(pid)) {
            try {
                return request.of(target);
            } catch (IOException e) {
                throw target.failed(Status.FAILED, e);
            }
        }
    }

    private interface Request<T> {
        T of(HostedProcess target) throws IOException, AttachFailed;
    }
}
