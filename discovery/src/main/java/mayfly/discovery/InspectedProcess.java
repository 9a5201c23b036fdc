package mayfly.discovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessImage;
import mayfly.linux.ReplacedProgram;
import mayfly.process.KernelThreads;
import mayfly.process.Mapping;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.RuntimeProblem;
import mayfly.unwind.NativeCode;
import mayfly.unwind.NativeModule;
import mayfly.unwind.Walker;
import org.jspecify.annotations.Nullable;

/** A live process with all data needed to walk its stacks. Confined to one thread. */
public final class InspectedProcess implements AutoCloseable {
    /** Upper bound on the time that a newly started JVM may take to create its first Java thread. */
    private static final long STARTING_NANOS = 2_000_000_000L;

    private static final int STARTING_POLL_MILLIS = 20;
    /** Upper bound on the time between the loss of a process's memory and the moment when its last thread exits. */
    private static final int DYING_MILLIS = 1000;
    /** Upper bound on the number of former programs whose functions get names: chains of scripts are short. */
    private static final int MAX_FORMER = 16;

    private final LiveProcess process;
    private final ProcessRuntimes all;
    private final NativeCode code;
    /** The program image in which the runtimes were found. */
    private @Nullable ProcessImage image;
    /** The program image that was opened before the runtimes are searched for. */
    private @Nullable ProcessImage unread;

    private Walker walker;
    /** The program before the last execve(2), while samples of it are waiting. */
    private @Nullable FormerProgram former;
    /** The time of the last execve(2) that {@link #followExec(long)} was given. */
    private long programSince = Long.MIN_VALUE;
    /** Code of the former programs, for the names of their functions. */
    private final List<NativeCode> formerCode = new ArrayList<>();
    /** The reason why the last runtime inspected cannot be read. */
    private @Nullable RuntimeProblem problem;

    private boolean mayBeDying = true;
    /** True if the process called execve(2) during the inspection. */
    private boolean replacedMeanwhile;

    private InspectedProcess(LiveProcess process, @Nullable ProcessImage unread) throws IOException {
        this.process = process;
        this.unread = unread;
        this.all = ProcessRuntimes.of(process);
        this.code = all.code();
        this.walker = newWalker();
    }

    private Walker newWalker() {
        return new Walker(all.memory(), process.memory(), code, all.runtimes());
    }

    /**
     * Opens a process and finds its runtimes. A process without a readable runtime is opened too.
     *
     * @throws Refused if there is no such process, or it may not be read
     */
    public static InspectedProcess open(int pid) throws Refused {
        return open(pid, false);
    }

    /**
     * Opens a process for a list. A process that the user has not named must not block the list: see
     * {@link LiveProcess#boundReads}.
     */
    static InspectedProcess openForList(int pid) throws Refused {
        return open(pid, true);
    }

    private static InspectedProcess open(int pid, boolean forList) throws Refused {
        InspectedProcess target = openUnread(pid, forList);
        try {
            target.findRuntimes();
            return target;
        } catch (Refused e) {
            target.close();
            throw e;
        }
    }

    /**
     * Opens a process whose runtimes are found by {@link #findRuntimes()}.
     *
     * @throws Refused if there is no such process, or it may not be read
     */
    public static InspectedProcess openUnread(int pid) throws Refused {
        return openUnread(pid, false);
    }

    private static InspectedProcess openUnread(int pid, boolean forList) throws Refused {
        LiveProcess process = Refusals.open(pid);
        try {
            Refusals.requireReadable(pid);
            if (forList) {
                process.boundReads();
            }
            // Opened before anything is read: the data read is of this image, or the image is found to be replaced.
            ProcessImage image = openImage(process);
            try {
                return new InspectedProcess(process, image);
            } catch (IOException e) {
                close(image);
                throw e;
            }
        } catch (IOException e) {
            Refused refused = Refusals.unreadable(process, e);
            process.close();
            throw refused;
        } catch (Refused e) {
            process.close();
            throw e;
        }
    }

    /**
     * Finds the runtimes of a process that was opened without them.
     *
     * @throws Refused if it may not be read
     */
    public void findRuntimes() throws Refused {
        ProcessImage opened = unread;
        unread = null;
        try {
            findRuntimes(opened);
        } catch (IOException e) {
            close(opened);
            throw Refusals.unreadable(process, e);
        }
    }

    /**
     * Looks for runtimes in an image that was opened before the maps were read. Returns true if there are more than
     * before.
     */
    private boolean findRuntimes(@Nullable ProcessImage now) throws IOException {
        boolean more = readRuntimes();
        replacedMeanwhile = now != null && (isTorn() ? isTornByExec(now) : now.isReplaced());
        ProcessImage unused = more ? image : now;
        if (more) {
            image = now;
        }
        close(unused);
        return more;
    }

