package mayfly.record;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refusals;
import mayfly.discovery.SessionRefused;
import mayfly.linux.LiveProcess;
import mayfly.linux.perf.PerfCollector.Wait;
import mayfly.linux.sys.CpuLatency;
import mayfly.linux.trace.ThreadSnapshot;
import mayfly.linux.trace.ThreadStopper;
import mayfly.process.TargetThread;
import mayfly.profile.Ledger;
import mayfly.profile.WalkOutcome;

/**
 * Samples by ptrace(2), for use if perf events are not permitted: at each tick, threads whose CPU time has advanced
 * are stopped for some microseconds, copied, and released. The value of a sample is the CPU time since the last look
 * at the thread. In wall-clock mode all threads are sampled, and the value is the elapsed time.
 */
final class PtraceSource implements EventSource {
    /** Upper bound on the rate; at higher rates the stops would distort the profile. */
    private static final int MAX_HZ = 99;
    private static final int STACK_BYTES = 1 << 20;
    /**
     * After a stop over the limit, nothing is stopped for this many times its duration: at most 5 % of the time is
     * lost to such stops.
     */
    private static final int REST = 20;
    /** Interval of checks for threads that did not stop in time: once they stop, they must be released. */
    private static final int LATE_MILLIS = 1;

    private final InspectedProcess target;
    private final RecordingEvent event;
    private final ThreadNames threads;
    private final ThreadStopper stopper;
    private final ThreadSnapshot snapshot = new ThreadSnapshot(STACK_BYTES);
    private final int asked;
    private final long periodNanos;
    /** The CPU time, or in wall-clock mode the time, of the last look at each thread. */
    private final Map<Integer, Long> seen = new HashMap<>();
    private final Map<ThreadStopper.Outcome, Long> refused = new HashMap<>();
    private long nextTick;
    private int rests;
    private final StopTimes stops = new StopTimes();
    private boolean sampling;
    private boolean replaced;

    PtraceSource(InspectedProcess target, RecordingEvent event, int hz, ThreadNames threads) {
        this.target = target;
        this.event = event;
        this.threads = threads;
        this.stopper = new ThreadStopper(target.process());
        this.asked = hz;
        this.periodNanos = 1_000_000_000L / Math.min(hz, MAX_HZ);
    }

    /**
     * Requires that the target's threads may be stopped; otherwise the failure names the reason.
     *
     * @throws SessionRefused if they may not be stopped
     */
    static void requirePermitted(LiveProcess process) throws SessionRefused {
        try (ThreadStopper probe = new ThreadStopper(process)) {
            ThreadStopper.Outcome outcome = probe.stopAndCopy(process.pid(), 4096, new ThreadSnapshot(4096));
            if (outcome == ThreadStopper.Outcome.NOT_PERMITTED) {
                throw Refusals.notPermitted(process.pid(), "its threads may not be stopped: " + probe.refusal());
            }
        }
    }

    static String description(RecordingEvent event) {
        return switch (event) {
            case CPU -> "ptrace: threads whose CPU time advanced are stopped for some microseconds";
            case WALL -> "ptrace: every thread is stopped for some microseconds";
        };
    }

    @Override
    public void enable() throws IOException {
        sampling = true;
        if (event == RecordingEvent.WALL) {
            stopper.rehearse();
        }
        for (int tid : target.process().tids()) {
            seen.put(tid, clock(tid));
        }
        nextTick = System.nanoTime() + periodNanos;
    }

    @Override
    public Wait await(int timeoutMillis) {
        long deadline = System.nanoTime() + timeoutMillis * 1_000_000L;
        while (!stopper.settle() && System.nanoTime() - Math.min(deadline, nextTick) < 0) {
            if (target.process().awaitExit(LATE_MILLIS)) {
                return Wait.TARGET_GONE;
            }
        }
        long left = Math.max(0, nextTick - System.nanoTime()) / 1_000_000;
        return target.process().awaitExit((int) Math.min(left, timeoutMillis)) ? Wait.TARGET_GONE
                : nextTick - System.nanoTime() <= 1_000_000 ? Wait.DATA : Wait.TIMEOUT;
    }

    @Override
    public void drain(Recorder recorder) throws IOException {
        long now = System.nanoTime();
        if (!sampling || now < nextTick - 1_000_000) {
            return;
        }
        nextTick = Math.max(nextTick + periodNanos, now);
        stopper.settle();
        int[] tids;
        try {
            tids = target.process().tids();
        } catch (IOException e) {
            return; // the target has ended; await will report it
        }
        long before = stopper.overLimitNanos();
        try (CpuLatency _ = CpuLatency.lowest()) {
            look(tids, recorder);
        }
        long exceeding = stopper.overLimitNanos() - before;
        if (exceeding > 0) {
            rests++;
            nextTick = Math.max(nextTick, System.nanoTime() + REST * exceeding);
        }
    }

    private void look(int[] tids, Recorder recorder) throws IOException {
        for (int tid : tids) {
            if (replaced) {
                return;
            }
            long clock = clock(tid);
            Long before = seen.get(tid);
            if (before == null || clock < before) {
                threads.born(target.process().pid(), tid, System.nanoTime());
                before = event == RecordingEvent.CPU ? 0L : clock - periodNanos;
            }
            if (clock > before && sample(tid, clock - before, recorder)) {
                seen.put(tid, clock);
            }
        }
    }

    private long clock(int tid) {
        return event == RecordingEvent.CPU ? target.process().cpuNanos(tid) : System.nanoTime();
    }

    private boolean sample(int tid, long nanos, Recorder recorder) throws IOException {
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
                recorder.begin();
                recorder.write(tid, snapshot.time(), nanos, recorder.walk(tid, snapshot.time(), snapshot.registers(),
                        words -> snapshot.stack(), snapshot.stackWords()));
                return true;
            }
            case GONE -> {
                recorder.begin();
                recorder.write(tid, System.nanoTime(), nanos, WalkOutcome.THREAD_GONE);
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
        return description(event);
    }

    @Override
    public boolean seesKernel() {
        return true;
    }

    @Override
    public void account(Ledger.Builder ledger) {
        if (asked > MAX_HZ) {
            ledger.note("sampled at " + MAX_HZ + " Hz, the most that ptrace is used for, not at " + asked + " Hz");
        }
        ledger.note("sampled by stopping threads: " + stops);
        if (stopper.overLimit() > 0) {
            String stopsOver = stopper.overLimit() == 1 ? "1 stop" : stopper.overLimit() + " stops";
            ledger.note(stopsOver + " took longer than the limit of "
                    + ThreadStopper.STOP_LIMIT_NANOS / 1_000_000 + " ms, because the machine was busy; after "
                    + (rests == 1 ? "one round" : rests + " rounds") + " with such a stop nothing was stopped for "
                    + REST + " times as long");
        }
        refused.forEach((outcome, count) -> ledger.note(count + " looks at a thread came to nothing: " + outcome));
    }

    @Override
    public void close() {
        stopper.close();
    }
}
