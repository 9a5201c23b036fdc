package mayfly.record.event;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import mayfly.discovery.Doctor.Need;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import mayfly.discovery.RuntimeThreads;
import mayfly.linux.proc.ProcFile;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import mayfly.record.event.SourceCost.StackCopy;
import mayfly.record.suspension.DelaySample;
import mayfly.record.suspension.ObservedSuspension;
import mayfly.record.suspension.SuspenderThreads;
import mayfly.record.suspension.SuspensionTotals;
import mayfly.record.suspension.SuspensionWatch;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.suspension.Suspensions;
import mayfly.unwind.StackSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * The safepoints of the runtimes, each with the time until all threads stopped and the time for which they were
 * stopped. The times are the runtime's own, which are read a thousand times a second. Samples of CPU time show the
 * threads that ran while a safepoint waited for them; no other sample is walked.
 */
final class SafepointSource implements EventSource {
    static final SourceKind SYSTEM_WIDE = sampledBy(PerfSource.SYSTEM_WIDE);
    static final SourceKind PER_THREAD = sampledBy(PerfSource.PER_THREAD);
    /** The times without the threads. */
    static final SourceKind TIMES = new SourceKind(
            Collector.PTRACE,
            Set.of(Need.MEMORY),
            new SourceCost(0, SourceCost.ANY_RATE, List.of(new StackCopy(SourceCost.ANY_RATE, 0))),
            List.of("the threads that delay safepoints are not sampled: that needs perf events"),
            (request, kind) -> new SafepointSource(
                    request.target(), new NoSamples(request.target()), ManagedRuntime::suspensions));

    /** Samples per second of CPU time: a thread that delays a safepoint by 1 ms has about one. */
    private static final int HZ = 999;

    private static final String MAX_RATE = "/proc/sys/kernel/perf_event_max_sample_rate";
    private static final int LOOK_MILLIS = 1;
    private static final long LOOK_NANOS = LOOK_MILLIS * 1_000_000L;
    /** A wait that ends earlier has ended because samples must be drained. */
    private static final long FULL_WAIT_NANOS = 500_000;
    /** The least time between two drains because of a safepoint: the next one may begin during a drain. */
    private static final long DRAIN_NANOS = 20_000_000;

    private static final String REACHING = "reaching";
    private static final String STOPPED = "stopped";
    private static final String TIME_TO_SAFEPOINT = "[time to safepoint]";
    private static final String AT_SAFEPOINT = "[at safepoint]";
    private static final String NOT_SAMPLED = "[threads not sampled]";
    private static final String UNKNOWN = "[operation unknown]";

    private final InspectedProcess target;
    private final EventSource samples;
    private final Function<ManagedRuntime, Optional<Suspensions>> suspensions;
    private final RuntimeThreads threads;
    private final Map<RuntimeId, SuspensionWatch> watches = new LinkedHashMap<>();
    private final SuspenderThreads suspenders;
    private final SuspensionTotals totals = new SuspensionTotals();
    private int knownRuntimes;
    private long lastLook;
    private long lastDrain;
    private boolean sampling;

    /** @param suspensions returns those of a runtime, empty if it has no readable record */
    SafepointSource(
            InspectedProcess target, EventSource samples, Function<ManagedRuntime, Optional<Suspensions>> suspensions)
            throws IOException {
        this.target = target;
        this.samples = samples;
        this.suspensions = suspensions;
        this.threads = new RuntimeThreads(target);
        this.suspenders = new SuspenderThreads(target);
    }

    private static SourceKind sampledBy(SourceKind kind) {
        return new SourceKind(
                kind.collector(), kind.needs(), kind.cost(), List.of(), (request, row) -> open(request, kind));
    }

