package mayfly.attach;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import mayfly.api.Status;
import mayfly.attach.audit.RunningVm;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessUnavailable;
import mayfly.linux.sys.HeldPath;
import mayfly.process.Mapping;
import mayfly.profile.RuntimeId;

/** The process a profiler is for, held so that its id cannot come to mean another, and looked at before anything is done to it. */
final class TargetJvm implements AutoCloseable {
    /** What the kernel calls the host's last thread. */
    private static final String THREAD = "Mayfly host";
    private static final int POLL_MILLIS = 1;
    /** Asks for the attach listener, see {@link AttachListener}. */
    static final int SIGQUIT = 3;
    /** The first and the last Java that a host has been tried in. */
    static final int OLDEST = 17;
    static final int NEWEST = 26;
    private static final String LIBRARY = "/libjvm.so";
    /** What the kernel adds to the path of a file that has no name any more. */
    private static final String DELETED = " (deleted)";
    private static final String IN_HOME = "/lib/server/libjvm.so";
    /** Up to JDK 8 libraries were in a directory of the processor. */
    private static final String IN_JDK_8 = "/lib/amd64/server/libjvm.so";
    /** How long a process may take from closing its descriptors, which we see, to its end. */
    private static final int ENDING_MILLIS = 500;

    private final LiveProcess process;

    private TargetJvm(LiveProcess process) {
        this.process = process;
    }

    static TargetJvm open(int pid) throws AttachFailed {
        try {
            return new TargetJvm(LiveProcess.open(pid));
        } catch (ProcessUnavailable e) {
            throw new AttachFailed(switch (e.reason()) {
                case NOT_FOUND, NOT_A_PROCESS, KERNEL_THREAD, ZOMBIE -> Status.RUNTIME_NOT_LOADED;
                case NOT_PERMITTED, SYSTEM -> Status.ATTACH_REFUSED;
            }, String.valueOf(e.getMessage()));
        }
    }

    LiveProcess process() {
        return process;
    }

    /** Whether it has ended, or is just about to. */
    static boolean isEnding(LiveProcess process) {
        return process.isEnding(ENDING_MILLIS);
    }

    static AttachFailed ended(LiveProcess process) {
        return new AttachFailed(Status.FAILED, "process " + process.pid() + " has ended");
    }

    /** What an error means: that the process has ended, or what it says. */
    AttachFailed failed(Status otherwise, IOException e) {
        return isEnding(process) ? ended(process)
                : new AttachFailed(e instanceof HostChannel.HostGone ? Status.NO_PROFILER : otherwise,
                        "process " + process.pid() + ": " + e.getMessage());
    }

    /**
     * Turns a refusal into "has ended" if the process is ending. A refusal rests on the files of the process. While the kernel
     * takes a process down, its files are incomplete or gone, so a refusal then means that the process has ended.
     */
    AttachFailed failed(AttachFailed e) {
        boolean isRefusal = e.status() == Status.RUNTIME_NOT_LOADED || e.status() == Status.ATTACH_REFUSED;
        return isRefusal && process.isEnding(0) ? ended(process) : e;
    }

    /** Its host's record, if it has a host. */
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

    /** A JVM has descriptors and mappings until it ends; the kernel shows none then, for a moment before it says so. */
    void requireSome(Collection<?> things) throws AttachFailed {
        if (things.isEmpty() && isEnding(process)) {
            throw ended(process);
        }
    }

    /** Waits until no host's library is mapped, and then until the thread that left it last has ended. */
    void awaitNoHost(Deadline deadline, String waiting) throws IOException, AttachFailed {
        while (mapsHost()
                || process.threads().stream().anyMatch(thread -> thread.name().equals(THREAD))) {
            deadline.pause(POLL_MILLIS, waiting);
        }
    }

    /** The library that a JVM has started with stays for ever, wherever the user has put it. */
    private boolean mapsHost() throws IOException {
        for (Mapping mapping : process.mappings()) {
            if (mapping.path().contains("mayfly-") && HostLibraryFile.isMappedAs(process.asItSees(mapping.path()))) {
                return true;
            }
        }
        return false;
    }

    /**
     * The JVM that a profiler is for.
     *
     * @param feature its Java
     * @param id which of the JVMs of its process, for the life of the process
     * @param start where its libjvm begins, by which a host knows it among others
     * @param alone whether no other libjvm is mapped beside it
     */
    record Chosen(int feature, RuntimeId id, long start, boolean alone) {
    }

