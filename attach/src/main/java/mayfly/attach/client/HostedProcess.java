package mayfly.attach.client;

import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Deadline;
import mayfly.attach.channel.HostChannel;
import mayfly.attach.channel.HostRecord;
import mayfly.attach.channel.ProcessEnd;
import mayfly.attach.listener.HostLibraryFile;
import mayfly.discovery.Refusals;
import mayfly.discovery.Refused;
import mayfly.linux.LiveProcess;
import mayfly.process.Mapping;

/** A process and the profiler's host in it, if there is one. The process is held, so that its id cannot be reused. */
final class HostedProcess implements AutoCloseable {
    /** The kernel's name of the host's last thread. */
    private static final String THREAD = "Mayfly host";
    private static final int POLL_MILLIS = 1;

    private final LiveProcess process;

    private HostedProcess(LiveProcess process) {
        this.process = process;
    }

    static HostedProcess open(int pid) throws AttachFailed {
        try {
            return new HostedProcess(Refusals.open(pid));
        } catch (Refused e) {
            throw new AttachFailed(e);
        }
    }

    LiveProcess process() {
        return process;
    }

    /** Converts an I/O error to a failure: "has ended" if the process is ending, otherwise the error's own message. */
    AttachFailed failed(Status otherwise, IOException e) {
        return ProcessEnd.isNear(process) ? ProcessEnd.of(process)
                : new AttachFailed(e instanceof HostChannel.HostGone ? Status.NO_PROFILER : otherwise,
                        "process " + process.pid() + ": " + e.getMessage());
    }

    /**
     * Converts a refusal to "has ended" if the process is ending. A refusal is based on the files of the process. While
     * the kernel tears a process down, its files are incomplete or missing, so a refusal then means that the process
     * has ended.
     */
    AttachFailed failed(AttachFailed e) {
        boolean isRefusal = e.status() == Status.RUNTIME_NOT_LOADED || e.status() == Status.ATTACH_REFUSED;
        return isRefusal && process.isEnding(0) ? ProcessEnd.of(process) : e;
    }

    /** Returns the record of the host, empty if there is no host. */
    Optional<HostRecord> host() throws IOException {
        return HostRecord.of(process);
    }

    HostRecord requireHost() throws IOException, AttachFailed {
        Optional<HostRecord> host = host();
        if (host.isEmpty()) {
            requireSome(process.descriptors().keySet());
            throw new AttachFailed(Status.NO_PROFILER, "no profiler is attached to process " + process.pid());
        }
        return host.get();
    }

    /**
     * Throws if the process is ending. A JVM has descriptors and mappings until it ends, but the kernel shows none
     * shortly before it reports the end.
     */
    void requireSome(Collection<?> things) throws AttachFailed {
        if (things.isEmpty() && ProcessEnd.isNear(process)) {
            throw ProcessEnd.of(process);
        }
    }

    /**
     * Waits until no host's library is mapped, and then until the host's thread, which leaves the library last, has
     * ended.
     */
    void awaitNoHost(Deadline deadline, String waiting) throws IOException, AttachFailed {
        while (mapsHost()
                || process.threads().stream().anyMatch(thread -> thread.name().equals(THREAD))) {
            deadline.pause(POLL_MILLIS, waiting);
        }
    }

    /**
     * Returns true if a host's library is mapped. The library on the command line of a JVM that was started with a
     * profiler does not count: it remains mapped, wherever the user has put it.
     */
    private boolean mapsHost() throws IOException {
        for (Mapping mapping : process.mappings()) {
            if (mapping.path().contains("mayfly-") && HostLibraryFile.isMappedAs(process.asItSees(mapping.path()))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        process.close();
    }
}
