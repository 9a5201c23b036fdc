package mayfly.attach.client;

import java.io.IOException;
import java.util.HexFormat;
import java.util.Optional;
import mayfly.api.Event;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.ChannelMessage;
import mayfly.attach.channel.Deadline;
import mayfly.attach.channel.HostChannel;
import mayfly.attach.channel.HostRecord;
import mayfly.attach.channel.HostRecords;
import mayfly.attach.client.ProfilerJar.Scheme;
import mayfly.attach.listener.JvmListener;
import mayfly.attach.listener.LibraryFile;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.RandomBytes;
import mayfly.profile.RuntimeId;
import mayfly.wire.LastingCost;
import mayfly.wire.LoadOption;
import mayfly.wire.LoadResult;
import mayfly.wire.message.AttachFlag;
import mayfly.wire.message.AttachSize;
import mayfly.wire.message.MessageType;

/**
 * One attach, step by step, under one deadline: inspect the target, have its JVM load the host, send the profiler to
 * the host, and wait for the profiler's answer. If a step before the last fails, the target is left unchanged.
 */
final class AttachOperation {
    private static final RuntimeId.Choice FIRST = new RuntimeId.Choice("r1");

    private final AttachRequest request;
    private final AttachTarget.Opening opening;
    private final Deadline deadline;
    private final byte[] id;

    AttachOperation(AttachRequest request, AttachTarget.Opening opening) throws AttachFailed {
        this.request = request;
        this.opening = opening;
        try {
            this.id = RandomBytes.of(AttachSize.REQUEST);
        } catch (ErrnoException e) {
            throw new AttachFailed(Status.FAILED, "there is no random number for the request: " + e.getMessage());
        }
        this.deadline = Deadline.in(request.timeout());
    }

    /** Returns the JVM when the profiler is active and its completion callback has returned. */
    RuntimeId run() throws AttachFailed {
        return run((target, jar, chosen, flags) -> {
            introduce(target, jar, chosen, flags);
            return chosen.id();
        });
    }

    /**
     * Attaches and follows the profiler. The stream is opened before the profiler is sent, so that no emission is
     * missed and the lease is held from the start.
     */
    EmissionStream runAndFollow(EmissionStream.AtEnd atEnd) throws AttachFailed {
        return run((target, jar, chosen, flags) -> {
            EmissionStream following = EmissionStream.of(target, target.hostIn(chosen.start()), atEnd, deadline);
            try {
                introduce(target, jar, chosen, flags);
                return following;
            } catch (IOException | AttachFailed e) {
                following.close();
                throw e;
            }
        });
    }

    private interface Introduction<T> {
        T run(AttachTarget target, ProfilerJar jar, ChosenJvm chosen, int flags) throws IOException, AttachFailed;
    }

    private <T> T run(Introduction<T> introduction) throws AttachFailed {
        if (request.data().isPresent() && request.data().get().length > AttachRequest.MAX_DATA) {
            throw new AttachFailed(
                    Status.ATTACH_REFUSED,
                    "the data for a profiler may have at most 1 MiB, not "
                            + request.data().get().length + " bytes");
        }
        try (AttachTarget target = opening.open(request.pid())) {
            try {
                // Checked before anything else: in the ordinary case, no other failure can be of interest.
                HostRecords hosts = target.hosts();
                if (!hosts.isEmpty() && target.hasOneJvm()) {
                    throw active(hosts.all().getFirst());
                }
                boolean isForFirst = ProfilerJar.schemeOf(request.jar()).equals(Optional.of(Scheme.FIRST));
                ChosenJvm chosen = target.choose(
                        isForFirst && request.runtime().isEmpty() ? Optional.of(FIRST) : request.runtime());
                if (isForFirst && chosen.id().number() != 1) {
                    throw new AttachFailed(
                            Status.PROFILER_CANCEL_ACTIVATION,
                            "the profiler is for the first JVM of a process (Mayfly-Runtimes: first), and "
                                    + chosen.id() + " is not the first");
                }
                requireFree(target, chosen);
                ProfilerJar jar = ProfilerJar.read(request.jar(), request.className(), request.api(), chosen.feature());
                int flags = permitsJvmti(target, jar, chosen) ? AttachFlag.LASTING_COST : 0;
                loadHost(target, chosen);
                return introduction.run(target, jar, chosen, flags);
            } catch (IOException e) {
                throw inTime(target.failed(Status.FAILED, e));
            } catch (AttachFailed e) {
                throw e.status() == Status.NO_PROFILER ? inTime(e) : target.failed(e);
            }
        }
    }

