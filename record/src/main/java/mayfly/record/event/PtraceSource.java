package mayfly.record.event;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mayfly.discovery.Doctor.Need;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refusals;
import mayfly.discovery.Refused;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.CpuLatency;
import mayfly.linux.trace.ThreadSnapshot;
import mayfly.linux.trace.ThreadStopper;
import mayfly.profile.Ledger;
import mayfly.profile.WalkOutcome;
import mayfly.record.event.SourceCost.StackCopy;

/**
 * Samples by ptrace(2), for use if perf events are not permitted: at each tick, threads whose CPU time has advanced are
 * stopped for some microseconds, copied, and released. The value of a sample is the CPU time since the thread was last
 * read. In wall-clock mode all threads are sampled, and the value is the elapsed time.
 */
final class PtraceSource implements EventSource {
    private static final int STACK_BYTES = 1 << 20;
    /**
     * The time of a stop was measured with idle CPUs that sleep; as root a stop takes a third of that time. At rates
     * above the maximum, the stops would distort the profile.
     */
    private static final SourceCost COST = new SourceCost(45, 99, List.of(new StackCopy(99, STACK_BYTES)));

    private static final Set<Need> NEEDS = Set.of(Need.MEMORY, Need.PTRACE);

    /** Samples of CPU time. */
    static final SourceKind BUSY_THREADS = new SourceKind(
            Collector.PTRACE, NEEDS, COST, List.of(), (request, kind) -> open(request, kind, Threads.BUSY));
    /** Samples of wall-clock time. */
    static final SourceKind ALL_THREADS = new SourceKind(
            Collector.PTRACE, NEEDS, COST, List.of(), (request, kind) -> open(request, kind, Threads.ALL));

    /**
     * After a stop over the limit, nothing is stopped for this many times its duration: at most 5 % of the time is
     * lost to such stops.
     */
    private static final int REST = 20;
    /** A tick may be this much early: waits are in whole milliseconds. */
    private static final long EARLY_NANOS = 1_000_000;
    /** Interval of checks for threads that did not stop in time: once they stop, they must be released. */
    private static final int LATE_MILLIS = 1;

    /** The threads that are stopped at a tick. */
    private enum Threads {
        BUSY("threads whose CPU time advanced are stopped"),
        ALL("every thread is stopped");

        private final String stopped;

        Threads(String stopped) {
            this.stopped = stopped;
        }
    }

    private final InspectedProcess target;
    private final Threads threads;
    private final ThreadStopper stopper;
    private final ThreadSnapshot snapshot = new ThreadSnapshot(STACK_BYTES);
    private final int asked;
    private final int rate;
    private final long periodNanos;
    /** The CPU time of each thread when it was last read; in wall-clock mode, the time of that read. */
    private final Map<Integer, Long> seen = new HashMap<>();

    private final Map<ThreadStopper.Outcome, Long> refused = new HashMap<>();
    private long lastTick;
    private long nextTick;
    private int rests;
    private final StopTimes stops = new StopTimes();
    private boolean sampling;
    private boolean replaced;

    private PtraceSource(SourceRequest request, SourceKind kind, Threads threads) {
        this.target = request.target();
        this.threads = threads;
        this.stopper = new ThreadStopper(target.process());
        this.asked = request.rateHz();
        this.rate = kind.cost().rate(asked);
        this.periodNanos = 1_000_000_000L / rate;
    }

    private static PtraceSource open(SourceRequest request, SourceKind kind, Threads threads) throws Refused {
        requirePermitted(request.target().process());
        return new PtraceSource(request, kind, threads);
    }

    /**
     * Requires that the target's threads may be stopped; otherwise the failure names the reason.
     *
     * @throws Refused if they may not be stopped
     */
    private static void requirePermitted(LiveProcess process) throws Refused {
        try (ThreadStopper probe = new ThreadStopper(process)) {
            ThreadStopper.Outcome outcome = probe.stopAndCopy(process.pid(), 4096, new ThreadSnapshot(4096));
            if (outcome == ThreadStopper.Outcome.NOT_PERMITTED) {
                throw Refusals.notPermitted(process.pid(), "its threads may not be stopped: " + probe.refusal());
            }
        }
    }

    @Override
    public void enable() throws IOException {
        sampling = true;
        if (threads == Threads.ALL) {
            stopper.warmUp();
        }
        for (int tid : target.process().tids()) {
            seen.put(tid, clock(tid));
        }
        lastTick = System.nanoTime();
        nextTick = lastTick + periodNanos;
    }

    @Override
    public boolean await(int timeoutMillis) {
        long deadline = System.nanoTime() + timeoutMillis * 1_000_000L;
        while (!stopper.releaseLate() && System.nanoTime() - Math.min(deadline, nextTick) < 0) {
            if (target.process().life().awaitExit(LATE_MILLIS)) {
                return false;
            }
        }
        long left = Math.max(0, nextTick - System.nanoTime()) / 1_000_000;
        return !target.process().life().awaitExit((int) Math.min(left, timeoutMillis));
    }

