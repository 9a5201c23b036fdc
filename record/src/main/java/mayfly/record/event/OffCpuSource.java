package mayfly.record.event;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.stream.Collectors;
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
import mayfly.record.event.ThreadWaits.Change;
import mayfly.record.event.ThreadWaits.Kind;

/**
 * The waits of all threads. The kernel records when a thread leaves a CPU and when it runs again, so the durations are
 * exact. The stack of a wait is copied while the wait lasts: a blocked stack does not change.
 */
final class OffCpuSource implements EventSource {
    /** The kernel permits the records of switches to every user, for processes of the same user. */
    static final SourceKind PER_THREAD = new SourceKind(
            Collector.PER_THREAD,
            Set.of(Need.MEMORY, Need.PERF_PER_THREAD),
            new SourceCost(0, SourceCost.ANY_RATE, List.of(new StackCopy(SourceCost.ANY_RATE, 1 << 20))),
            List.of("a virtual thread waits on no CPU while it is not mounted, and is not recorded then"),
            OffCpuSource::open);

    /** A ring is read every 2 ms, and a switch has two records of 48 bytes. */
    private static final int RING_BYTES = 4 << 20;

    private static final int POLL_MILLIS = 2;
    /** The time after which a record has certainly reached its ring. */
    private static final long ARRIVAL_NANOS = 500_000;
    /** Upper bound on the copies that wait to be walked. */
    private static final long MAX_COPIED_BYTES = 64 << 20;
    /** Copies may use the CPU for this part of the recording's time. */
    private static final int COPY_PART = 4;

    private static final long FIRST_COPY_NANOS = 1_000_000_000;
    private static final long SHORT_NANOS = 1_000_000_000;
    private static final Frame PREEMPTED = new Frame.Native("", 0, "[preempted]", false);

    private final InspectedProcess target;
    private final PerfCollector collector;
    private final WaitCopier copier;
    private final ThreadWaits waits;
    private final Frame shortWaits;
    private final PerfRecords records = new Records();
    /** The reports for the sink that arrived since the last drain. */
    private final List<Report> reports = new ArrayList<>();

    private final Queue<ThreadWait> copied = new ArrayDeque<>();
    private final Map<WaitReason, Long> nanosByReason = new EnumMap<>(WaitReason.class);
    private long copiedBytes;
    private long begunNanos;
    private long endNanos = Long.MIN_VALUE;
    private long cpuBefore = -1;
    private long cpuNanos = -1;
    private long copyNanos;
    private long notCopied;
    private long lost;
    private long lastShort;
    private boolean finished;
    private boolean replaced;

    /** Passes a record to the sink. */
    private interface Report {
        void to(SampleSink sink) throws CaptureWriteException;
    }

    private OffCpuSource(SourceRequest request, PerfCollector collector, WaitCopier copier) {
        this.target = request.target();
        this.collector = collector;
        this.copier = copier;
        this.waits = new ThreadWaits(request.minWaitNanos());
        this.shortWaits = new Frame.Native("", 0, "[waits below " + millis(request.minWaitNanos()) + " ms]", false);
    }

    private static String millis(long nanos) {
        return nanos % 1_000_000 == 0
                ? Long.toString(nanos / 1_000_000)
                : String.format(Locale.ROOT, "%.3f", nanos / 1e6);
    }

    private static OffCpuSource open(SourceRequest request, SourceKind kind) throws Refused, IOException {
        PerfOptions options = new PerfOptions(1, 0, false, request.spawned(), RING_BYTES);
        try (Owned owned = new Owned()) {
            PerfCollector collector =
                    owned.add(PerfCollector.switches(request.target().process(), options));
            WaitCopier copier = owned.add(new WaitCopier(request.target(), request.kernel()));
            return owned.release(new OffCpuSource(request, collector, copier));
        } catch (PerfUnavailable e) {
            throw Refusals.of(e);
        }
    }

