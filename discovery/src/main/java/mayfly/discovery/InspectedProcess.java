package mayfly.discovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessImage;
import mayfly.linux.ReplacedProgram;
import mayfly.process.KernelThreads;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.RuntimeProblem;
import mayfly.unwind.NativeCode;
import mayfly.unwind.NativeModule;
import mayfly.unwind.Walker;
import org.jspecify.annotations.Nullable;

/** A live process with everything needed to walk its stacks. Belongs to one thread. */
public final class InspectedProcess implements AutoCloseable {
    /** How long a JVM that has just been started may take to create its first Java thread. */
    private static final long STARTING_NANOS = 2_000_000_000L;
    private static final int STARTING_POLL_MILLIS = 20;
    private static final int REPLACED_MILLIS = 20;
    /** As long as a process may take between giving up its memory and its end. */
    private static final int DYING_MILLIS = 1000;
    /** Programs before this one whose functions get names: a chain of scripts is short. */
    private static final int MAX_FORMER = 16;

    private final LiveProcess process;
    private final ProcessRuntimes all;
    private final NativeCode code;
    /** What the runtimes were found in. */
    private @Nullable ProcessImage image;
    private Walker walker;
    /** While samples of it wait: the program before the last execve(2). */
    private @Nullable FormerProgram former;
    private boolean atFormer;
    /** Code of programs before, for the names of their functions. */
    private final List<NativeCode> formerCode = new ArrayList<>();
    /** Why the last runtime that was looked at cannot be read. */
    private @Nullable RuntimeProblem problem;
    private boolean mayBeDying = true;
    /** Whether it became another program while that was looked at. */
    private boolean replacedMeanwhile;

    private InspectedProcess(LiveProcess process) throws IOException {
        this.process = process;
        this.all = ProcessRuntimes.of(process);
        this.code = all.code();
        this.walker = newWalker();
    }

    private Walker newWalker() {
        return new Walker(all.memory(), process.memory(), code, all.runtimes());
    }

    public static InspectedProcess open(int pid) throws SessionRefused {
        return open(pid, false);
    }

    /** The same for a list, which a process that was not asked for must not keep: see {@link LiveProcess#boundLooks}. */
    static InspectedProcess openForList(int pid) throws SessionRefused {
        return open(pid, true);
    }

    private static InspectedProcess open(int pid, boolean forList) throws SessionRefused {
        LiveProcess process = Refusals.open(pid);
        try {
            Refusals.requireReadable(pid);
            if (forList) {
                process.boundLooks();
            }
            // Opened before anything is read: that is either of this image, or the image is seen to be replaced.
            ProcessImage image = openImage(process);
            try {
                InspectedProcess target = new InspectedProcess(process);
                target.findRuntimes(image);
                return target;
            } catch (IOException e) {
                close(image);
                throw e;
            }
        } catch (IOException e) {
            SessionRefused refused = Refusals.unreadable(process, e);
            process.close();
            throw refused;
        } catch (SessionRefused e) {
            process.close();
            throw e;
        }
    }

    /** Looks for runtimes in an image that was opened before the maps were read. Returns whether there are more. */
    private boolean findRuntimes(@Nullable ProcessImage now) throws IOException {
        boolean more = readRuntimes();
        replacedMeanwhile = now != null && (isTorn() ? isReplacedSoon(now) : now.isReplaced());
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

    /** An execve takes the old address space away before it is given up, which is how we know. */
    private boolean isReplacedSoon(ProcessImage now) {
        for (int i = 0; i < REPLACED_MILLIS && !now.isReplaced(); i++) {
            if (process.awaitExit(1)) {
                return false;
            }
        }
        return now.isReplaced();
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
            return null; // then its memory cannot be read either, which is told where it is tried
        }
    }

