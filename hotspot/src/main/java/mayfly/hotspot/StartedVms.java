package mayfly.hotspot;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import mayfly.arch.Architecture;
import mayfly.process.KernelThreadName;
import mayfly.process.KernelThreads;
import mayfly.process.Memory;
import mayfly.process.TargetThread;
import mayfly.runtime.Examination;
import mayfly.runtime.RuntimeModule;
import mayfly.runtime.RuntimeStart;

/**
 * The JVMs of one process and their starts. Every reader determines the same start for a JVM, because it is derived
 * from the process each time.
 *
 * <p>The start time of a JVM is the kernel's start time of its reference handler, the first thread that a JVM starts
 * for Java. That thread is the first of its name in the VM's list of threads. It outlives {@code DestroyJavaVM}, which
 * ends the VM and its VM Thread, so a destroyed JVM keeps its number. See
 * docs/decisions/0023-runtime-ids-follow-the-start-order-of-the-jvms.md.
 */
final class StartedVms {
    /** The kernel's names of the reference handler. */
    static final Set<String> FIRST_THREAD = KernelThreadName.of("Reference Handler");

    private StartedVms() {}

    /**
     * Examines the libjvms of a process.
     *
     * @param cpu the CPU that the process runs on
     * @param memory the process's memory; the caller discards its cached pages first
     * @param libraries the libjvms that are mapped
     * @param known JVMs that were opened before and are reused
     * @throws IOException if the process has ended, or its threads cannot be listed
     */
    static Examination examine(
            Architecture cpu,
            Memory memory,
            List<? extends RuntimeModule> libraries,
            List<HotSpot> known,
            KernelThreads threads)
            throws IOException {
        List<ExaminedVm> vms = new ArrayList<>();
        for (RuntimeModule library : libraries) {
            vms.add(ExaminedVm.of(cpu, memory, library, known, threads));
        }
        List<ExaminedVm> unreadable =
                vms.stream().filter(ExaminedVm::isUnreadable).toList();
        if (unreadable.isEmpty()) {
            return new Examination(vms, List.of());
        }
        if (vms.size() == 1) {
            unreadable.getFirst().mayHaveStarted();
            return new Examination(vms, List.of());
        }
        return new Examination(vms, assignOthers(vms, unreadable, threads));
    }

    /**
     * Assigns the reference handlers that belong to no readable JVM to the libraries that cannot be read, and returns
     * the starts for which there is no such library. The real assignment is unknown. It does not affect the ids of the
     * readable JVMs.
     */
    private static List<RuntimeStart> assignOthers(
            List<ExaminedVm> vms, List<ExaminedVm> unreadable, KernelThreads threads) throws IOException {
        Set<Integer> owned = new HashSet<>();
        vms.forEach(vm -> owned.add(vm.firstThread()));
        List<TargetThread> left = threads.threads().stream()
                .filter(thread -> FIRST_THREAD.contains(thread.name()) && !owned.contains(thread.tid()))
                .toList();
        List<RuntimeStart> others = new ArrayList<>();
        for (int i = 0; i < left.size(); i++) {
            if (i < unreadable.size()) {
                unreadable.get(i).startedAt(left.get(i).startTicks());
            } else {
                others.add(unreadable.getFirst().startAt(left.get(i).startTicks()));
            }
        }
        if (!left.isEmpty()) {
            unreadable.forEach(ExaminedVm::mayHaveStarted);
        }
        return others;
    }
}