    @Override
    public void enable() throws IOException {
        collector.enable();
        replaced = target.isReplaced();
        begunNanos = System.nanoTime();
        lastShort = begunNanos;
        cpuBefore = cpu();
        for (int tid : target.process().tids()) {
            waits.found(tid, begunNanos);
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
        long deadline = System.nanoTime() + timeoutMillis * 1_000_000L;
        boolean goesOn;
        do {
            long left = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
            goesOn = collector.await((int) Math.min(POLL_MILLIS, left)) != Wait.TARGET_GONE;
            read();
            if (goesOn) {
                copyDue();
            }
        } while (goesOn && copiedBytes < MAX_COPIED_BYTES && System.nanoTime() - deadline < 0);
        return goesOn;
    }

    private void read() {
        long now = System.nanoTime();
        collector.begin();
        collector.drain(records);
        waits.advance(now - ARRIVAL_NANOS);
        if (collector.lost() > lost) {
            lost = collector.lost();
            waits.restart(now);
        }
    }

    /** Copies the stacks of the waits that have reached the shortest duration. */
    private void copyDue() {
        long now = System.nanoTime();
        long before = KernelClock.THREAD_CPU.nanos();
        long budget = FIRST_COPY_NANOS + (now - begunNanos) / COPY_PART;
        for (ThreadWait wait = waits.nextDue(now); wait != null; wait = waits.nextDue(now)) {
            if (copyNanos + KernelClock.THREAD_CPU.nanos() - before > budget || copiedBytes > MAX_COPIED_BYTES) {
                notCopied++;
                break; // the others are due again
            }
            switch (copier.copy(wait.tid(), wait.since())) {
                case WaitCopier.Attempt.Copied(BlockedStack stack) -> {
                    wait.copied(stack);
                    copied.add(wait);
                    copiedBytes += 8L * stack.words().length;
                }
                case WaitCopier.Attempt.Runs _ -> waits.runs(wait);
                case WaitCopier.Attempt.TooEarly _ -> {
                    continue; // it is due again
                }
            }
        }
        copyNanos += KernelClock.THREAD_CPU.nanos() - before;
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
    }

    private void walkCopies(SampleSink sink) throws CaptureWriteException {
        for (ThreadWait wait = copied.poll(); wait != null; wait = copied.poll()) {
            BlockedStack copy = wait.copy();
            if (copy == null) {
                continue; // it belongs to a later wait
            }
            sink.begin();
            copy.kernel().forEach(sink::accept);
            SampledWalk walk =
                    sink.walk(wait.tid(), copy.time(), copy.registers(), _ -> copy.words(), copy.words().length);
            if (walk.outcome().isBroken() && !walk.hasManaged() && copy.hasManaged()) {
                walk = sink.continueAt(
                        wait.tid(),
                        copy.time(),
                        copy.managedFrame(),
                        _ -> copy.words(),
                        copy.words().length,
                        copy.registers().sp());
            }
            wait.walked(sink.keep(), walk.outcome());
        }
        copiedBytes = 0;
    }

    private void write(ThreadWait wait, SampleSink sink) throws CaptureWriteException {
        nanosByReason.merge(wait.reason(), wait.nanos(), Long::sum);
        long[] values = {wait.nanos(), sink.word(wait.reason().word())};
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
            nanosByReason.merge(WaitReason.SHORT, sum.nanos(), Long::sum);
            sink.begin();
            sink.accept(shortWaits);
            sink.write(
                    sum.tid(), now, new long[] {sum.nanos(), sink.word(WaitReason.SHORT.word())}, WalkOutcome.COMPLETE);
        }
    }

    @Override
    public void disable() {
        collector.disable();
        endNanos = System.nanoTime();
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
    public boolean hasKernelFrames() {
        return false; // these have names, not addresses
    }

    @Override
    public void account(Ledger.Builder ledger) {
        ledger.addLost(collector.lost());
        if (collector.malformed() > 0) {
            ledger.alarm(collector.malformed() + " malformed records from the kernel were dropped");
        }
        if (!nanosByReason.isEmpty()) {
            ledger.note("waits by reason: "
                    + nanosByReason.entrySet().stream()
                            .sorted(Map.Entry.<WaitReason, Long>comparingByValue()
                                    .reversed())
                            .map(sum -> sum.getKey().word() + " " + seconds(sum.getValue()))
                            .collect(Collectors.joining(", ")));
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
        if (waits.unpaired() > 0) {
            ledger.note(waits.unpaired() + " waits are missing, because one of their two records was lost");
        }
        if (notCopied > 0) {
            ledger.note("copies of stacks were put off " + notCopied + " times, because they had used their share of"
                    + " CPU time or memory; a longer shortest wait needs fewer");
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
        }

        @Override
        public void comm(int tid, String name, boolean exec) {
            long now = System.nanoTime();
            reports.add(sink -> sink.renamed(tid, name, now));
        }
    }
}