    /**
     * Fails unless a signal that asks for the attach listener will be understood: by a JVM that has started, that runs, and
     * that nobody holds.
     *
     * @param wanted which of several
     */
    Chosen requireStarted(Optional<RuntimeChoice> wanted) throws IOException, AttachFailed {
        List<Mapping> mappings = process.mappings();
        List<Mapping> libraries = mappings.stream().filter(m -> m.executable()
                && (m.path().endsWith(LIBRARY) || m.path().endsWith(LIBRARY + DELETED))).toList();
        if (libraries.isEmpty()) {
            throw new AttachFailed(Status.RUNTIME_NOT_LOADED, "process " + process.pid() + " is not a JVM");
        }
        requireTakesSignals(process);
        if (JvmCapabilities.refusesAttach(process)) {
            throw new AttachFailed(Status.ATTACH_REFUSED, "the JVM of process " + process.pid()
                    + " was started with -XX:+DisableAttachMechanism");
        }
        if (libraries.size() == 1 && wanted.filter(choice -> !choice.words().equals("r1")).isEmpty()) {
            Mapping library = libraries.getFirst();
            return new Chosen(requireVersion(library), new RuntimeId(1), startOf(library, mappings), true);
        }
        List<String> problems = new ArrayList<>();
        RunningVm chosen = choose(RunningVm.of(process, problems), problems, wanted);
        return new Chosen(requireVersion(chosen.library()), chosen.id(), chosen.start(), libraries.size() == 1);
    }

    /** Where the first mapping of the only file begins that a mapping is of. */
    private static long startOf(Mapping library, List<Mapping> mappings) {
        return mappings.stream().filter(m -> m.inode() == library.inode() && m.device().equals(library.device()))
                .mapToLong(Mapping::start).min().orElse(library.start());
    }

    static RunningVm choose(List<RunningVm> running, List<String> problems, Optional<RuntimeChoice> wanted) throws AttachFailed {
        if (running.isEmpty()) {
            throw new AttachFailed(Status.RUNTIME_NOT_LOADED, "the process has no JVM that runs: " + String.join("; ", problems));
        }
        List<RunningVm> fitting = running.stream().filter(vm -> wanted.isEmpty() || wanted.get().fits(vm)).toList();
        if (fitting.size() == 1) {
            return fitting.getFirst();
        }
        String all = "the process has " + running.stream().map(RunningVm::toString).collect(Collectors.joining(", "));
        throw wanted.isPresent() && fitting.isEmpty() ? new AttachFailed(Status.RUNTIME_NOT_LOADED, all + ", no " + wanted.get()
                + problems.stream().map(problem -> "; " + problem).collect(Collectors.joining()))
                : new AttachFailed(Status.ATTACH_REFUSED, all + ": --runtime chooses one");
    }

    /** Looked at once more just before the signal: it may have become another program, or have been stopped. */
    static void requireTakesSignals(LiveProcess process) throws IOException, AttachFailed {
        mayfly.linux.proc.ProcStatus status = process.status();
        if (!status.catches(SIGQUIT)) {
            throw new AttachFailed(Status.RUNTIME_NOT_LOADED, "the JVM of process " + process.pid()
                    + " has not started yet, or was started with -Xrs and takes no signal");
        }
        if (status.state() == 'T' || status.state() == 't') {
            throw new AttachFailed(Status.RUNTIME_SUSPENDED, "process " + process.pid()
                    + " is stopped: it would answer only when it goes on (SIGCONT)");
        }
    }

    /** The file {@code release} of its JDK says which it is. */
    private int requireVersion(Mapping library) throws IOException, AttachFailed {
        if (library.path().endsWith(DELETED)) {
            throw new AttachFailed(Status.ATTACH_REFUSED, "the JDK of process " + process.pid()
                    + " was replaced while it runs, so its version is not known");
        }
        if (library.path().endsWith(IN_JDK_8)) {
            throw new AttachFailed(Status.ATTACH_REFUSED, "JDK 8 is not supported (" + library.path()
                    + "): a profiler can be hosted by Java " + OLDEST + " to " + NEWEST);
        }
        if (!library.path().endsWith(IN_HOME)) {
            throw new AttachFailed(Status.ATTACH_REFUSED, library.path() + " is not where a JDK has it, so its version is not known");
        }
        String home = process.asItSees(library.path().substring(0, library.path().length() - IN_HOME.length()));
        Properties release = new Properties();
        try (HeldPath path = process.hold(home + "/release")) {
            if (path.isRegularFile()) {
                release.load(new StringReader(new String(path.bytes(1 << 16), StandardCharsets.UTF_8)));
            }
        } catch (NoSuchFileException | IllegalArgumentException e) {
            release.clear(); // without a version
        }
        String version = release.getProperty("JAVA_VERSION", "").replace("\"", "");
        int feature;
        try {
            feature = Integer.parseInt(version.split("[.+-]", 2)[0]);
        } catch (NumberFormatException e) {
            feature = 0;
        }
        if (feature < OLDEST || feature > NEWEST) {
            throw new AttachFailed(Status.ATTACH_REFUSED, "a profiler can be hosted by Java " + OLDEST + " to " + NEWEST + ", not by "
                    + (feature == 0 ? "an unknown version (" + home + "/release)" : "Java " + feature));
        }
        return feature;
    }

    @Override
    public void close() {
        process.close();
    }
}