    private boolean readRuntimes() throws IOException {
        boolean more = all.open(threads());
        problem = null;
        for (FoundRuntime found : all.found()) {
            RuntimeProblem its = found.problem();
            // A library without symbols says less than one that was read.
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
        return process.isHeld() && !process.isAlive() && all.libraries().size() == 1 ? new EndedThreads() : process;
    }

    /**
     * Looks for runtimes in what has been mapped since, for a target that was sampled before it had one. Returns
     * whether there are more than before.
     */
    public boolean lookAgain() {
        ProcessImage now = openImage(process);
        try {
            code.refresh();
            return findRuntimes(now);
        } catch (IOException e) {
            close(now);
            return false; // the target is going away; what comes next will see that
        }
    }

    /** Refuses, with the reason, a target that has no runtime that can be read. */
    public void requireRuntime() throws SessionRefused {
        if (runtimes().isEmpty()) {
            throw replacedMeanwhile ? Refusals.replaced(process) : Refusals.noRuntime(process, problem);
        }
    }

    /**
     * Whether the process has become another program by execve(2) since its runtimes were found. Before, that is how a
     * launcher becomes a JVM.
     */
    public boolean isReplaced() {
        ProcessImage of = image;
        return of != null && of.isReplaced();
    }

    /** The version of the runtime that cannot be read, empty if there is none or its version cannot be read either. */
    String unreadableVersion() {
        RuntimeProblem found = problem;
        return found == null ? "" : found.version();
    }

    /** Whether the library of a runtime is mapped that could not be opened so far. */
    public boolean hasUnknownLibrary() {
        return all.libraries().stream().anyMatch(module -> !isKnown(module));
    }

    private boolean isKnown(NativeModule module) {
        return runtimes().stream().anyMatch(runtime -> runtime.isLibrary(module.path(), module.start()));
    }

    /**
     * Whether it has ended and nothing of it can be read any more. A process gives its memory back before it has ended, so its
     * end is awaited: once, because a process whose first thread has ended has none to read either, and runs on.
     */
    public boolean isEnded() {
        if (!process.isMemoryGone()) {
            return false;
        }
        if (process.isAlive() && mayBeDying) {
            mayBeDying = process.awaitExit(DYING_MILLIS);
        }
        return !process.isAlive();
    }

    /** Waits, for at most two seconds, while the only JVM of the process is starting. */
    public void awaitStart() {
        long deadline = System.nanoTime() + STARTING_NANOS;
        while (runtimes().isEmpty() && isStarting() && System.nanoTime() < deadline) {
            if (!process.awaitExit(STARTING_POLL_MILLIS)) {
                newEpoch(System.nanoTime());
                lookAgain();
            }
        }
    }

    public boolean isStarting() {
        return problem != null && problem.reason() == RuntimeProblem.Reason.STARTING;
    }

    /**
     * Looks for an execve(2) of a target that we have started, and whose memory is held. The program before is kept until its
     * samples have been drained.
     */
    public void followExec() {
        ReplacedProgram before = process.followExec();
        if (before == null) {
            return;
        }
        forgetFormer();
        if (!runtimes().isEmpty()) {
            before.close(); // what a runtime has read is of the memory that the process has
            return;
        }
        try {
            FormerProgram program = new FormerProgram(before);
            former = program;
            if (formerCode.size() < MAX_FORMER) {
                formerCode.add(program.code());
            }
        } catch (IOException e) {
            before.close(); // its samples are walked with what the process has now, and say that it was replaced
        }
    }

    /** Makes {@link #walker} that of the program before the last execve(2), if it is known, or that of the present one. */
    public void turnToFormer(boolean to) {
        atFormer = to;
    }

    /** Returns true if an address is code of the program before the last execve(2), and not of the present one. */
    public boolean isOfFormer(long pc) {
        return former != null && former.code().isCode(pc) && !code.isCode(pc);
    }

    /** Notes that a drain has ended, and closes the program before if all of its samples have been handed over. */
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

    /** Code of the programs before this one, latest last. */
    public List<NativeCode> formerCode() {
        return formerCode;
    }

    /** Forgets what was read of the target, so that it is seen as it is now. */
    public void newEpoch(long nowNanos) {
        all.forgetMemory();
        walker.newEpoch(nowNanos);
    }

    /** Forgets the target's memory only: what is asked next is as it is now. */
    public void forgetMemory() {
        all.forgetMemory();
    }

    /** Pieces of generated code that were freed or replaced so far. */
    public long supersededCode() {
        return runtimes().stream().mapToLong(ManagedRuntime::supersededCode).sum();
    }

    /** Its command line and main class, as they are now. */
    public CommandLine commandLine() {
        return CommandLine.of(process, runtimes());
    }

    public LiveProcess process() {
        return process;
    }

    public NativeCode code() {
        return code;
    }

    /** Those that were found and can be read, by their ids. */
    public List<ManagedRuntime> runtimes() {
        return all.runtimes();
    }

    public Walker walker() {
        return atFormer && former != null ? former.walker() : walker;
    }

    @Override
    public void close() {
        close(image);
        forgetFormer();
        process.close();
    }
}
