package mayfly.linux.perf;

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
import mayfly.linux.LiveProcess;
import mayfly.linux.bpf.BpfFilter;
import mayfly.linux.bpf.StackRing;
import mayfly.linux.proc.OnlineCpus;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Owned;
import mayfly.linux.sys.ResourceLimit;
import org.jspecify.annotations.Nullable;

/**
 * One event per thread and CPU, inherited by the threads that it creates, written to one ring per CPU.
 *
 * <p>An inherited event cannot have a ring of its own, and an event that is not bound to a CPU cannot share one, so
 * there is an event for each pair of a thread and a CPU. A clock starts a full period when its thread starts: threads
 * that use less CPU time than one period are rarely sampled.
 */
final class PerThread {
    private static final int ROUNDS = 10;
    /** Descriptors kept free for other users in this process. */
    private static final int SPARE = 64;

    /** The records of the events. */
    private enum Content {
        /** Samples of CPU time. */
        SAMPLES(PerfEventAttr.SW_TASK_CLOCK, 0, "task clock per thread"),
        /** A record whenever a thread leaves a CPU or runs again, and no sample. */
        SWITCHES(PerfEventAttr.SW_DUMMY, PerfEventAttr.CONTEXT_SWITCH, "context switches per thread");

        private final int event;
        private final long flags;
        private final String words;

        Content(int event, long flags, String words) {
            this.event = event;
            this.flags = flags;
            this.words = words;
        }
    }

    private final LiveProcess target;
    private final Content content;
    private final PerfOptions options;
    private final int[] cpus;
    private final List<PerfEvent> events = new ArrayList<>();
    /** The thread that an event was opened on, by event id. */
    private final Map<Long, Integer> openedOn = new HashMap<>();

    private final Set<Integer> attached = new HashSet<>();
    private boolean raced;

    private PerThread(LiveProcess target, Content content, PerfOptions options, int[] cpus) {
        this.target = target;
        this.content = content;
        this.options = options;
        this.cpus = cpus;
    }

    static PerfCollector open(LiveProcess target, PerfOptions options) throws PerfUnavailable, IOException {
        PerfSetup.checkRate(options);
        return open(target, Content.SAMPLES, options);
    }

    static PerfCollector openSwitches(LiveProcess target, PerfOptions options) throws PerfUnavailable, IOException {
        return open(target, Content.SWITCHES, options);
    }

    private static PerfCollector open(LiveProcess target, Content content, PerfOptions options)
            throws PerfUnavailable, IOException {
        PerThread collector = new PerThread(target, content, options, OnlineCpus.read());
        try (Owned owned = new Owned()) {
            owned.add(() -> collector.events.forEach(PerfEvent::close));
            return owned.release(collector.attach());
        } catch (ErrnoException e) {
            throw PerfSetup.refused(e);
        }
    }

    private PerfCollector attach() throws PerfUnavailable, IOException {
        int ringBytes = PerfSetup.ringBytes(options, cpus);
        try (Owned owned = new Owned();
                Arena arena = Arena.ofConfined();
                BpfFilter filter = content == Content.SAMPLES
                        ? BpfFilter.load(target, options.stackBytes(), options.periodNanos())
                        : null) {
            StackRing stacks = owned.add(filter == null ? null : filter.stacks());
            PerfEventAttr attr = new PerfEventAttr(
                    arena,
                    content.event,
                    options,
                    ringBytes,
                    content.flags | PerfEventAttr.INHERIT | PerfEventAttr.INHERIT_THREAD);
            int[] before = target.tids();
            checkDescriptors(before.length);
            if (!attach(attr, target.pid(), filter)) {
                throw new PerfUnavailable(PerfUnavailable.Reason.TARGET_GONE, "the process has exited");
            }
            List<PerfEvent> owners = List.copyOf(events);
            // From here on, the rings close the ring of the stacks.
            PerfRings rings = owned.add(owned.release(new PerfRings(
                    target,
                    new OnceOnly(),
                    options.kernelFrames(),
                    owners,
                    PerfSetup.rings(owners, ringBytes),
                    stacks)));
            attachOthers(attr, owners, before, filter);
            return owned.release(new PerfCollector(
                    events,
                    rings,
                    attr.seesKernel(),
                    options.enableOnExec(),
                    "perf, " + content.words
                            + (content == Content.SAMPLES && attr.seesKernel() ? ", user and kernel" : "")
                            + (content == Content.SAMPLES && !attr.seesKernel() ? ", user space only" : "")));
        }
    }

    /** Attaches to the listed threads until no new ones appear. */
    private void attachOthers(PerfEventAttr attr, List<PerfEvent> owners, int[] before, @Nullable BpfFilter filter)
            throws PerfUnavailable, IOException {
        Set<Integer> old = Arrays.stream(before).boxed().collect(Collectors.toSet());
        for (int round = 0; round < ROUNDS; round++) {
            int[] tids = target.tids();
            checkDescriptors(tids.length - attached.size());
            boolean found = false;
            for (int tid : tids) {
                int from = events.size();
                if (!attached.contains(tid) && attach(attr, tid, filter)) {
                    found = true;
                    // The thread started after the first event was opened, so it may have inherited its parent's event.
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

    /**
     * Opens one event per CPU on a thread; returns false if the thread has ended. If the kernel refuses an event that
     * includes the kernel or is inherited by threads only, the attributes are changed for this and all later events.
     */
    private boolean attach(PerfEventAttr attr, int tid, @Nullable BpfFilter filter) throws ErrnoException {
        int from = events.size();
        for (int i = 0; i < cpus.length; ) {
            try {
                PerfEvent event = PerfEvent.open(attr, tid, cpus[i]);
                events.add(event);
                openedOn.put(event.id(), tid);
                if (filter != null) {
                    event.filterBy(filter);
                }
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
                    // Before Linux 5.13 child processes inherit too; their samples are dropped by pid.
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
            throw new PerfUnavailable(
                    PerfUnavailable.Reason.TOO_FEW_DESCRIPTORS,
                    threads + " threads on "
                            + cpus.length + " CPUs need " + wanted
                            + " descriptors; the limit of open files (ulimit -n) is "
                            + limit + " and " + have + " are in use");
        }
    }

    /**
     * Counts the samples of one event only, for a thread that may have both inherited an event and had one opened on
     * it.
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
}
