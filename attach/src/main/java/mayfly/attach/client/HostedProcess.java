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
import mayfly.attach.listener.AskedJvm;
import mayfly.attach.listener.AttachListener;
import mayfly.attach.listener.HostLibraryFile;
import mayfly.attach.listener.JvmListener;
import mayfly.attach.listener.LibraryFile;
import mayfly.discovery.Refusals;
import mayfly.discovery.Refused;
import mayfly.linux.LiveProcess;
import mayfly.process.Mapping;
import mayfly.profile.RuntimeId;
import mayfly.wire.HostName;

/** The live process of a request. It is held, so that its id cannot be reused. */
final class HostedProcess implements AttachTarget {
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

    @Override
    public int pid() {
        return process.pid();
    }

    @Override
    public AttachFailed failed(Status otherwise, IOException e) {
        if (ProcessEnd.isNear(process.life())) {
            return ProcessEnd.of(process);
        }
        return new AttachFailed(
                e instanceof HostChannel.HostGone ? Status.NO_PROFILER : otherwise,
                "process " + process.pid() + ": " + e.getMessage());
    }

    @Override
    public AttachFailed failed(AttachFailed e) {
        boolean isRefusal = e.status() == Status.RUNTIME_NOT_LOADED || e.status() == Status.ATTACH_REFUSED;
        return isRefusal && process.life().isEnding(0) ? ProcessEnd.of(process) : e;
    }

    @Override
    public Optional<HostRecord> host() throws IOException {
        return HostRecord.of(process);
    }

    @Override
    public HostChannel channel(Deadline deadline) throws IOException, AttachFailed {
        return HostChannel.open(process, requireHost(), deadline);
    }

    private HostRecord requireHost() throws IOException, AttachFailed {
        Optional<HostRecord> host = host();
        if (host.isEmpty()) {
            requireSome(process.facts().descriptors().keySet());
            throw new AttachFailed(Status.NO_PROFILER, "no profiler is attached to process " + process.pid());
        }
        return host.get();
    }

    /**
     * Throws if the process is ending. A JVM has descriptors and mappings until it ends, but the kernel shows none
     * shortly before it reports the end.
     */
    private void requireSome(Collection<?> things) throws AttachFailed {
        if (things.isEmpty() && ProcessEnd.isNear(process.life())) {
            throw ProcessEnd.of(process);
        }
    }

    @Override
    public ChosenJvm choose(Optional<RuntimeId.Choice> wanted) throws IOException, AttachFailed {
        return ChosenJvm.of(process, wanted);
    }

    @Override
    public JvmListener listener() throws IOException, AttachFailed {
        return AttachListener.of(AskedJvm.of(process));
    }

    @Override
    public LibraryFile library(Deadline deadline) throws IOException, AttachFailed {
        return HostLibraryFile.of(HostFiles.library(), AskedJvm.of(process), deadline);
    }

    @Override
    public byte[] encoded(Optional<LogEntry> entry) {
        return LogEntry.of(entry, process);
    }

    @Override
    public void awaitNoHost(Deadline deadline, String waiting) throws IOException, AttachFailed {
        while (mapsHost()
                || process.threads().stream().anyMatch(thread -> thread.name().equals(HostName.THREAD))) {
            deadline.pause(POLL_MILLIS, waiting);
        }
    }

    /**
     * Returns true if a host's library is mapped. The library on the command line of a JVM that was started with a
     * profiler does not count: it remains mapped, wherever the user has put it.
     */
    private boolean mapsHost() throws IOException {
        for (Mapping mapping : process.mappings()) {
            if (mapping.path().contains("mayfly-")
                    && HostLibraryFile.isMappedAs(process.facts().asItSees(mapping.path()))) {
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
