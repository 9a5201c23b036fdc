package mayfly.record.event;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import mayfly.discovery.Doctor.Need;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refusals;
import mayfly.discovery.Refused;
import mayfly.linux.perf.PerfCollector;
import mayfly.linux.perf.PerfCollector.Wait;
import mayfly.linux.perf.PerfOptions;
import mayfly.linux.perf.PerfRecords;
import mayfly.linux.perf.PerfSample;
import mayfly.linux.perf.PerfUnavailable;
import mayfly.linux.sys.KernelClock;
import mayfly.linux.sys.Owned;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.WalkOutcome;
import mayfly.record.event.SourceCost.StackCopy;
import mayfly.record.wait.BlockedStack;
import mayfly.record.wait.ContendedLock;
import mayfly.record.wait.LockLookup;
import mayfly.record.wait.LockTotals;
import mayfly.record.wait.ReasonTotals;
import mayfly.record.wait.ThreadWait;
import mayfly.record.wait.ThreadWaits;
import mayfly.record.wait.ThreadWaits.Change;
import mayfly.record.wait.ThreadWaits.Kind;
import mayfly.record.wait.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * The waits of all threads. The kernel records when a thread leaves a CPU and when it runs again, so the durations are
 * exact. The stack of a wait is copied while the wait lasts: a blocked stack does not change.
 */
final class OffCpuSource implements EventSource {
    /** The kernel permits the records of switches to ordinary users, for processes of the same user. */
    static final SourceKind PER_THREAD = new SourceKind(
            Collector.PER_THREAD,
            Set.of(Need.MEMORY, Need.PERF_PER_THREAD),
            new SourceCost(0, SourceCost.ANY_RATE, List.of(new StackCopy(SourceCost.ANY_RATE, 1 << 20))),
            List.of("a virtual thread waits on no CPU while it is not mounted, and is not recorded then"),
            (request, kind) -> open(request, null));

    /** The waits for locks alone. */
    static final SourceKind LOCKS = new SourceKind(
            PER_THREAD.collector(),
            PER_THREAD.needs(),
            PER_THREAD.cost(),
            List.of("a virtual thread that waits for a lock while it is not mounted is not recorded"),
            (request, kind) -> open(request, new LockLookup(System::nanoTime, KernelClock.THREAD_CPU::nanos)));

    /** A ring is read every 2 ms, and a switch has two records of 48 bytes. */
    private static final int RING_BYTES = 4 << 20;

    private static final int POLL_MILLIS = 2;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** The time after which a record has certainly reached its ring. */
    private static final long ARRIVAL_NANOS = 500_000;
    /** Copies and walks are interrupted after this time to read the rings. */
    private static final long SLICE_NANOS = 2_000_000;
    /** Upper bound on the copies between two drains: the heap of this process is small. */
    private static final long MAX_COPIED_BYTES = 8 << 20;
    /** Copies may use the CPU for this part of the recording's time. */
    private static final int COPY_PART = 4;

    private static final long FIRST_COPY_NANOS = 1_000_000_000;
    private static final long SHORT_NANOS = 1_000_000_000;
    private static final Frame PREEMPTED = new Frame.Native("", 0, "[preempted]", false);

    private final InspectedProcess target;
    private final PerfCollector collector;
    private final WaitCopier copier;
    private final ThreadWaits waits;
    private final long minNanos;
    private final boolean kernelWanted;
    private final Frame shortWaits;
    /** Reads the locks; null if all waits are recorded. */
    private final @Nullable LockLookup locks;

    private final LockTotals lockTotals;
    /** The waits for locks whose owners are to be read. */
    private final Map<ThreadWait, WaitCopier.Attempt.Locked> unowned = new LinkedHashMap<>();

    private final PerfRecords records = new Records();
    /** The reports for the sink that arrived since the last drain. */
    private final List<Report> reports = new ArrayList<>();

    private final ReasonTotals reasons = new ReasonTotals();
    private long copiedBytes;
    private long begunNanos;
    private long endNanos = Long.MIN_VALUE;
    private long cpuBefore = -1;
    private long cpuNanos = -1;
    private long copyNanos;
    private long postponed;
    private long unreadable;
    private long lost;
    private long lastShort;
    private boolean hadRuntime;
    private boolean finished;
    private boolean replaced;

