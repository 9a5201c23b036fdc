package mayfly.record.event;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import mayfly.discovery.Doctor.Need;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refusals;
import mayfly.discovery.Refused;
import mayfly.linux.LiveProcess;
import mayfly.linux.perf.PerfCollector;
import mayfly.linux.perf.PerfCollector.Wait;
import mayfly.linux.perf.PerfOptions;
import mayfly.linux.perf.PerfRecords;
import mayfly.linux.perf.PerfSample;
import mayfly.linux.perf.PerfUnavailable;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.WalkOutcome;
import mayfly.record.event.SourceCost.StackCopy;
import mayfly.runtime.FrameSink;
import mayfly.unwind.StackSnapshot;
import org.jspecify.annotations.Nullable;

/** Samples from perf events: the kernel delivers registers and a copy of the stack. */
final class PerfSource implements EventSource {
    /**
     * One perf event for each CPU. In the ring, a record takes the space of a complete copy regardless of the depth of
     * the stack, and the ring must hold the records that arrive while this process is prevented from draining it. At
     * low rates there is room for records of the maximum size, so even most stacks of compiler threads fit.
     */
    static final SourceKind SYSTEM_WIDE = new SourceKind(
            Collector.SYSTEM_WIDE,
            Set.of(Need.MEMORY, Need.PERF_SYSTEM_WIDE),
            new SourceCost(
                    0,
                    SourceCost.ANY_RATE,
                    List.of(
                            new StackCopy(250, 62 << 10),
                            new StackCopy(2_000, 32 << 10),
                            new StackCopy(SourceCost.ANY_RATE, 16 << 10))),
            List.of(),
            (request, kind) -> open(request, kind, PerfCollector::systemWide));

    /** One perf event for each thread. */
    static final SourceKind PER_THREAD = new SourceKind(
            Collector.PER_THREAD,
            Set.of(Need.MEMORY, Need.PERF_PER_THREAD),
            new SourceCost(
                    0,
                    SourceCost.ANY_RATE,
                    List.of(new StackCopy(2_000, 32 << 10), new StackCopy(SourceCost.ANY_RATE, 16 << 10))),
            List.of("threads that live for less than a sampling period are under-represented;"
                    + " the system-wide collector (root or CAP_PERFMON) sees them"),
            (request, kind) -> open(request, kind, PerfCollector::perThread));

    /**
     * Upper bound on a ring: half a second of samples at 999 Hz; smaller if the permitted locked memory is exceeded.
     */
    private static final int RING_BYTES = 16 << 20;

    private static final Frame EXITING = new Frame.Native("", 0, "[exiting]", false);

    /** Opens the perf events. */
    private interface Events {
        PerfCollector open(LiveProcess target, PerfOptions options) throws PerfUnavailable, IOException;
    }

    private final InspectedProcess target;
    private final PerfCollector collector;
    private final boolean kernelFrames;
    private final long holdsNanos;
    private final PerfRecords records = new Records();
    private final StackWords stack = new StackWords();
    private @Nullable SampleSink sink;
    private @Nullable CaptureWriteException failure;
    private boolean hadRuntime;
    private boolean replaced;
    /** True if the kernel has reported data since the last drain. */
    private boolean hasData;

    private long unsaved;

    private PerfSource(SourceRequest request, PerfCollector collector, PerfOptions options) {
        this.target = request.target();
        this.holdsNanos = collector.holdsNanos(options);
        this.collector = collector;
        this.kernelFrames = request.kernel() && collector.seesKernel();
    }

    private static PerfSource open(SourceRequest request, SourceKind kind, Events events) throws Refused, IOException {
        int hz = request.rateHz();
        PerfOptions options = new PerfOptions(
                        hz, kind.cost().stackBytes(hz), request.kernel(), request.spawned(), RING_BYTES)
                .sharedBy(request.sources());
        try {
            return new PerfSource(request, events.open(request.target().process(), options), options);
        } catch (PerfUnavailable e) {
            throw Refusals.of(e);
        }
    }

    @Override
    public void enable() throws IOException {
        collector.enable();
        // From here on the kernel reports every execve; an earlier one must be detected separately.
        replaced = target.isReplaced();
    }

    @Override
    public boolean await(int timeoutMillis) {
        Wait wait = collector.await(timeoutMillis);
        hasData |= wait == Wait.DATA;
        return wait != Wait.TARGET_GONE;
    }

    @Override
    public boolean isDue() {
        return hasData || collector.isNearlyFull();
    }

    @Override
    public void begin() {
        collector.begin();
    }

