package mayfly.attach.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.ProfilerJar.Scheme;
import mayfly.discovery.Refusals;
import mayfly.discovery.Refused;
import mayfly.linux.LiveProcess;
import mayfly.profile.RuntimeId;

/**
 * The profilers that one trigger has attached to several JVMs of a process. Each of them has its own host and its own
 * stream; the group passes on their emissions as one stream.
 */
public final class ProfilerGroup implements AutoCloseable {
    private record Member(RuntimeId runtime, EmissionStream stream) {}

    private final List<Member> members = new ArrayList<>();
    private final List<AttachFailed> failures = new CopyOnWriteArrayList<>();
    /** True once a sink has stopped the streams. */
    private volatile boolean stopped;

    /** Receives the emissions of all members, one at a time. */
    public interface Sink {
        /**
         * Receives one emission.
         *
         * @param runtime the JVM of the profiler
         * @param bytes the data of one emission
         * @param dropped the number of emissions of this profiler that were dropped before it for lack of space
         * @return true to continue
         */
        boolean emitted(RuntimeId runtime, byte[] bytes, long dropped);
    }

    /**
     * Returns the JVMs that a request is for, if these are several: it chooses all or lists some, or it chooses none
     * and the profiler's manifest declares {@code many}. Otherwise returns empty.
     *
     * @throws AttachFailed if the request chooses several and the manifest declares another scheme, if the jar or the
     *     process cannot be read, if no JVM runs in the process, or if a choice of a list does not fit exactly one
     */
    public static Optional<List<RuntimeId>> runtimes(AttachRequest request) throws AttachFailed {
        boolean isForSeveral = request.runtime()
                .filter(choice -> choice.isAll() || choice.isList())
                .isPresent();
        Optional<Scheme> scheme = ProfilerJar.schemeOf(request.jar());
        if (isForSeveral && scheme.isPresent() && scheme.get() != Scheme.MANY) {
            throw new AttachFailed(
                    Status.ATTACH_REFUSED,
                    "the profiler is for one JVM of a process (Mayfly-Runtimes: "
                            + scheme.get().word() + "): --runtime chooses it");
        }
        boolean isForMany = request.runtime().isEmpty() && scheme.equals(Optional.of(Scheme.MANY));
        return isForSeveral || isForMany
                ? Optional.of(running(request.pid(), request.runtime().orElse(RuntimeId.Choice.ALL)))
                        .filter(found -> found.size() > 1)
                : Optional.empty();
    }

    private static List<RuntimeId> running(int pid, RuntimeId.Choice wanted) throws AttachFailed {
        try (LiveProcess process = Refusals.open(pid)) {
            return ChosenJvm.several(process, wanted);
        } catch (Refused e) {
            throw new AttachFailed(e);
        } catch (IOException e) {
            throw new AttachFailed(Status.FAILED, "process " + pid + ": " + e.getMessage());
        }
    }

    /** Adds the stream of the profiler in a JVM. {@link #close} closes it. */
    public void add(RuntimeId runtime, EmissionStream stream) {
        members.add(new Member(runtime, stream));
    }

    /** Returns the number of members. */
    public int size() {
        return members.size();
    }

    /**
     * Passes on the emissions until all profilers are detached, the target ends, the sink stops the streams, or this
     * thread is interrupted.
     *
     * @return true if all profilers were detached or the target ended
     * @throws AttachFailed if a connection fails, once the other streams have ended
     */
    public boolean run(Sink sink) throws AttachFailed {
        List<Thread> readers = new ArrayList<>();
        for (Member member : members) {
            readers.add(Thread.ofPlatform()
                    .daemon()
                    .name("emissions of " + member.runtime())
                    .unstarted(() -> follow(member, sink, readers)));
        }
        readers.forEach(Thread::start);
        for (Thread reader : readers) {
            join(reader, readers);
        }
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
        return !stopped;
    }

    private void follow(Member member, Sink sink, List<Thread> readers) {
        try {
            member.stream().run((bytes, dropped) -> pass(member.runtime(), bytes, dropped, sink));
        } catch (AttachFailed e) {
            if (!stopped) {
                failures.add(e);
            }
        }
        if (stopped) {
            readers.forEach(Thread::interrupt); // an interrupt ends a read
        }
    }

    private synchronized boolean pass(RuntimeId runtime, byte[] bytes, long dropped, Sink sink) {
        stopped = stopped || !sink.emitted(runtime, bytes, dropped);
        return !stopped;
    }

    /** Waits for a reader. An interrupt of this thread stops all readers; they end soon. */
    private void join(Thread reader, List<Thread> readers) {
        boolean isInterrupted = false;
        while (reader.isAlive()) {
            try {
                reader.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
                stopped = true;
                readers.forEach(Thread::interrupt);
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        members.forEach(member -> member.stream().close());
    }
}