    /** Passes a record to the sink. */
    private interface Report {
        void to(SampleSink sink) throws CaptureWriteException;
    }

    private OffCpuSource(
            SourceRequest request, PerfCollector collector, WaitCopier copier, @Nullable LockLookup locks) {
        this.target = request.target();
        this.collector = collector;
        this.copier = copier;
        this.minNanos = request.minWaitNanos();
        this.kernelWanted = request.kernel();
        this.locks = locks;
        this.lockTotals = new LockTotals(minNanos);
        this.waits = new ThreadWaits(minNanos);
        this.shortWaits = new Frame.Native("", 0, "[waits below " + minNanos / 1_000_000 + " ms]", false);
    }

    private static OffCpuSource open(SourceRequest request, @Nullable LockLookup locks) throws Refused, IOException {
        PerfOptions options = new PerfOptions(1, 0, false, request.spawned(), RING_BYTES).sharedBy(request.sources());
        try (Owned owned = new Owned()) {
            PerfCollector collector =
                    owned.add(PerfCollector.switches(request.target().process(), options));
            boolean kernel = request.kernel() && locks == null; // below a wait for a lock it is always the same
            WaitCopier copier = owned.add(WaitCopier.open(request.target(), kernel, locks));
            return owned.release(new OffCpuSource(request, collector, copier, locks));
        } catch (PerfUnavailable e) {
            throw Refusals.of(e);
        }
    }

    @Override
    public void enable() throws IOException {
        begin(System.nanoTime());
        collector.enable();
        find(System.nanoTime()); // a thread that started before its events were enabled has no record of that
        replaced = target.isReplaced();
    }

    private void begin(long now) throws IOException {
        begunNanos = now;
        lastShort = now;
        cpuBefore = cpu();
        find(now);
    }

    private void find(long now) throws IOException {
        for (int tid : target.process().tids()) {
            waits.found(tid, now);
        }
    }

    private long cpu() {
        try {
            return target.process().facts().cpuTime().nanos();
        } catch (IOException e) {
            return -1; // the process has ended
        }
    }