    @Override
    public void drain(SampleSink into) throws IOException {
        sink = into;
        hasData = false;
        followExec();
        collector.drain(records);
        hadRuntime = !target.runtimes().isEmpty();
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns true if the target has called execve(2) since the last call of this method. */
    private boolean followExec() {
        return target.followExec(collector.lastExec());
    }

    @Override
    public long holdsNanos() {
        return holdsNanos;
    }

    @Override
    public boolean hasRoom() {
        return !collector.isNearlyFull();
    }

    @Override
    public void disable() {
        collector.disable();
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
    public void discard() {
        hasData = false;
        collector.drain(new PerfRecords() {
            @Override
            public void sample(PerfSample sample) {
                // a sample that is not wanted
            }
        });
        replaced = target.isReplaced(); // the record of an execve may be among those that were dropped
    }

    @Override
    public String description() {
        return collector.description();
    }

    @Override
    public boolean seesKernel() {
        return collector.seesKernel();
    }

    @Override
    public boolean hasKernelFrames() {
        return kernelFrames;
    }

    @Override
    public void account(Ledger.Builder ledger) {
        ledger.addLost(collector.lost()).addThrottled(collector.throttled()).addUnsavedStacks(unsaved);
        if (unsaved > 0) {
            ledger.note("deep stacks were sampled faster than they could be walked: the outer part of " + unsaved
                    + " stacks could not be saved, and was read later; at a lower rate all can be saved");
        }
        if (collector.malformed() > 0) {
            ledger.alarm(collector.malformed() + " malformed records from the kernel were dropped");
        }
        if (!collector.seesKernel()) {
            ledger.note("time in the kernel is not sampled: this user may sample user space only");
        }
    }

    @Override
    public void close() {
        collector.close();
    }

    /** An exiting thread will not return to user space: its kernel frames are its whole stack. */
    static WalkOutcome withoutRegisters(boolean hasAddressSpace, FrameSink into) {
        if (hasAddressSpace) {
            return WalkOutcome.NO_USER_CONTEXT;
        }
        into.accept(EXITING);
        return WalkOutcome.COMPLETE;
    }

    private final class Records implements PerfRecords {
        @Override
        public void sample(PerfSample sample) {
            SampleSink into = sink;
            if (failure != null || into == null || replaced) {
                return; // samples after an execve belong to another program
            }
            try {
                take(sample, into);
            } catch (CaptureWriteException e) {
                failure = e;
            }
        }

        private void take(PerfSample sample, SampleSink into) throws CaptureWriteException {
            into.begin();
            if (kernelFrames) {
                for (int i = 0; i < sample.kernelChainLength(); i++) {
                    into.kernelFrame(sample.kernelChain()[i]);
                }
            }
            if (sample.hasRegisters()) {
                walked(sample, into);
            } else {
                WalkOutcome outcome = withoutRegisters(sample.hasAddressSpace(), into);
                into.write(sample.tid(), sample.time(), sample.period(), outcome);
            }
        }

        private void walked(PerfSample sample, SampleSink into) throws CaptureWriteException {
            stack.sample = sample;
            unsaved += sample.stackLacksRoom() ? 1 : 0;
            SampleSink.Walk walk = walk(sample, into);
            WalkOutcome outcome = walk.outcome();
            if (outcome.isBroken()
                    && target.isOfFormer(sample.time(), sample.registers().pc())) {
                walk.drop();
                outcome = WalkOutcome.PROGRAM_REPLACED;
            }
            into.write(sample.tid(), sample.time(), sample.period(), outcome);
            if (outcome == WalkOutcome.COMPLETE
                    || outcome == WalkOutcome.SHORTENED
                    || outcome == WalkOutcome.UNPROVEN) {
                collector.stackEndsAt(sample.tid(), walk.stackEnd());
            }
        }

        private SampleSink.Walk walk(PerfSample sample, SampleSink into) {
            SampleSink.Walk walk = walkOnce(sample, into);
            if (walk.outcome().isBroken() && target.runtimes().isEmpty() && followExec()) {
                walk.drop(); // the program was replaced after the drain began
                return walkOnce(sample, into);
            }
            return walk;
        }

        private SampleSink.Walk walkOnce(PerfSample sample, SampleSink into) {
            return into.walk(sample.tid(), sample.time(), sample.registers(), stack, sample.stackWords());
        }

        @Override
        public void comm(int tid, String name, boolean exec) {
            // A launcher's execve before the start of the JVM replaces nothing. Its record may be read late, when the
            // JVM is already known; in that case the address space of the JVM is unchanged.
            replaced |= exec && hadRuntime && tid == target.process().pid() && target.isReplaced();
            SampleSink into = sink;
            if (into == null) {
                return;
            }
            try {
                into.renamed(tid, name, System.nanoTime());
            } catch (CaptureWriteException e) {
                failure = e;
            }
        }

        @Override
        public void fork(int parentTid, int tid, long time) {
            SampleSink into = sink;
            if (into != null) {
                into.born(parentTid, tid, time);
            }
        }
    }

    /** The stack words of a sample, as the walker reads them. */
    private static final class StackWords implements StackSnapshot.Words {
        private @Nullable PerfSample sample;

        @Override
        public long[] atLeast(int count) {
            return sample().stack(count);
        }

        @Override
        public boolean hasSaved(long address) {
            return sample().hasSaved(address);
        }

        @Override
        public long saved(long address) {
            return sample().saved(address);
        }

        private PerfSample sample() {
            return Objects.requireNonNull(sample);
        }
    }
}
