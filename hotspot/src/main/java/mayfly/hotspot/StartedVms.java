package mayfly.hotspot;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import mayfly.arch.Architecture;
import mayfly.hotspot.tables.UnsupportedVm.Reason;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.hotspot.tables.VmLayout;
import mayfly.hotspot.threads.ThreadList;
import mayfly.process.KernelThreadName;
import mayfly.process.KernelThreads;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.TargetThread;
import mayfly.profile.RuntimeId;
import mayfly.runtime.ModuleSymbols;
import org.jspecify.annotations.Nullable;

/**
 * The JVMs of one process and their ids. A JVM keeps its id for the life of the process, and every reader computes the
 * same id, because the ids are derived from the process each time: {@code r1} is the JVM that started first.
 *
 * <p>The start time of a JVM is the kernel's start time of its reference handler, the first thread that a JVM starts
 * for Java. That thread is the first of its name in the VM's list of threads. It outlives {@code DestroyJavaVM}, which
 * ends the VM and its VM Thread, so a destroyed JVM keeps its number. JVMs that started within the same tick of the
 * kernel's clock are ordered by address, the lower one first. A libjvm in which no JVM was started has no id. See
 * docs/decisions/0023-runtime-ids-follow-the-start-order-of-the-jvms.md.
 */
final class StartedVms {
    /** The kernel's names of the reference handler. */
    private static final Set<String> FIRST_THREAD = KernelThreadName.of("Reference Handler");
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
    private StartedVms() {
    }

    /**
     * A libjvm that is mapped into the process.
     *
     * @param start the start of its first mapping
     * @param symbols its symbols; null if they cannot be read
     */
    record Library(long start, @Nullable ModuleSymbols symbols) {
    }

    /**
     * The result of examining a libjvm.
     *
     * @param library the libjvm
     * @param vm its JVM; null if none was started in it, or if it cannot be read
     * @param problem the reason why {@code vm} is null; null if there is a VM, or if the library's symbols cannot be
     *         read
     * @param mayHaveStarted true if a JVM runs in it, ran in it, or cannot be ruled out
     */
    record Opened(Library library, @Nullable HotSpot vm, @Nullable UnsupportedVm problem,
                         boolean mayHaveStarted) {
    }

    /**
     * Opens the JVMs of a process.
     *
     * @param cpu the CPU that the process runs on
     * @param memory the process's memory; the caller discards its cached pages first
     * @param libraries the libjvms that are mapped
     * @param known JVMs that were opened before and are reused
     * @param numbered the number of runtimes of other kinds, whose ids precede those of the JVMs
     * @return the result for each library, in the order of {@code libraries}
     * @throws IOException if the process has ended, or its threads cannot be listed
     */
    static List<Opened> open(Architecture cpu, Memory memory, List<Library> libraries, List<HotSpot> known,
            KernelThreads threads, int numbered) throws IOException {
        List<Candidate> candidates = new ArrayList<>();
        for (Library library : libraries) {
            candidates.add(Candidate.of(memory, library, known, threads));
        }
        List<Candidate> started = new ArrayList<>(candidates.stream().filter(vm -> vm.startTicks != 0).toList());
        boolean others = addUnreadable(candidates, started, threads);
        started.sort(StartedVms::byStart);
        List<Opened> opened = new ArrayList<>();
        for (Candidate candidate : candidates) {
            opened.add(candidate.open(cpu, memory, numbered + started.indexOf(candidate) + 1, others));
        }
        return opened;
    }

    /** Compares by start time, then by address. */
    private static int byStart(Candidate a, Candidate b) {
        int byTime = Long.compare(a.startTicks, b.startTicks);
        return byTime != 0 ? byTime : Long.compareUnsigned(a.library.start(), b.library.start());
    }

    /**
     * Adds the JVMs in libraries that cannot be read, one for each reference handler that belongs to no other JVM. Adds
     * none if the process has only one library, because no other id depends on it.
     *
     * @return true if a library that cannot be read may contain a JVM
     */
    private static boolean addUnreadable(List<Candidate> candidates, List<Candidate> started, KernelThreads threads)
            throws IOException {
        List<Candidate> unreadable = candidates.stream().filter(Candidate::isUnreadable).toList();
        if (unreadable.isEmpty() || candidates.size() == 1) {
            return !unreadable.isEmpty();
        }
        Set<Integer> owned = new HashSet<>();
        started.forEach(vm -> owned.add(vm.firstThread));
        List<TargetThread> left = threads.threads().stream()
                .filter(thread -> FIRST_THREAD.contains(thread.name()) && !owned.contains(thread.tid())).toList();
        for (int i = 0; i < left.size(); i++) {
            // The assignment of handlers to these libraries is unknown. It does not affect the ids of the readable
            // JVMs.
            Candidate of = i < unreadable.size() ? unreadable.get(i) : new Candidate(unreadable.getFirst().library);
            of.startTicks = left.get(i).startTicks();
            started.add(of);
        }
        return !left.isEmpty();
    }

    /** A library during the numbering of the JVMs. */
    private static final class Candidate {
        private final Library library;
        private @Nullable VmLayout layout;
        private @Nullable HotSpot known;
        private @Nullable UnsupportedVm problem;
        /** The start time in ticks; 0 until a JVM is known to have been started in this library. */
        private long startTicks;
        private int firstThread;

        Candidate(Library library) {
            this.library = library;
        }

        static Candidate of(Memory memory, Library library, List<HotSpot> known, KernelThreads threads)
                throws IOException {
            Candidate candidate = new Candidate(library);
            ModuleSymbols symbols = library.symbols();
            for (HotSpot vm : known) {
                candidate.known = vm.libraryStart() == library.start() ? vm : candidate.known;
            }
            HotSpot vm = candidate.known;
            try {
                VmLayout layout;
                if (vm != null) {
                    layout = vm.layout();
                } else if (symbols != null) {
                    layout = VmLayout.of(memory, symbols);
                } else {
                    return candidate;
                }
                candidate.layout = layout;
                candidate.findFirstThread(new ThreadList(memory, layout), threads);
            } catch (UnsupportedVm e) {
                candidate.problem = e;
            } catch (MemoryFault e) {
                candidate.problem = new UnsupportedVm(Reason.INCONSISTENT,
                        "the VM's list of threads is unreadable: " + e.getMessage());
            }
            return candidate;
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
                if (thread != null && FIRST_THREAD.contains(thread.name())
                        && thread.startTicks() < threads.nowTicks()) {
                    startTicks = thread.startTicks();
                    firstThread = thread.tid();
                    return;
                }
            }
        }

        /** Returns true if the library has no known JVM, and its memory does not rule out that it contains one. */
        boolean isUnreadable() {
            return startTicks == 0 && mayBeAJvm();
        }

        private boolean mayBeAJvm() {
            UnsupportedVm why = problem;
            return why == null || why.reason() != Reason.STARTING;
        }

        Opened open(Architecture cpu, Memory memory, int number, boolean others) {
            HotSpot vm = known;
            ModuleSymbols symbols = library.symbols();
            VmLayout read = layout;
            if (vm != null || problem != null || symbols == null || read == null) {
                return new Opened(library, vm, vm != null ? null : problem, vm != null || others && mayBeAJvm());
            }
            try {
                vm = HotSpot.open(new RuntimeId(number), SiteDecoders.of(cpu), memory, symbols, read,
                        library.start());
                return new Opened(library, vm, null, true);
            } catch (UnsupportedVm e) {
                return new Opened(library, null, e, true);
            }
        }
    }
}