    @Override
    public boolean await(int timeoutMillis) {
        long deadline = System.nanoTime() + timeoutMillis * NANOS_PER_MILLI;
        boolean goesOn;
        do {
            long left = Math.max(0, (deadline - System.nanoTime() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
            goesOn = collector.await((int) Math.min(POLL_MILLIS, left)) != Wait.TARGET_GONE;
            read();
            if (goesOn) {
                copyDue();
            }
        } while (goesOn && !isDue() && System.nanoTime() - deadline < 0);
        return goesOn;
    }

    /** The records of switches are read while samples wait, and the copies have a bound. */
    @Override
    public boolean hasRoom() {
        return !isDue();
    }

    @Override
    public int intervalMillis() {
        return POLL_MILLIS;
    }

    @Override
    public boolean isDue() {
        return copiedBytes >= MAX_COPIED_BYTES;
    }

    private void read() {
        long now = System.nanoTime();
        collector.begin();
        collector.drain(records);
        if (collector.lost() > lost) {
            lost = collector.lost();
            restart(now);
        } else {
            waits.advance(now - ARRIVAL_NANOS);
        }
    }

    private void restart(long now) {
        try {
            waits.restart(now, target.process().tids());
        } catch (IOException e) {
            waits.restart(now, new int[0]); // the process has ended
        }
    }

    /** Copies the stacks of the waits that have lasted for long enough. */
    private void copyDue() {
        long begun = System.nanoTime();
        long before = KernelClock.THREAD_CPU.nanos();
        long budget = FIRST_COPY_NANOS + (begun - begunNanos) / COPY_PART;
        long now = begun;
        while (now - begun < SLICE_NANOS && !isDue()) {
            if (copyNanos + KernelClock.THREAD_CPU.nanos() - before > budget) {
                postponed++;
                break;
            }
            ThreadWait wait = waits.nextDue(now);
            if (wait == null) {
                break;
            }
            copy(wait, now);
            now = System.nanoTime();
        }
        readOwners();
        copyNanos += KernelClock.THREAD_CPU.nanos() - before;
    }

    private void copy(ThreadWait wait, long now) {
        switch (copier.copy(wait.tid(), waits.existsSince(wait))) {
            case WaitCopier.Attempt.Copied(BlockedStack stack) -> {
                waits.copied(wait, stack);
                copiedBytes += 8L * stack.words().length;
            }
            case WaitCopier.Attempt.Runs _ -> waits.runs(wait, now);
            case WaitCopier.Attempt.TooEarly _ -> waits.putOff(wait, now + Math.min(minNanos, SLICE_NANOS));
            case WaitCopier.Attempt.Locked locked -> {
                unowned.put(wait, locked);
                copiedBytes += 8L * locked.stack().words().length;
            }
            case WaitCopier.Attempt.NoLock _ -> wait.dismiss();
            case WaitCopier.Attempt.LockUnread _ -> waits.retry(wait, now);
            case WaitCopier.Attempt.Unreadable _ -> unreadable++;
            case WaitCopier.Attempt.Ended _ -> copier.forget(wait.tid());
        }
    }

    /** Reads the owners of the locks for which the threads of the last copies wait: all in one search. */
    private void readOwners() {
        if (locks == null || unowned.isEmpty()) {
            return;
        }
        Iterator<ContendedLock> found = locks.locks(unowned.values().stream()
                        .map(WaitCopier.Attempt.Locked::lock)
                        .toList())
                .iterator();
        unowned.forEach((wait, locked) -> waits.copied(wait, locked.stack().with(found.next())));
        unowned.clear();
    }

    @Override
    public void drain(SampleSink sink) throws IOException {
        target.followExec(collector.lastExec());
        read();
        if (endNanos != Long.MIN_VALUE && !finished) {
            finished = true;
            waits.finish(endNanos);
        }
        for (Report report : reports) {
            report.to(sink);
        }
        reports.clear();
        if (replaced) {
            waits.clear(); // waits after an execve belong to another program
        }
        walkCopies(sink);
        for (ThreadWait wait : waits.takeOver()) {
            write(wait, sink);
        }
        long now = System.nanoTime();
        if (finished || now - lastShort > SHORT_NANOS) {
            lastShort = now;
            writeShort(now, sink);
        }
        long cpu = cpu();
        cpuNanos = cpu < 0 ? cpuNanos : cpu;
        hadRuntime = !target.runtimes().isEmpty();
    }

    private void walkCopies(SampleSink sink) throws CaptureWriteException {
        long since = System.nanoTime();
        for (ThreadWait wait = waits.nextCopied(); wait != null; wait = waits.nextCopied()) {
            BlockedStack copy = wait.copy();
            if (copy != null) {
                SampleSink.Walk walk = WaitCopier.walk(wait.tid(), copy, sink);
                wait.walked(sink.keep(), walk.outcome());
            }
            long now = System.nanoTime();
            if (!finished && now - since > SLICE_NANOS) {
                since = now;
                read();
            }
        }
        copiedBytes = 0;
    }

    private void write(ThreadWait wait, SampleSink sink) throws CaptureWriteException {
        reasons.add(wait.reason(), wait.nanos());
        ContendedLock lock = wait.lock();
        if (lock != null) {
            lockTotals.add(lock, wait.nanos());
        } else if (locks != null) {
            if (wait.reason() == WaitReason.UNKNOWN && !wait.isDismissed()) {
                lockTotals.addUnknown(wait.nanos());
            }
            return;
        }
        String state = lock == null ? wait.reason().word() : lock.kind().word();
        long[] values = {wait.nanos(), sink.word(state)};
        if (wait.isWalked()) {
            sink.write(wait.tid(), wait.until(), values, wait.outcome(), wait.stack());
            return;
        }
        sink.begin();
        if (wait.isPreempted()) {
            sink.accept(PREEMPTED);
        }
        sink.write(wait.tid(), wait.until(), values, WalkOutcome.NOT_COPIED);
    }

    private void writeShort(long now, SampleSink sink) throws CaptureWriteException {
        for (ThreadWaits.ShortWaits sum : waits.takeShort()) {
            reasons.add(WaitReason.SHORT, sum.nanos());
            lockTotals.addShort(sum.nanos());
            if (locks != null) {
                continue;
            }
            sink.begin();
            sink.accept(shortWaits);
            long[] values = {sum.nanos(), sink.word(WaitReason.SHORT.word())};
            sink.write(sum.tid(), now, values, WalkOutcome.COMPLETE);
        }
    }

    @Override
    public void disable() {
        endNanos = System.nanoTime();
        collector.disable();
    }

    /** The program starts now, and what its process has waited for until now is not its own. */
    @Override
    public void discard() {
        collector.drain(new PerfRecords() {
            @Override
            public void sample(PerfSample sample) {
                // the events take no samples
            }
        });
        lost = collector.lost();
        reports.clear();
        waits.clear();
        try {
            replaced = target.isReplaced();
            begin(System.nanoTime());
        } catch (IOException e) {
            replaced = true; // the process has ended
        }
    }

    @Override
    public long lost() {
        return collector.lost();
    }

    @Override
    public boolean isReplaced() {
        return replaced;
    }

    @Override
    public String description() {
        return collector.description() + "; stacks are copied while threads are blocked, and none is stopped";
    }

    @Override
    public void account(Ledger.Builder ledger) {
        ledger.addLost(collector.lost());
        if (collector.malformed() > 0) {
            ledger.alarm(collector.malformed() + " malformed records from the kernel were dropped");
        }
        if (locks != null) {
            lockTotals.notes(locks).forEach(ledger::note);
            accountForMissing(ledger);
            return;
        }
        if (!reasons.note().isEmpty()) {
            ledger.note(reasons.note());
        }
        if (cpuBefore >= 0 && cpuNanos >= cpuBefore && waits.livedNanos() > 0) {
            long both = waits.waitedNanos() + cpuNanos - cpuBefore;
            ledger.note(String.format(
                    Locale.ROOT,
                    "the threads waited for %s and ran for %s: %.1f %% of the %s for which they existed",
                    seconds(waits.waitedNanos()),
                    seconds(cpuNanos - cpuBefore),
                    100.0 * both / waits.livedNanos(),
                    seconds(waits.livedNanos())));
        }
        accountForMissing(ledger);
    }

    private void accountForMissing(Ledger.Builder ledger) {
        if (waits.unpaired() > 0) {
            ledger.note(waits.unpaired() + " waits are missing, because one of their two records was lost");
        }
        if (postponed > 0) {
            ledger.note("copies of stacks were put off " + postponed + " times, because they had used their share of"
                    + " CPU time; a longer shortest wait (--min-wait) needs fewer");
        }
        if (unreadable > 0) {
            ledger.note(unreadable + " stacks were not copied: the system call of the thread could not be read");
        }
        if (locks != null && kernelWanted) {
            ledger.note("waits for locks are shown without kernel frames, which are the same below each");
        } else if (kernelWanted && !copier.hasKernelFrames()) {
            ledger.note("kernel frames of waits may be read by root only");
        }
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.2f s", nanos / 1e9);
    }

    @Override
    public void close() {
        collector.close();
        copier.close();
    }

    private final class Records implements PerfRecords {
        @Override
        public void sample(PerfSample sample) {
            // the events take no samples
        }

        @Override
        public void switched(int tid, long time, Switch kind) {
            waits.add(new Change(
                    time,
                    tid,
                    switch (kind) {
                        case IN -> Kind.IN;
                        case OUT -> Kind.OUT;
                        case PREEMPTED -> Kind.PREEMPTED;
                    }));
        }

        @Override
        public void fork(int parentTid, int tid, long time) {
            waits.add(new Change(time, tid, Kind.STARTED));
            reports.add(sink -> sink.born(parentTid, tid, time));
        }

        @Override
        public void exit(int tid, long time) {
            waits.add(new Change(time, tid, Kind.ENDED));
            copier.forget(tid);
        }

        @Override
        public void comm(int tid, String name, boolean exec) {
            // As in a recording of CPU time, a launcher's execve before the start of the JVM replaces nothing.
            replaced |= exec && hadRuntime && tid == target.process().pid() && target.isReplaced();
            long now = System.nanoTime();
            reports.add(sink -> sink.renamed(tid, name, now));
        }
    }
}