    @Override
    public int intervalMillis() {
        return LATE_MILLIS;
    }

    @Override
    public boolean isDue() {
        return sampling && System.nanoTime() - nextTick >= -EARLY_NANOS;
    }

    @Override
    public void drain(SampleSink sink) throws IOException {
        long now = System.nanoTime();
        if (!sampling || now < nextTick - EARLY_NANOS) {
            return;
        }
        nextTick = Math.max(nextTick + periodNanos, now);
        stopper.releaseLate();
        int[] tids;
        try {
            tids = target.process().tids();
        } catch (IOException e) {
            return; // the target has ended; await will report it
        }
        long before = stopper.overLimitNanos();
        try (CpuLatency _ = CpuLatency.lowest()) {
            look(tids, sink);
        }
        lastTick = now;
        long exceeding = stopper.overLimitNanos() - before;
        if (exceeding > 0) {
            rests++;
            nextTick = Math.max(nextTick, System.nanoTime() + REST * exceeding);
        }
    }

    private void look(int[] tids, SampleSink sink) throws IOException {
        for (int tid : tids) {
            if (replaced) {
                return;
            }
            long clock = clock(tid);
            Long before = seen.get(tid);
            if (clock < 0) {
                continue; // it has ended
            }
            if (before == null || clock < before) {
                sink.born(target.process().pid(), tid, lastTick);
                before = threads == Threads.BUSY ? 0L : clock - periodNanos;
                seen.put(tid, before);
            }
            if (clock > before && sample(tid, clock - before, sink)) {
                seen.put(tid, clock);
            }
        }
    }

    private long clock(int tid) {
        return threads == Threads.BUSY ? target.process().threadFacts().cpuNanos(tid) : System.nanoTime();
    }

    private boolean sample(int tid, long nanos, SampleSink sink) throws IOException {
        ThreadStopper.Outcome outcome = stopper.stopAndCopy(tid, STACK_BYTES, snapshot);
        switch (outcome) {
            case COPIED, COPIED_UNSTOPPED -> {
                if (snapshot.stopNanos() > 0) {
                    stops.add(snapshot.stopNanos());
                }
                // Checked after the copy, so that the sample cannot be of a new program.
                replaced = target.isReplaced();
                if (replaced) {
                    return false;
                }
                sink.begin();
                SampleSink.Walk walk = sink.walk(
                        tid, snapshot.time(), snapshot.registers(), words -> snapshot.stack(), snapshot.stackWords());
                sink.write(tid, snapshot.time(), nanos, walk.outcome());
                return true;
            }
            case GONE -> {
                sink.begin();
                sink.write(tid, System.nanoTime(), nanos, WalkOutcome.THREAD_GONE);
                return true;
            }
            case NOT_PERMITTED, TIMED_OUT, BLOCKED_IN_UNSAFE_SYSCALL, UNSUPPORTED -> {
                refused.merge(outcome, 1L, Long::sum);
                return false;
            }
        }
        return false;
    }

    @Override
    public void disable() {
        sampling = false;
    }

    @Override
    public long lost() {
        return 0;
    }

    /** PTRACE_O_TRACEEXEC would report hardly any execve, because a tracee is held for some microseconds only. */
    @Override
    public boolean isReplaced() {
        return replaced;
    }

    @Override
    public String description() {
        return "ptrace: " + threads.stopped + " for some microseconds";
    }

    @Override
    public boolean seesKernel() {
        return true;
    }

    @Override
    public void account(Ledger.Builder ledger) {
        if (asked > rate) {
            ledger.note("sampled at " + rate + " Hz, the highest rate for ptrace, instead of " + asked + " Hz");
        }
        ledger.note("sampled by stopping threads: " + stops);
        if (stopper.overLimit() > 0) {
            String stopsOver = stopper.overLimit() == 1 ? "1 stop" : stopper.overLimit() + " stops";
            ledger.note(stopsOver + " took longer than the limit of "
                    + ThreadStopper.STOP_LIMIT_NANOS / 1_000_000 + " ms, because the machine was busy; after "
                    + (rests == 1 ? "one round" : rests + " rounds") + " with such a stop, no thread was stopped for "
                    + REST + " times as long");
        }
        refused.forEach((outcome, count) -> ledger.note(count + (count == 1 ? " attempt" : " attempts")
                + " to sample a thread failed: "
                + switch (outcome) {
                    case TIMED_OUT -> "the thread did not stop in time";
                    case BLOCKED_IN_UNSAFE_SYSCALL -> "a stop would have disturbed the thread's system call";
                    case UNSUPPORTED -> "it is not a 64-bit thread";
                    default -> "the thread may not be stopped";
                }));
    }

    @Override
    public void close() {
        stopper.close();
    }
}
