package mayfly.linux;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One task-clock event per thread and CPU, inherited by the threads they create, written to one ring per CPU.
 *
 * <p>An inherited event cannot have a ring of its own, and an event on any CPU cannot share one, hence an event for
 * each pair. An event starts a full period at its thread's birth: threads that live shorter than one are hardly seen.
 */
final class PerThread implements PerfCollector {
    private static final int ROUNDS = 10;
    /** Descriptors kept free for everybody else in this process. */
    private static final int SPARE = 64;

    private final LiveProcess target;
    private final PerfOptions options;
    private final int[] cpus;
    private final List<PerfEvent> events = new ArrayList<>();
    /** The thread that an event was opened on. */
    private final Map<Long, Integer> openedOn = new HashMap<>();
    private final Set<Integer> attached = new HashSet<>();
    private boolean raced;
    private boolean seesKernel;
    private PerfRings rings;

    @SuppressWarnings("NullAway.Init")
    private PerThread(LiveProcess target, PerfOptions options, int[] cpus) {
        this.target = target;
        this.options = options;
        this.cpus = cpus;
    }

    static PerThread open(LiveProcess target, PerfOptions options) throws PerfUnavailable, IOException {
        PerfSetup.checkRate(options);
        PerThread collector = new PerThread(target, options, OnlineCpus.read());
        boolean done = false;
        try {
            collector.attach();
            done = true;
            return collector;
        } catch (ErrnoException e) {
            throw PerfSetup.refused(e);
        } finally {
            if (!done) {
                collector.events.forEach(PerfEvent::close);
            }
        }
    }

    private void attach() throws PerfUnavailable, IOException {
        int ringBytes = PerfSetup.ringBytes(options, cpus);
        try (Arena arena = Arena.ofConfined()) {
            PerfEventAttr attr = new PerfEventAttr(arena, PerfEventAttr.SW_TASK_CLOCK, options, ringBytes,
                    PerfEventAttr.INHERIT | PerfEventAttr.INHERIT_THREAD);
            int[] before = target.tids();
            checkDescriptors(before.length);
            if (!attach(attr, target.pid())) {
                throw new PerfUnavailable(PerfUnavailable.Reason.TARGET_GONE, "the process has exited");
            }
            seesKernel = attr.seesKernel();
            List<PerfEvent> owners = List.copyOf(events);
            rings = new PerfRings(target, new OnceOnly(), options.kernelFrames(), owners,
                    PerfSetup.rings(owners, ringBytes));
            boolean done = false;
            try {
                attachOthers(attr, owners, before);
                done = true;
            } finally {
                if (!done) {
                    rings.close();
                }
            }
        }
    }

    /** Attaches to what is listed until nothing new is. */
    private void attachOthers(PerfEventAttr attr, List<PerfEvent> owners, int[] before)
            throws PerfUnavailable, IOException {
        Set<Integer> old = Arrays.stream(before).boxed().collect(Collectors.toSet());
        for (int round = 0; round < ROUNDS; round++) {
            int[] tids = target.tids();
            checkDescriptors(tids.length - attached.size());
            boolean found = false;
            for (int tid : tids) {
                int from = events.size();
                if (!attached.contains(tid) && attach(attr, tid)) {
                    found = true;
                    // Born after the first event was opened: its parent's may cover it already.
                    raced |= !old.contains(tid);
                    for (int i = 0; i < cpus.length; i++) {
                        events.get(from + i).outputTo(owners.get(i));
                    }
                }
            }
            if (!found) {
                return;
            }
        }
    }

    /** One event per CPU on a thread; false if it has gone. Learns from the first refusals what to ask for. */
    private boolean attach(PerfEventAttr attr, int tid) throws ErrnoException {
        int from = events.size();
        for (int i = 0; i < cpus.length;) {
            try {
                PerfEvent event = PerfEvent.open(attr, tid, cpus[i]);
                events.add(event);
                openedOn.put(event.id(), tid);
                i++;
            } catch (ErrnoException e) {
                if (e.errno() == Errno.ESRCH) {
                    while (events.size() > from) {
                        PerfEvent event = events.removeLast();
                        openedOn.values().removeIf(opened -> opened == tid);
                        event.close();
                    }
                    return false;
                }
                if (e.errno() == Errno.EACCES && attr.seesKernel()) {
                    attr.flags(attr.flags() | PerfEventAttr.EXCLUDE_KERNEL);
                } else if (e.errno() == Errno.EINVAL && (attr.flags() & PerfEventAttr.INHERIT_THREAD) != 0) {
                    // Before Linux 5.13 child processes inherit too; their samples are dropped by their pid.
                    attr.flags(attr.flags() & ~PerfEventAttr.INHERIT_THREAD);
                } else {
                    throw e;
                }
            }
        }
        attached.add(tid);
        return true;
    }

    private void checkDescriptors(int threads) throws PerfUnavailable {
        long wanted = (long) threads * cpus.length + SPARE;
        ResourceLimit.NOFILE.raise();
        long limit = ResourceLimit.NOFILE.soft();
        String[] open = new File("/proc/self/fd").list();
        long have = open == null ? 0 : open.length;
        if (limit != ResourceLimit.INFINITY && have + wanted > limit) {
            throw new PerfUnavailable(PerfUnavailable.Reason.TOO_FEW_DESCRIPTORS, threads + " threads on "
                    + cpus.length + " CPUs need " + wanted + " descriptors; the limit of open files (ulimit -n) is "
                    + limit + " and " + have + " are in use");
        }
    }

    /**
     * Lets only one of the events that cover a thread count, if a thread may have both inherited and been given one.
     */
    private final class OnceOnly implements PerfRings.Filter {
        private final Map<Integer, Integer> originOf = new HashMap<>();

        @Override
        public boolean accepts(long eventId, int tid) {
            if (!raced) {
                return true;
            }
            Integer origin = openedOn.get(eventId);
            return origin != null && origin.equals(originOf.computeIfAbsent(tid, unseen -> origin));
        }

        @Override
        public void ended(int tid) {
            originOf.remove(tid);
        }
    }

    @Override
    public void enable() throws IOException {
        if (options.enableOnExec()) {
            return;
        }
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
        return seesKernel;
    }

    @Override
    public String description() {
        return "perf, task clock per thread, " + (seesKernel ? "user and kernel" : "user space only");
    }

    @Override
    public void close() {
        rings.close();
        events.forEach(PerfEvent::close);
    }
}
