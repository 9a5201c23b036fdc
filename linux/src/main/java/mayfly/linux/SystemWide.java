package mayfly.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One CPU-clock event per CPU for everything that runs, filtered to one process: in the kernel by a BPF program where
 * that is permitted, and here in any case.
 */
final class SystemWide implements PerfCollector {
    private final List<PerfEvent> events;
    private final PerfRings rings;
    private final String description;

    private SystemWide(List<PerfEvent> events, PerfRings rings, String description) {
        this.events = events;
        this.rings = rings;
        this.description = description;
    }

    static SystemWide open(LiveProcess target, PerfOptions options) throws PerfUnavailable, IOException {
        return open(target, options, true);
    }

    static SystemWide open(LiveProcess target, PerfOptions options, boolean useBpf)
            throws PerfUnavailable, IOException {
        PerfSetup.checkRate(options);
        int[] cpus = OnlineCpus.read();
        int ringBytes = PerfSetup.ringBytes(options, cpus);
        // An event of a CPU has no exec to wait for: it starts at enable(), before the target runs.
        PerfOptions started = new PerfOptions(options.hz(), options.stackBytes(), options.kernelFrames(), false,
                options.ringBytes());
        List<PerfEvent> events = new ArrayList<>();
        boolean done = false;
        try (Arena arena = Arena.ofConfined()) {
            PerfEventAttr attr = new PerfEventAttr(arena, PerfEventAttr.SW_CPU_CLOCK, started, ringBytes,
                    PerfEventAttr.EXCLUDE_IDLE);
            for (int cpu : cpus) {
                events.add(PerfEvent.open(attr, -1, cpu));
            }
            boolean filtered = useBpf && filter(target, events);
            PerfRings rings = new PerfRings(target, (id, tid) -> true, options.kernelFrames(), events,
                    PerfSetup.rings(events, ringBytes));
            done = true;
            return new SystemWide(events, rings, "perf, system-wide CPU clock, filtered "
                    + (filtered ? "in the kernel" : "after the copy"));
        } catch (ErrnoException e) {
            throw PerfSetup.refused(e);
        } finally {
            if (!done) {
                events.forEach(PerfEvent::close);
            }
        }
    }

    private static boolean filter(LiveProcess target, List<PerfEvent> events) {
        Optional<Fd> program = BpfFilter.load(target);
        if (program.isEmpty()) {
            return false;
        }
        try (Fd fd = program.get()) {
            for (PerfEvent event : events) {
                event.filter(fd.number());
            }
            return true;
        } catch (ErrnoException e) {
            return false;
        }
    }

    @Override
    public void enable() throws IOException {
        for (PerfEvent event : events) {
            event.enable();
        }
    }

    @Override
    public int drain(PerfRecords records) {
        return rings.drain(records);
    }

    @Override
    public Wait await(int timeoutMillis) {
        return rings.await(timeoutMillis);
    }

    @Override
    public void disable() {
        for (PerfEvent event : events) {
            try {
                event.disable();
            } catch (ErrnoException e) {
                // An event that cannot be disabled ends when it is closed.
                continue;
            }
        }
    }

    @Override
    public long lost() {
        return rings.lost();
    }

    @Override
    public long throttled() {
        return rings.throttled();
    }

    @Override
    public long malformed() {
        return rings.malformed();
    }

    @Override
    public long dropped() {
        return rings.dropped();
    }

    @Override
    public boolean seesKernel() {
        return true;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public void close() {
        rings.close();
        events.forEach(PerfEvent::close);
    }
}