    private boolean isTorn() {
        RuntimeProblem found = problem;
        return found != null && found.reason() == RuntimeProblem.Reason.INCONSISTENT;
    }

    private boolean isTornByExec(ProcessImage now) throws IOException {
        List<Mapping> mappings = process.mappings();
        // A process that is ending has no mappings at all.
        return !mappings.isEmpty() && isLibraryGone(mappings) || now.isReplaced();
    }

    /**
     * Returns true if the library of a runtime is not mapped any more: the process is ending or calling execve(2). An
     * execve by a thread other than the first one ends the first thread, from when on the process has no mappings. It
     * installs the new mappings later, and then frees the old address space. Each step takes longer if the process
     * waits for a CPU. Until the last one, {@link #isReplaced()} may return false. Reads all mappings.
     *
     * @throws IOException if the mappings cannot be read
     */
    public boolean isLibraryGone() throws IOException {
        return isLibraryGone(process.mappings());
    }

    private boolean isLibraryGone(List<Mapping> mappings) {
        return all.libraries().stream()
                .anyMatch(library -> mappings.stream().noneMatch(mapping -> mapping.start() == library.start()));
    }

    private static void close(@Nullable ProcessImage image) {
        if (image != null) {
            image.close();
        }
    }

    private static @Nullable ProcessImage openImage(LiveProcess process) {
        try {
            return process.image();
        } catch (IOException e) {
            return null; // the memory cannot be read either; the attempt to read it reports the reason
        }
    }

    private boolean readRuntimes() throws IOException {
        boolean more = all.open(threads());
        problem = null;
        for (FoundRuntime found : all.found()) {
            RuntimeProblem its = found.problem();
            // A library without symbols gives less information than one that was read.
            if (its != null && (problem == null || its.reason() != RuntimeProblem.Reason.NO_SYMBOLS)) {
                problem = its;
            }
        }
        if (more) {
            walker = newWalker();
        }
        return more;
    }

    private KernelThreads threads() {
        return process.isHeld() && !process.life().isAlive() && all.libraries().size() == 1
                ? new EndedThreads()
                : process;
    }

    /**
     * Looks for runtimes in files mapped since the last look, for a target that was sampled before it had a runtime.
     * Returns true if there are more than before.
     */
    public boolean lookAgain() {
        ProcessImage now = openImage(process);
        try {
            code.refresh();
            return findRuntimes(now);
        } catch (IOException e) {
            close(now);
            return false; // the target is exiting, which the next access detects
        }
    }

    /**
     * Throws an exception with the reason if the target has no readable runtime.
     *
     * @throws Refused if no runtime of the target can be read
     */
    public void requireRuntime() throws Refused {
        if (runtimes().isEmpty()) {
            throw replacedMeanwhile ? Refusals.replaced(process) : Refusals.noRuntime(process, problem);
        }
    }

    /**
     * Returns true if the process has called execve(2) since its runtimes were found. An earlier execve is normal: a
     * launcher becomes a JVM by it.
     */
    public boolean isReplaced() {
        ProcessImage of = image;
        return of != null && of.isReplaced();
    }

    /**
     * Returns the version of the runtime that cannot be read, empty if there is none or its version cannot be read
     * either.
     */
    String unreadableVersion() {
        RuntimeProblem found = problem;
        return found == null ? "" : found.version();
    }

    /** Returns true if the library of a runtime is mapped, but no runtime in it has been opened so far. */
    public boolean hasUnknownLibrary() {
        return all.libraries().stream().anyMatch(module -> !isKnown(module));
    }

    private boolean isKnown(NativeModule module) {
        return runtimes().stream().anyMatch(runtime -> runtime.isLibrary(module.path(), module.start()));
    }

    /** Returns true if the process has not exited. Its id then still belongs to it. */
    public boolean isAlive() {
        return process.life().isAlive();
    }

    /** Waits until the process exits; returns false if it has neither exited nor begun to exit within the time. */
    public boolean isEnding(int millis) {
        return process.life().isEnding(millis);
    }

    /**
     * Returns true if the process has ended, or all its threads are exiting, and none of its data can be read any more.
     * A process releases its memory before it ends, and the release of much memory takes seconds. A process whose first
     * thread has ended has no readable memory either, and continues to run. Threads may begin to exit one after the
     * other, so this method waits for the end, for at most one second, but only once.
     */
    public boolean isEnded() {
        if (!process.isMemoryGone()) {
            return false;
        }
        if (mayBeDying && process.life().isAlive() && !process.life().isExiting()) {
            mayBeDying =
                    process.life().awaitExit(DYING_MILLIS) || process.life().isExiting();
        }
        return mayBeDying || !process.life().isAlive();
    }