    /**
     * Converts a failure to a time-out if the host has ended because the deadline expired. The host unloads itself at
     * the deadline, and an operation that is then in progress fails with an arbitrary error.
     */
    private AttachFailed inTime(AttachFailed failure) {
        boolean isHostGone = failure.status() == Status.FAILED || failure.status() == Status.NO_PROFILER;
        return isHostGone && deadline.isOver()
                ? new AttachFailed(
                        Status.TIMEOUT,
                        "the time-out expired before the host had received the profiler: " + failure.getMessage())
                : failure;
    }

    private static void requireFree(AttachTarget target, ChosenJvm chosen) throws IOException, AttachFailed {
        Optional<HostRecord> host = hostIn(target, chosen);
        if (host.isPresent()) {
            throw active(host.get());
        }
    }

    private static Optional<HostRecord> hostIn(AttachTarget target, ChosenJvm chosen) throws IOException {
        return target.hosts().in(chosen.start());
    }

    private static AttachFailed active(HostRecord host) {
        return new AttachFailed(
                Status.PROFILER_ALREADY_ACTIVE,
                (host.profiler().isEmpty() ? "a profiler" : host.profiler())
                        + switch (host.state()) {
                            case INITIALIZING -> " is being attached";
                            case ACTIVE -> " is active";
                            case DETACHING -> " is being detached";
                            case PINNED -> " is detached but not unloaded yet: " + host.pinnedBy();
                        });
    }

    /**
     * Returns true if the user accepts the lasting cost of JVMTI, or if the profiler needs JVMTI and virtual threads
     * have that cost already. A profiler that does not need JVMTI gets no permission that the user did not give: its
     * events are asynchronous by default, and the host refuses a synchronous one with LASTING_COST_NOT_ACCEPTED, unless
     * an earlier profiler of Mayfly has used JVMTI.
     *
     * @throws AttachFailed if the profiler needs JVMTI, and its cost is neither accepted nor there already
     */
    private boolean permitsJvmti(AttachTarget target, ProfilerJar jar, ChosenJvm chosen)
            throws IOException, AttachFailed {
        if (request.accepts(Acceptance.LASTING_COST)) {
            return true;
        }
        Optional<Event> needsJvmti =
                jar.events().stream().filter(Event::needsJvmti).findFirst();
        if (chosen.feature() < LastingCost.SINCE || needsJvmti.isEmpty()) {
            return false;
        }
        if (target.hasSlowerVirtualThreads(chosen)) {
            request.observer().jvmtiPermitted(chosen.id());
            return true;
        }
        throw new AttachFailed(
                Status.LASTING_COST_NOT_ACCEPTED,
                jar.className() + " may subscribe to " + needsJvmti.get() + ", which needs JVMTI; on Java "
                        + chosen.feature() + " that slows virtual threads for the rest of the JVM's life."
                        + " --accept-lasting-cost permits it");
    }

    private int load(LibraryFile library, JvmListener listener, String options) throws IOException, AttachFailed {
        library.loading();
        boolean answered = true;
        try {
            return listener.load(library.path(), options, deadline);
        } catch (AttachFailed e) {
            answered = e.status() != Status.TIMEOUT;
            throw e;
        } finally {
            if (answered) {
                library.loaded();
            }
        }
    }

