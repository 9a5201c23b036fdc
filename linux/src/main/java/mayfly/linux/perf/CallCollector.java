package mayfly.linux.perf;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import mayfly.linux.LiveProcess;
import mayfly.linux.bpf.CallRing;
import mayfly.linux.perf.PerfCollector.Wait;
import mayfly.linux.proc.PageMap;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Owned;
import mayfly.linux.sys.Poll;
import mayfly.process.Registers;

/**
 * The calls of a process at uprobes. All calls, including close, must come from one thread.
 *
 * <p>There is one event for each uprobe, on the first thread of the process and never inherited: the kernel places the
 * breakpoint in the memory that all threads share, and runs the program for each of them. An inherited event would have
 * the kernel read the path of the file again when a thread of the target creates another one, at its address in
 * Mayfly's memory, so that the target could not create threads.
 */
public final class CallCollector implements AutoCloseable {
    /** Upper bound on the attempts to have the kernel drop its copies of the pages with the breakpoints. */
    private static final int ATTEMPTS = 16;

    private static final long PAGE = Cpu.ABI.architecture().pageSize();

    /** Receives calls. */
    public interface Each {
        /**
         * Reports a call. The registers and the stack are valid until it returns.
         *
         * @param time CLOCK_MONOTONIC, ns
         * @param weight the multiple of the interval that the call stands for; untrusted
         * @param words the number of words of the stack that can be had from {@link #stack}
         */
        void call(int tid, long time, Registers registers, long weight, int words);
    }

    private final LiveProcess target;
    private final List<Uprobe> probes;
    private final List<PerfEvent> events = new ArrayList<>();
    private final CallRing calls;
    private final Poll poll;
    /** The pages that were copies before there was a breakpoint. */
    private final Set<Long> copiedBefore = new HashSet<>();

    private boolean disabled;
    private boolean unread;

    private CallCollector(LiveProcess target, List<Uprobe> probes, CallRing calls) {
        this.target = target;
        this.probes = List.copyOf(probes);
        this.calls = calls;
        this.poll = new Poll(target.pidfd().number());
        for (Uprobe probe : probes) {
            if (isCopied(probe)) {
                copiedBefore.add(probe.address() & -PAGE);
            }
        }
    }

    /**
     * Opens the collector. Needs CAP_SYS_ADMIN, with some kernels CAP_PERFMON and CAP_BPF.
     *
     * @param probes the uprobes, those of each mapping of the same file; their files are closed with the collector
     * @param argument the index of the integer argument by which calls are chosen: those of a thread are added up
     * @param interval the sum, a power of two, for which one call is delivered
     * @throws PerfUnavailable if it cannot be opened
     */
    public static CallCollector open(LiveProcess target, List<Uprobe> probes, int argument, int interval)
            throws PerfUnavailable {
        OptionalInt type = Uprobe.type();
        if (type.isEmpty()) {
            throw new PerfUnavailable(
                    PerfUnavailable.Reason.UNSUPPORTED, "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)");
        }
        try (Owned owned = new Owned()) {
            CallRing calls = CallRing.open(target, new CallRing.Weighing(argument, interval));
            if (calls == null) {
                throw new PerfUnavailable(
                        PerfUnavailable.Reason.UNSUPPORTED,
                        "the process is in a pid namespace that is neither Mayfly's nor inside the initial one");
            }
            CallCollector collector = owned.add(new CallCollector(target, probes, calls));
            for (int i = 0; i < probes.size(); i++) {
                Uprobe probe = probes.get(i);
                if (probes.subList(0, i).stream().noneMatch(probe::isSameAs)) {
                    PerfEvent event = open(target, probe, type.getAsInt());
                    collector.events.add(event);
                    event.bind(calls);
                }
            }
            return owned.release(collector);
        } catch (ErrnoException e) {
            throw PerfSetup.refused(e);
        }
    }

    private static PerfEvent open(LiveProcess target, Uprobe probe, int type) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            PerfEventAttr attr = PerfEventAttr.of(arena, type, probe, PerfOptions.at(1), PerfOptions.RING_BYTES, 0);
            return PerfEvent.open(attr, target.pid(), -1);
        }
    }

    /**
     * Starts the delivery of calls: those so far, since the breakpoints were set, are dropped.
     *
     * @throws ErrnoException if the kernel refuses
     */
    public void enable() throws ErrnoException {
        for (PerfEvent event : events) {
            event.enable();
        }
        calls.skip();
    }

    /**
     * Waits until the target ends, at most for the given time. Returns {@link Wait#DATA} if there are many calls then.
     */
    public Wait await(int timeoutMillis) {
        if (poll.await(timeoutMillis) != 0) {
            return Wait.TARGET_GONE;
        }
        return isDue() ? Wait.DATA : Wait.TIMEOUT;
    }

    /** Marks the calls present now as the end of the next {@link #drain}. */
    public void begin() {
        calls.begin();
    }

    /** Delivers the calls that were present at {@link #begin}. */
    public void drain(Each each) {
        calls.drain(each::call);
    }

    /** Returns the stack of the call that is being delivered, from the stack pointer on: at least this many words. */
    public long[] stack(int count) {
        return calls.stack(count);
    }

    /** Returns true if there are so many calls that they should be drained now. */
    public boolean isDue() {
        return calls.isDue();
    }

    /** Drops the calls present now. */
    public void skip() {
        calls.skip();
    }

    /** Returns the number of calls for which there was no room, at least. */
    public long lost() {
        return calls.lost();
    }

    /** Removes the breakpoints. The calls so far can still be drained. */
    public void disable() {
        if (!disabled) {
            disabled = true;
            events.forEach(PerfEvent::close);
            dropCopies();
        }
    }

    /**
     * Lets the kernel drop its copies of the pages that had a breakpoint. It does so when it removes a breakpoint from
     * a page that was a copy already when the breakpoint was set, and leaves a copy with the file's bytes otherwise
     * (seen on Linux 6.18). A breakpoint is therefore set and removed again where a copy is left.
     */
    private void dropCopies() {
        OptionalInt type = Uprobe.type();
        for (int i = 0; i < ATTEMPTS && type.isPresent(); i++) {
            List<Uprobe> left = left();
            for (Uprobe probe : left) {
                try {
                    open(target, probe, type.getAsInt()).close();
                } catch (ErrnoException e) {
                    return; // the process has ended
                }
            }
            if (left.isEmpty()) {
                return;
            }
        }
    }

    /** Returns a uprobe for each page that is a copy because of it. */
    private List<Uprobe> left() {
        Map<Long, Uprobe> left = new TreeMap<>();
        for (Uprobe probe : probes) {
            long page = probe.address() & -PAGE;
            if (!copiedBefore.contains(page) && isCopied(probe)) {
                left.put(page, probe);
            }
        }
        return List.copyOf(left.values());
    }

    private boolean isCopied(Uprobe probe) {
        try {
            return target.mappings().stream().anyMatch(probe.mapping()::equals)
                    && PageMap.isCopied(target.proc(), probe.address());
        } catch (IOException e) {
            unread |= target.life().isAlive();
            return false;
        }
    }

    /** Returns true if the pages of the process could not be read, so that {@link #copies} may be too small. */
    public boolean hasUnreadPages() {
        return unread;
    }

    /** Returns the number of pages that are still copies because of a breakpoint; 0 if the process has ended. */
    public int copies() {
        return left().size();
    }

    @Override
    public void close() {
        disable();
        calls.close();
        probes.forEach(probe -> probe.file().close());
    }
}