    /** Waits, for at most two seconds, while the only JVM of the process is starting. */
    public void awaitStart() {
        long deadline = System.nanoTime() + STARTING_NANOS;
        while (runtimes().isEmpty() && isStarting() && System.nanoTime() < deadline) {
            if (!process.life().awaitExit(STARTING_POLL_MILLIS)) {
                newEpoch(System.nanoTime());
                lookAgain();
            }
        }
    }

    public boolean isStarting() {
        return problem != null && problem.reason() == RuntimeProblem.Reason.STARTING;
    }

    /**
     * Detects an execve(2) of a target that was started by Mayfly and whose memory is held. The former program is
     * retained until its samples have been drained.
     */
    public void followExec() {
        ReplacedProgram before = process.followExec();
        if (before == null) {
            return;
        }
        forgetFormer();
        if (!runtimes().isEmpty()) {
            before.close(); // the runtimes' cached data describes the current memory
            return;
        }
        try {
            FormerProgram program = new FormerProgram(before);
            former = program;
            if (formerCode.size() < MAX_FORMER) {
                formerCode.add(program.code());
            }
        } catch (IOException e) {
            before.close(); // its samples are walked with current data, and report the replacement
        }
    }

    /**
     * Records the time of the last execve(2), and follows it as {@link #followExec()} does if it is a new one.
     *
     * @param time CLOCK_MONOTONIC, ns; {@link Long#MIN_VALUE} if there was none
     * @return true if it is a new one
     */
    public boolean followExec(long time) {
        boolean isNew = time > programSince;
        if (isNew) {
            programSince = time;
            followExec();
        }
        return isNew;
    }

    /**
     * Returns true if a sample belongs to the program before the last execve(2): it is earlier, or its address is in
     * code of that program and not in code of the current one. During an execve the registers are still those of the
     * call.
     *
     * @param time CLOCK_MONOTONIC, ns
     */
    public boolean isOfFormer(long time, long pc) {
        return time < programSince || former != null && former.code().isCode(pc) && !code.isCode(pc);
    }

    /** Records the end of a drain, and closes the former program if all of its samples have been delivered. */
    public void drained() {
        if (former != null && former.isDrained()) {
            forgetFormer();
        }
    }

    private void forgetFormer() {
        if (former != null) {
            former.close();
            former = null;
        }
    }

    /** Returns the code of the former programs, latest last. */
    public List<NativeCode> formerCode() {
        return formerCode;
    }

    /**
     * Discards the cached data on the target, so that its current state is read.
     *
     * @param nowNanos CLOCK_MONOTONIC, ns
     */
    public void newEpoch(long nowNanos) {
        all.forgetMemory();
        walker.newEpoch(nowNanos);
    }

    /** Discards the cached memory of the target only, so that later reads return its current contents. */
    public void forgetMemory() {
        all.forgetMemory();
    }

    /** Returns the number of times so far that a walk detected that generated code had been freed or replaced. */
    public long supersededCode() {
        return runtimes().stream().mapToLong(ManagedRuntime::supersededCode).sum();
    }

    /** Returns the current command line and main class. */
    public CommandLine commandLine() {
        return CommandLine.of(process, runtimes());
    }

    public LiveProcess process() {
        return process;
    }

    public NativeCode code() {
        return code;
    }

    /** Returns the readable runtimes found, by their ids. */
    public List<ManagedRuntime> runtimes() {
        return all.runtimes();
    }

    /** Returns the walker for the current program. */
    public Walker walker() {
        return walker;
    }

    /**
     * Returns the walker for a time: that of the program before the last execve(2), if the time is earlier and that
     * program is known, or else that of the current program.
     *
     * @param time CLOCK_MONOTONIC, ns
     */
    public Walker walkerAt(long time) {
        return time < programSince && former != null ? former.walker() : walker;
    }

    /**
     * Returns the build id of a library in hexadecimal, empty if the library has none or cannot be read.
     *
     * @param library the name that frames give it
     */
    public String buildId(String library) {
        return Stream.concat(Stream.of(code), formerCode.stream())
                .flatMap(each -> each.modules().stream())
                .filter(module -> module.library().equals(library))
                .map(NativeModule::buildId)
                .findFirst()
                .orElse("");
    }

    @Override
    public void close() {
        close(unread);
        close(image);
        forgetFormer();
        process.close();
    }
}
