package mayfly.hotspot;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
 * The JVMs of one process and their ids. A JVM keeps its id for the life of the process, and every reader finds the same
 * one, because it is read from the process each time: {@code r1} is the JVM that started first.
 *
 * <p>The time at which a JVM started is the kernel's for its reference handler: the first thread that a JVM starts for
 * Java. It is the first of its name in the VM's list of threads, and it stays when {@code DestroyJavaVM} has ended the VM
 * and its VM Thread, so a JVM that has been destroyed keeps its number. Of JVMs that started within one tick of the
 * kernel's clock, the one with the lower address comes first. A libjvm in which no JVM was started has no id. See
 * docs/decisions/0023-runtime-ids-follow-the-start-order-of-the-jvms.md.
 */
final class StartedVms {
    /** The kernel's names of the reference handler. */
    private static final Set<String> FIRST_THREAD = KernelThreadName.of("Reference Handler");
    /** Only the thread that created the VM joins its list before; more than one has never been seen. */
    private static final int FIRST_THREADS = 64;
    /** While threads start and end, a list may be read that the VM has just freed. */
    private static final int MOST_READINGS = 5;
    private static final Comparator<Candidate> BY_START =
            Comparator.<Candidate>comparingLong(vm -> vm.startTicks).thenComparing(vm -> vm.library.start(),
                    Long::compareUnsigned);

    private StartedVms() {
    }

    /**
     * A libjvm that is mapped into the process.
     *
     * @param start where its first mapping starts
     * @param symbols its symbols; null if they cannot be read
     */
    record Library(long start, @Nullable ModuleSymbols symbols) {
    }

    /**
     * A libjvm that was looked at.
     *
     * @param library which
     * @param vm its JVM; null if none was started in it, or if it cannot be read
     * @param problem why there is no {@code vm}; null if there is one, or if the library's symbols cannot be read
     * @param mayHaveStarted whether a JVM runs in it, ran in it, or may run in it for all that can be seen
     */
    record Opened(Library library, @Nullable HotSpot vm, @Nullable UnsupportedVm problem,
                         boolean mayHaveStarted) {
    }

    /**
     * Opens the JVMs of a process.
     *
     * @param memory the process's memory; its caller makes it forget what it read before
     * @param libraries the libjvms that are mapped
     * @param known JVMs that were opened before, which are used again
     * @param numbered how many runtimes of other kinds come before them
     * @return one for each library, in the order of {@code libraries}
     * @throws IOException if the process has ended, or its threads cannot be listed
     */
    static List<Opened> open(Memory memory, List<Library> libraries, List<HotSpot> known, KernelThreads threads,
            int numbered) throws IOException {
        List<Candidate> candidates = new ArrayList<>();
        for (Library library : libraries) {
            candidates.add(Candidate.of(memory, library, known, threads));
        }
        List<Candidate> started = new ArrayList<>(candidates.stream().filter(vm -> vm.startTicks != 0).toList());
        boolean others = addUnreadable(candidates, started, threads);
        started.sort(BY_START);
        List<Opened> opened = new ArrayList<>();
        for (Candidate candidate : candidates) {
            opened.add(candidate.open(memory, numbered + started.indexOf(candidate) + 1, others));
        }
        return opened;
    }

    /**
     * Counts the JVMs in libraries that cannot be read, by the reference handlers that belong to no other JVM. Returns
     * whether there are such.
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
            // Which of them is which is not known, and makes no difference to the ids of those that can be read.
            Candidate of = i < unreadable.size() ? unreadable.get(i) : new Candidate(unreadable.getFirst().library);
            of.startTicks = left.get(i).startTicks();
            started.add(of);
        }
        return !left.isEmpty();
    }

    /** A library while the JVMs are being numbered. */
    private static final class Candidate {
        private final Library library;
        private @Nullable VmLayout layout;
        private @Nullable HotSpot known;
        private @Nullable UnsupportedVm problem;
        /** 0 as long as it is not known that a JVM was started in it. */
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
                candidate.problem = new UnsupportedVm(Reason.INCONSISTENT, "the VM's threads: " + e.getMessage());
            }
            return candidate;
        }

        private void findFirstThread(ThreadList list, KernelThreads threads)
                throws MemoryFault, IOException, UnsupportedVm {
            list.requireStarted();
            for (int i = 0; i < MOST_READINGS && startTicks == 0; i++) {
                lookForFirstThread(list, threads);
            }
            if (startTicks == 0) {
                throw new UnsupportedVm(Reason.STARTING, "the JVM is still starting");
            }
        }

        private void lookForFirstThread(ThreadList list, KernelThreads threads) throws MemoryFault, IOException {
            for (int tid : list.tidsByAge().stream().limit(FIRST_THREADS).toList()) {
                TargetThread thread = threads.threadByInnermostTid(tid);
                // Another JVM may yet start within the same tick, and come before this one by its address.
                if (thread != null && FIRST_THREAD.contains(thread.name()) && thread.startTicks() < threads.nowTicks()) {
                    startTicks = thread.startTicks();
                    firstThread = thread.tid();
                    return;
                }
            }
        }

        /** Whether there may be a JVM in it for all that its memory says. */
        boolean isUnreadable() {
            return startTicks == 0 && mayBeAJvm();
        }

        private boolean mayBeAJvm() {
            UnsupportedVm why = problem;
            return why == null || why.reason() != Reason.STARTING;
        }

        Opened open(Memory memory, int number, boolean others) {
            HotSpot vm = known;
            ModuleSymbols symbols = library.symbols();
            VmLayout read = layout;
            if (vm != null || problem != null || symbols == null || read == null) {
                return new Opened(library, vm, vm != null ? null : problem, vm != null || others && mayBeAJvm());
            }
            try {
                vm = HotSpot.open(new RuntimeId(number), memory, symbols, read, library.start());
                return new Opened(library, vm, null, true);
            } catch (UnsupportedVm e) {
                return new Opened(library, null, e, true);
            }
        }
    }
}
