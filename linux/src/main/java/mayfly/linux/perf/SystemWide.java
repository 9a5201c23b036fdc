package mayfly.linux.perf;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import mayfly.linux.LiveProcess;
import mayfly.linux.bpf.BpfFilter;
import mayfly.linux.bpf.StackRing;
import mayfly.linux.proc.OnlineCpus;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Owned;

/**
 * One CPU-clock event per CPU for all processes, filtered to one process: in the kernel by a BPF program if that is
 * permitted, and here in any case.
 */
final class SystemWide {
    private SystemWide() {}

    static PerfCollector open(LiveProcess target, PerfOptions options) throws PerfUnavailable, IOException {
        return open(target, options, true);
    }

    static PerfCollector open(LiveProcess target, PerfOptions options, boolean useBpf)
            throws PerfUnavailable, IOException {
        PerfSetup.checkRate(options);
        int[] cpus = OnlineCpus.read();
        int ringBytes = PerfSetup.ringBytes(options, cpus);
        // An event of a CPU cannot wait for an exec: it starts at enable(), before the target runs.
        PerfOptions started = new PerfOptions(
                options.hz(),
                options.stackBytes(),
                options.kernelFrames(),
                false,
                options.ringBytes(),
                options.sharers());
        List<PerfEvent> events = new ArrayList<>();
        try (Owned owned = new Owned();
                Arena arena = Arena.ofConfined();
                BpfFilter filter =
                        useBpf ? BpfFilter.load(target, options.stackBytes(), options.periodNanos()) : null) {
            StackRing stacks = owned.add(filter == null ? null : filter.stacks());
            owned.add(() -> events.forEach(PerfEvent::close));
            PerfEventAttr attr = new PerfEventAttr(
                    arena, PerfEventAttr.SW_CPU_CLOCK, started, ringBytes, PerfEventAttr.EXCLUDE_IDLE);
            for (int cpu : cpus) {
                events.add(PerfEvent.open(attr, -1, cpu));
            }
            boolean filtered = filter != null && events.stream().allMatch(event -> event.filterBy(filter));
            PerfRings rings = new PerfRings(
                    target,
                    (id, tid) -> true,
                    options.kernelFrames(),
                    events,
                    PerfSetup.rings(events, ringBytes),
                    stacks);
            return owned.release(new PerfCollector(
                    events,
                    rings,
                    true,
                    false,
                    "perf, system-wide CPU clock, filtered " + (filtered ? "in the kernel" : "after the copy")));
        } catch (ErrnoException e) {
            throw PerfSetup.refused(e);
        }
    }
}