    private void loadHost(AttachTarget target, ChosenJvm chosen) throws IOException, AttachFailed {
        JvmListener listener = target.listener();
        boolean was = listener.isListening();
        String letters = (was ? "" : String.valueOf(LoadOption.STOP_LISTENER))
                + (request.accepts(Acceptance.REMAINING_CLASSES) ? String.valueOf(LoadOption.REMAINING_CLASSES) : "");
        String options = LoadOption.VERSION + HexFormat.of().formatHex(id) + "," + deadline.nanos() + ","
                + (letters.isEmpty() ? String.valueOf(LoadOption.NONE) : letters)
                + (chosen.alone() ? "" : "," + Long.toHexString(chosen.start()));
        int code;
        try (LibraryFile library = target.library(deadline)) {
            if (!was) {
                listener.start(deadline);
            }
            code = load(library, listener, options);
        }
        if (code == LoadResult.ALREADY_ACTIVE) {
            throw hostIn(target, chosen)
                    .map(AttachOperation::active)
                    .orElseGet(() -> new AttachFailed(
                            Status.PROFILER_ALREADY_ACTIVE,
                            "a profiler was active when the JVM received the request, and is unloaded now:"
                                    + " attach again"));
        }
        if (code == LoadResult.EXPIRED) {
            throw new AttachFailed(Status.TIMEOUT, "the JVM received the request after its deadline, and refused it");
        }
        if (code != LoadResult.ATTACHED) {
            target.awaitNoHost(
                    chosen.start(), deadline, "the host refused the request, and its library was not unloaded in time");
        }
        if (code == LoadResult.OTHER_RUNTIME) {
            throw new AttachFailed(
                    Status.ATTACH_REFUSED,
                    "another JVM of the process answered; the requested one does not exist"
                            + ", or cannot be reached from it");
        }
        if (code == LoadResult.SECURITY_MANAGER) {
            throw new AttachFailed(
                    Status.ATTACH_REFUSED,
                    "the program has a security manager, whose code would run on the"
                            + " threads of Mayfly's host. `mayfly record` and `mayfly stack` work from outside");
        }
        if (code == LoadResult.NO_UNLOADING) {
            throw new AttachFailed(
                    Status.ATTACH_REFUSED,
                    "a profiler could not be detached again: this JVM never unloads classes (-XX:-ClassUnloading or"
                        + " -XX:+UseEpsilonGC). --accept-remaining-classes permits the attach; the profiler's classes"
                        + " then remain");
        }
        if (code != LoadResult.ATTACHED) {
            throw new AttachFailed(
                    Status.ATTACH_REFUSED,
                    "the host did not start in the target: "
                            + (code <= LoadResult.NOT_OPENED
                                    ? shortage(LoadResult.NOT_OPENED - code)
                                    : "unknown reason " + code));
        }
    }

    private static String shortage(int errno) {
        String name = ErrnoException.nameOf(errno);
        return switch (name) {
            case "EMFILE", "ENFILE" -> "no descriptor left (" + name + ")";
            case "EROFS", "ENOSPC", "EACCES" -> "no room in /tmp, or no permission to write there (" + name + ")";
            case "ENOMEM", "EAGAIN" -> "no memory, or no thread, left (" + name + ")";
            default -> "errno(3) " + name;
        };
    }

    /** Waits for the end of the host. Returns the profiler's own failure, whether or not the host has ended in time. */
    private AttachFailed gone(AttachTarget target, ChosenJvm chosen, AttachFailed failure) throws IOException {
        try {
            target.awaitNoHost(
                    chosen.start(),
                    deadline,
                    "the profiler is not unloaded yet: `mayfly status` shows what retains it");
            return failure;
        } catch (AttachFailed e) {
            return new AttachFailed(failure.status(), failure.getMessage() + "; " + e.getMessage(), failure.detail());
        }
    }

    private void introduce(AttachTarget target, ProfilerJar jar, ChosenJvm chosen, int flags)
            throws IOException, AttachFailed {
        try (HostChannel channel = target.channel(target.hostIn(chosen.start()), deadline)) {
            channel.send(
                    MessageType.ATTACH,
                    deadline,
                    AttachPayload.of(
                            id,
                            deadline.nanos(),
                            flags,
                            jar,
                            request.data(),
                            AttachPayload.runtime(chosen.id(), chosen.start()),
                            target.encoded(request.log())));
            ChannelMessage answer = channel.receive(
                    deadline,
                    "the profiler's initialisation did not return in time; it may still succeed:"
                            + " `mayfly status` shows it");
            try {
                answer.requireDone();
            } catch (AttachFailed e) {
                throw gone(target, chosen, e);
            }
        }
    }
}
