package mayfly.attach.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Deadline;
import mayfly.attach.channel.HostChannel;
import mayfly.attach.channel.HostRecord;
import mayfly.attach.channel.HostRecords;
import mayfly.attach.channel.ProcessEnd;
import mayfly.attach.listener.AskedJvm;
import mayfly.attach.listener.AttachListener;
import mayfly.attach.listener.HostLibraryFile;
import mayfly.attach.listener.JvmListener;
import mayfly.attach.listener.LibraryFile;
import mayfly.discovery.ProcessRuntimes;
import mayfly.discovery.Refusals;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
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
    public HostRecords hosts() throws IOException {
        return HostRecords.of(process);
    }

    @Override
    public boolean hasOneJvm() throws IOException {
        return ProcessRuntimes.of(process).libraries().size() == 1;
    }

    @Override
    public HostRecord host(Optional<RuntimeId.Choice> wanted) throws IOException, AttachFailed {
        HostRecords hosts = hosts();
        if (hosts.isEmpty()) {
            throw noHost("");
        }
        return wanted.isPresent() ? host(hosts, wanted.get()) : onlyOne(hosts);
    }

    private HostRecord onlyOne(HostRecords hosts) throws IOException, AttachFailed {
        if (hosts.known().size() + hosts.unknown().size() > 1) {
            String all = Stream.concat(
                            hosts.known().stream().map(host -> host.id().orElse("a JVM that is being attached to")),
                            hosts.unknown().stream().map(host -> "a JVM whose host cannot be read"))
                    .sorted()
                    .collect(Collectors.joining(" and "));
            throw new AttachFailed(new Refused(
                    Reason.AMBIGUOUS,
                    "profilers are attached to " + all + " of process " + pid() + ": --runtime chooses one",
                    ""));
        }
        return hosts.all().getFirst();
    }

    /** The id is in the record. The JVMs themselves are read only for a version, or while a profiler is on its way. */
    private HostRecord host(HostRecords hosts, RuntimeId.Choice wanted) throws IOException, AttachFailed {
        for (HostRecord host : hosts.known()) {
            if (host.id().equals(Optional.of(wanted.words()))) {
                return host;
            }
        }
        Optional<HostRecord> host = hosts.in(ChosenJvm.addressOf(process, wanted));
        if (host.isEmpty()) {
            throw noHost(wanted + " of ");
        }
        return host.get();
    }

    @Override
    public HostRecord hostIn(long library) throws IOException, AttachFailed {
        HostRecords hosts = hosts();
        Optional<HostRecord> host = hosts.in(library);
        if (host.isPresent()) {
            return host.get();
        }
        // A tool may have replaced the functions by which a host finds the library of its JVM.
        if (!hosts.isEmpty() && hasOneJvm()) {
            return onlyOne(hosts);
        }
        throw noHost("");
    }

    private AttachFailed noHost(String runtime) throws IOException, AttachFailed {
        requireSome(process.facts().descriptors().keySet());
        return new AttachFailed(
                Status.NO_PROFILER, "no profiler is attached to " + runtime + "process " + process.pid());
    }

    @Override
    public HostChannel channel(HostRecord host, Deadline deadline) throws IOException, AttachFailed {
        return HostChannel.open(process, host, deadline);
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
    public boolean hasSlowerVirtualThreads(ChosenJvm chosen) throws IOException {
        ProcessRuntimes all = ProcessRuntimes.read(process);
        return all.runtimes().stream()
                .filter(runtime -> runtime.libraryStart() == chosen.start())
                .anyMatch(all::hasSlowerVirtualThreads);
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
    public void awaitNoHost(long library, Deadline deadline, String waiting) throws IOException, AttachFailed {
        while (hasHostIn(library)) {
            deadline.pause(POLL_MILLIS, waiting);
        }
    }

    /**
     * Returns true if there is a library or a thread of a host that is not one of another JVM. Which ones belong to a
     * host whose record cannot be read is unknown, so as many are permitted as there are such hosts.
     */
    private boolean hasHostIn(long library) throws IOException {
        HostRecords hosts = hosts();
        List<HostRecord> others =
                hosts.known().stream().filter(host -> host.library() != library).toList();
        long unknown = hosts.unknown().stream()
                .filter(host -> host.library() != library)
                .count();
        List<Mapping> libraries = hostLibraries();
        Set<Long> files = libraries.stream()
                .filter(mapping -> others.stream().anyMatch(host -> host.code() == mapping.start()))
                .map(Mapping::inode)
                .collect(Collectors.toSet());
        return libraries.stream()
                                .map(Mapping::inode)
                                .filter(inode -> !files.contains(inode))
                                .distinct()
                                .count()
                        > unknown
                || process.threads().stream()
                                .filter(thread -> thread.name().equals(HostName.THREAD))
                                .filter(thread -> others.stream()
                                        .noneMatch(host -> host.thread()
                                                == process.threadFacts().innermostTid(thread.tid())))
                                .count()
                        > unknown;
    }

    /**
     * Returns the mappings of hosts' libraries. The library on the command line of a JVM that was started with a
     * profiler does not count: it remains mapped, wherever the user has put it.
     */
    private List<Mapping> hostLibraries() throws IOException {
        List<Mapping> found = new ArrayList<>();
        for (Mapping mapping : process.mappings()) {
            if (mapping.path().contains("mayfly-")
                    && HostLibraryFile.isMappedAs(process.facts().asItSees(mapping.path()))) {
                found.add(mapping);
            }
        }
        return found;
    }

    @Override
    public void close() {
        process.close();
    }
}
