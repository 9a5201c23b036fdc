package mayfly.hotspot;

import java.io.IOException;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.hotspot.tables.UnsupportedVm.Reason;
import mayfly.hotspot.tables.VmLayout;
import mayfly.hotspot.threads.ThreadList;
import mayfly.process.KernelThreads;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.TargetThread;
import mayfly.profile.RuntimeId;
import mayfly.runtime.ExaminedLibrary;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.RuntimeModule;
import mayfly.runtime.RuntimeProblem;
import mayfly.runtime.RuntimeStart;
import org.jspecify.annotations.Nullable;

/** A libjvm and the start of the JVM in it. */
final class ExaminedVm implements ExaminedLibrary {
    /**
     * Upper bound on the threads searched for the reference handler. Only the thread that created the VM joins the list
     * earlier; more than one has never been observed.
     */
    private static final int FIRST_THREADS = 64;
    /**
     * Upper bound on the attempts to read a list. While threads start and end, the VM may free the list that is being
     * read.
     */
    private static final int MAX_READINGS = 5;

    private final Architecture cpu;
    private final Memory memory;
    private final RuntimeModule library;
    private @Nullable VmLayout layout;
    private @Nullable HotSpot known;
    private @Nullable UnsupportedVm problem;
    /** The start time in ticks; 0 until a JVM is known to have been started in this library. */
    private long startTicks;

    private int firstThread;
    private boolean mayHaveStarted;

    private ExaminedVm(Architecture cpu, Memory memory, RuntimeModule library) {
        this.cpu = cpu;
        this.memory = memory;
        this.library = library;
    }

    /** @throws IOException if the process has ended, or its threads cannot be listed */
    static ExaminedVm of(
            Architecture cpu, Memory memory, RuntimeModule library, List<HotSpot> known, KernelThreads threads)
            throws IOException {
        ExaminedVm examined = new ExaminedVm(cpu, memory, library);
        ModuleSymbols symbols = library.symbols();
        for (HotSpot vm : known) {
            examined.known = vm.libraryStart() == library.start() ? vm : examined.known;
        }
        HotSpot vm = examined.known;
        try {
            VmLayout layout;
            if (vm != null) {
                layout = vm.layout();
            } else if (symbols != null) {
                layout = VmLayout.of(memory, symbols);
            } else {
                return examined;
            }
            examined.layout = layout;
            examined.findFirstThread(new ThreadList(memory, layout), threads);
        } catch (UnsupportedVm e) {
            examined.problem = e;
        } catch (MemoryFault e) {
            examined.problem =
                    new UnsupportedVm(Reason.INCONSISTENT, "the VM's list of threads is unreadable: " + e.getMessage());
        }
        return examined;
    }

    private void findFirstThread(ThreadList list, KernelThreads threads)
            throws MemoryFault, IOException, UnsupportedVm {
        list.requireStarted();
        for (int i = 0; i < MAX_READINGS && startTicks == 0; i++) {
            lookForFirstThread(list, threads);
        }
        if (startTicks == 0) {
            throw new UnsupportedVm(Reason.STARTING, "the JVM is still starting");
        }
    }

    private void lookForFirstThread(ThreadList list, KernelThreads threads) throws MemoryFault, IOException {
        for (int tid : list.tidsByAge().stream().limit(FIRST_THREADS).toList()) {
            TargetThread thread = threads.threadByInnermostTid(tid);
            // Another JVM may still start within the same tick, and precede this one by its address.
            if (thread != null
                    && StartedVms.FIRST_THREAD.contains(thread.name())
                    && thread.startTicks() < threads.nowTicks()) {
                startTicks = thread.startTicks();
                firstThread = thread.tid();
                return;
            }
        }
    }

    /** Returns the id of the reference handler in the kernel; 0 if it was not found. */
    int firstThread() {
        return firstThread;
    }

    /** Returns true if the library has no known JVM, and its memory does not rule out that it contains one. */
    boolean isUnreadable() {
        UnsupportedVm why = problem;
        return startTicks == 0 && (why == null || why.reason() != Reason.STARTING);
    }

    /** Sets the start of a JVM that cannot be read. */
    void startedAt(long ticks) {
        startTicks = ticks;
    }

    RuntimeStart startAt(long ticks) {
        return new RuntimeStart(ticks, library.start());
    }

    /** Records that this library, which cannot be read, may contain a JVM. */
    void mayHaveStarted() {
        mayHaveStarted = true;
    }

    @Override
    public @Nullable RuntimeStart start() {
        return startTicks == 0 ? null : startAt(startTicks);
    }

    @Override
    public FoundRuntime open(@Nullable RuntimeId id) {
        HotSpot vm = known;
        if (vm != null) {
            return new FoundRuntime(library, HotSpotLoader.KIND, vm, null, true);
        }
        ModuleSymbols symbols = library.symbols();
        VmLayout read = layout;
        if (problem != null || symbols == null || read == null || id == null) {
            return refused(problem, mayHaveStarted);
        }
        try {
            vm = HotSpot.open(id, SiteDecoders.of(cpu), memory, symbols, read, library.start());
            return new FoundRuntime(library, HotSpotLoader.KIND, vm, null, true);
        } catch (UnsupportedVm e) {
            return refused(e, true);
        }
    }

    private FoundRuntime refused(@Nullable UnsupportedVm why, boolean started) {
        return new FoundRuntime(
                library,
                HotSpotLoader.KIND,
                null,
                why == null
                        ? new RuntimeProblem(
                                RuntimeProblem.Reason.NO_SYMBOLS,
                                "the symbols of " + library.path() + " cannot be read: " + library.problem(),
                                "")
                        : new RuntimeProblem(reason(why.reason()), String.valueOf(why.getMessage()), why.version()),
                started);
    }

    private static RuntimeProblem.Reason reason(Reason why) {
        return switch (why) {
            case NOT_HOTSPOT -> RuntimeProblem.Reason.OTHER_RUNTIME;
            case STARTING -> RuntimeProblem.Reason.STARTING;
            case TOO_OLD -> RuntimeProblem.Reason.TOO_OLD;
            case OTHER_CPU -> RuntimeProblem.Reason.OTHER_CPU;
            case INCONSISTENT -> RuntimeProblem.Reason.INCONSISTENT;
        };
    }
}