    private static EventSource open(SourceRequest request, SourceKind samples) throws Refused, IOException {
        int hz = Math.clamp(ProcFile.number(MAX_RATE, HZ), 1, HZ);
        EventSource opened = samples.open(request.at(hz));
        try {
            return new SafepointSource(request.target(), opened, ManagedRuntime::suspensions);
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    @Override
    public void requireSupport() throws Refused {
        if (target.runtimes().stream().map(suspensions).allMatch(Optional::isEmpty)) {
            throw new Refused(
                    Reason.UNSUPPORTED_VM,
                    "the JVM's record of its safepoints is not found",
                    "install the debug symbols of a JVM that is stripped of its symbols; a JVM of JDK 11 also needs"
                            + " -XX:+UsePerfData. Another way is the JVM's option -Xlog:safepoint");
        }
    }

    @Override
    public void enable() throws IOException {
        sampling = true;
        look();
        samples.enable();
    }

    @Override
    public boolean await(int timeoutMillis) {
        long deadline = System.nanoTime() + timeoutMillis * 1_000_000L;
        while (true) {
            long before = System.nanoTime();
            boolean goesOn = samples.await(Math.min(LOOK_MILLIS, timeoutMillis));
            look();
            if (!goesOn || lastLook - before < FULL_WAIT_NANOS || lastLook - deadline >= 0 || isDue()) {
                return goesOn;
            }
        }
    }

    @Override
    public int intervalMillis() {
        return LOOK_MILLIS;
    }

    @Override
    public boolean isDue() {
        return samples.isDue() || hasEndedSuspension();
    }

    private boolean hasEndedSuspension() {
        return lastLook - lastDrain > DRAIN_NANOS && watches.values().stream().anyMatch(SuspensionWatch::hasEnded);
    }

    /** Reads the latest suspension of each runtime. */
    private void look() {
        if (knownRuntimes < target.runtimes().size()) {
            knownRuntimes = target.runtimes().size();
            for (ManagedRuntime runtime : target.runtimes()) {
                suspensions
                        .apply(runtime)
                        .ifPresent(its -> watches.computeIfAbsent(
                                runtime.id(), id -> new SuspensionWatch(its, System::nanoTime)));
            }
        }
        for (SuspensionWatch watch : watches.values()) {
            try {
                watch.look();
            } catch (MemoryFault e) {
                continue; // the process is ending, which the next wait reports
            }
        }
        lastLook = System.nanoTime();
    }

    private void lookIfDue() {
        if (System.nanoTime() - lastLook > LOOK_NANOS) {
            look();
        }
    }

    @Override
    public void begin() {
        look();
        watches.values().forEach(SuspensionWatch::mark);
        samples.begin();
    }

    @Override
    public void drain(SampleSink sink) throws IOException {
        look(); // a suspension of a sample before the mark is known now
        samples.drain(new Delays(sink));
        for (Map.Entry<RuntimeId, SuspensionWatch> watched : watches.entrySet()) {
            SuspensionWatch watch = watched.getValue();
            for (ObservedSuspension next = watch.takeMarked(); next != null; next = watch.takeMarked()) {
                write(watched.getKey(), watch, next, sink);
            }
            ObservedSuspension open = sampling ? null : watch.finish(lastLook);
            if (open != null) {
                write(watched.getKey(), watch, open, sink);
            }
        }
        lastDrain = System.nanoTime();
    }

    private void write(RuntimeId runtime, SuspensionWatch watch, ObservedSuspension suspension, SampleSink sink)
            throws CaptureWriteException {
        totals.add(suspension);
        int suspender = suspenders.tid(runtime, watch::suspender);
        long left = suspension.reachingNanos();
        long samplesLeft = suspension.sampleCount();
        for (Map.Entry<DelaySample, Integer> delay : suspension.samples().entrySet()) {
            DelaySample sample = delay.getKey();
            long share = left / samplesLeft * delay.getValue();
            samplesLeft -= delay.getValue();
            share = samplesLeft == 0 ? left : share;
            left -= share;
            long[] values = values(share, REACHING, sink);
            sink.write(sample.tid(), suspension.reached(), values, sample.outcome(), sample.stack());
        }
        Frame reaching = new Frame.Stub(runtime, TIME_TO_SAFEPOINT);
        if (suspension.sampleCount() == 0) {
            Frame notSampled = new Frame.Stub(runtime, NOT_SAMPLED);
            write(suspender, suspension.reached(), values(left, REACHING, sink), notSampled, reaching, sink);
        }
        if (suspension.ended() > suspension.reached()) {
            Frame operation = new Frame.Stub(runtime, suspension.cause().isEmpty() ? UNKNOWN : suspension.cause());
            long[] values = values(suspension.stoppedNanos(), STOPPED, sink);
            write(suspender, suspension.ended(), values, operation, new Frame.Stub(runtime, AT_SAFEPOINT), sink);
        }
    }

    private static void write(int tid, long time, long[] values, Frame leaf, Frame root, SampleSink sink)
            throws CaptureWriteException {
        sink.begin();
        sink.accept(leaf);
        sink.accept(root);
        sink.write(tid, time, values, WalkOutcome.COMPLETE);
    }

    private static long[] values(long nanos, String phase, SampleSink sink) throws CaptureWriteException {
        return new long[] {nanos, sink.word(phase)};
    }

    @Override
    public long holdsNanos() {
        return samples.holdsNanos();
    }

    @Override
    public boolean hasRoom() {
        return samples.hasRoom();
    }

    @Override
    public void disable() {
        sampling = false;
        look();
        samples.disable();
    }

    @Override
    public long lost() {
        return samples.lost();
    }

    @Override
    public boolean isReplaced() {
        return samples.isReplaced();
    }

    @Override
    public void discard() {
        watches.clear();
        suspenders.clear();
        knownRuntimes = 0;
        samples.discard();
    }

    @Override
    public String description() {
        return "the JVM's own record of safepoints, read 1,000 times a second; threads: " + samples.description();
    }

    @Override
    public boolean hasKernelFrames() {
        return samples.hasKernelFrames();
    }

    @Override
    public void account(Ledger.Builder ledger) {
        samples.account(ledger);
        if (!watches.isEmpty()) {
            totals.notes(watches.values().stream()
                            .mapToLong(SuspensionWatch::missed)
                            .sum())
                    .forEach(ledger::note);
        }
        for (ManagedRuntime runtime : target.runtimes()) {
            if (!watches.containsKey(runtime.id())) {
                ledger.alarm("the safepoints of " + runtime.line() + " are missing: its record of them is not found");
            }
        }
    }

    @Override
    public void close() {
        samples.close();
    }

    /** Passes on the samples of threads that delay a suspension, as parts of it. */
    private final class Delays extends ForwardingSink {
        private @Nullable Walk walk;

        Delays(SampleSink sink) {
            super(sink);
        }

        @Override
        public void begin() {
            lookIfDue();
            walk = null;
            super.begin();
        }

        @Override
        public Walk walk(int tid, long time, Registers registers, StackSnapshot.Words words, int count) {
            if (watches.values().stream().allMatch(watch -> watch.waitingAt(time) == null)) {
                return Walk.NOT_WALKED;
            }
            Walk found = super.walk(tid, time, registers, words, count);
            walk = found;
            return found;
        }

        @Override
        public void write(int tid, long time, long value, WalkOutcome outcome) throws CaptureWriteException {
            Walk found = walk;
            if (found == null) {
                return;
            }
            int inner = threads.innerTid(tid);
            Frame.Managed innermost = found.innermostManaged();
            for (Map.Entry<RuntimeId, SuspensionWatch> watched : watches.entrySet()) {
                RuntimeId runtime = watched.getKey();
                boolean inManagedCode = found.startsInManagedCode()
                        && innermost != null
                        && innermost.runtime().equals(runtime);
                ObservedSuspension waiting = watched.getValue().waitingAt(time);
                if (waiting != null && waiting.isDelayedBy(inner, inManagedCode)) {
                    accept(new Frame.Stub(runtime, TIME_TO_SAFEPOINT));
                    waiting.add(new DelaySample(tid, keep(), outcome, innermost));
                    return; // a thread runs code of one runtime
                }
            }
        }

        @Override
        public void write(int tid, long time, long[] values, WalkOutcome outcome) throws CaptureWriteException {
            write(tid, time, values[0], outcome);
        }
    }

    /** A source without samples, for a process whose threads may not be sampled. */
    private record NoSamples(InspectedProcess target) implements EventSource {
        @Override
        public void enable() {
            // it has no samples
        }

        @Override
        public boolean await(int timeoutMillis) {
            return !target.process().life().awaitExit(timeoutMillis);
        }

        @Override
        public void drain(SampleSink sink) {
            // it has no samples
        }

        @Override
        public void disable() {
            // it has no samples
        }

        @Override
        public long lost() {
            return 0;
        }

        @Override
        public String description() {
            return "not sampled";
        }

        @Override
        public void account(Ledger.Builder ledger) {
            // it has no samples
        }

        @Override
        public void close() {
            // nothing is open
        }
    }
}
