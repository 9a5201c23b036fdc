package mayfly.record;

import java.io.IOException;
import java.util.Objects;
import mayfly.discovery.InspectedProcess;
import mayfly.linux.perf.PerfCollector.Wait;
import mayfly.linux.perf.PerfCollector;
import mayfly.linux.perf.PerfRecords;
import mayfly.linux.perf.PerfSample;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureWriteException;
import mayfly.unwind.StackSnapshot;
import org.jspecify.annotations.Nullable;

/** Samples from perf events: the kernel delivers registers and a copy of the stack. */
final class PerfSource implements EventSource {
    private static final Frame EXITING = new Frame.Native("", 0, "[exiting]", false);

    private final InspectedProcess target;
    private final PerfCollector collector;
    private final ThreadNames threads;
    private final boolean kernelFrames;
    private final boolean seesShortThreads;
    private final PerfRecords records = new Records();
    private final StackWords stack = new StackWords();
    private @Nullable Recorder recorder;
    private @Nullable CaptureWriteException failure;
    private boolean hadRuntime;
    private boolean replaced;
    /** The time at which the target executed its present program. */
    private long programSince = Long.MIN_VALUE;
    private long unsaved;

    /**
     * @param seesShortThreads true if threads that live shorter than a period are sampled like others
     */
    PerfSource(InspectedProcess target, PerfCollector collector, ThreadNames threads, boolean kernelFrames,
            boolean seesShortThreads) {
        this.target = target;
        this.collector = collector;
        this.threads = threads;
        this.kernelFrames = kernelFrames;
        this.seesShortThreads = seesShortThreads;
    }

    @Override
    public void enable() throws IOException {
        collector.enable();
        // From here on the kernel reports every execve; an earlier one must be detected separately.
        replaced = target.isReplaced();
    }

    @Override
    public Wait await(int timeoutMillis) {
        return collector.await(timeoutMillis);
    }

    @Override
    public void begin() {
        collector.begin();
    }

    @Override
    public void drain(Recorder into) throws IOException {
        recorder = into;
        followExec();
        collector.drain(records);
        hadRuntime = !target.runtimes().isEmpty();
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns true if the target has called execve(2) since the last call of this method. */
    private boolean followExec() {
        long exec = collector.lastExec();
        boolean isNew = exec > programSince;
        if (isNew) {
            programSince = exec;
            target.followExec();
        }
        return isNew;
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
        collector.drain(new PerfRecords() {
            @Override
            public void sample(PerfSample sample) {
                // a sample of the launcher
            }
        });
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
    public void account(Ledger.Builder ledger) {
        ledger.addLost(collector.lost()).addThrottled(collector.throttled()).addUnsavedStacks(unsaved);
        if (unsaved > 0) {
            ledger.note("deep stacks were sampled faster than they could be walked: of " + unsaved
                    + " the outer part could not be saved, and was read later; a lower rate leaves time for all");
        }
        if (collector.malformed() > 0) {
            ledger.alarm(collector.malformed() + " records of the kernel contradicted themselves and were dropped");
        }
        if (!seesShortThreads) {
            ledger.note("threads that live shorter than a sampling period are under-represented;"
                    + " the system-wide collector (root or CAP_PERFMON) sees them");
        }
        if (!collector.seesKernel()) {
            ledger.note("time in the kernel is not sampled: this user may sample user space only");
        }
    }

    @Override
    public void close() {
        collector.close();
    }

    private final class Records implements PerfRecords {
        @Override
        public void sample(PerfSample sample) {
            Recorder into = recorder;
            if (failure != null || into == null || replaced) {
                return; // samples after an execve belong to another program
            }
            try {
                take(sample, into);
            } catch (CaptureWriteException e) {
                failure = e;
            }
        }

        private void take(PerfSample sample, Recorder into) throws CaptureWriteException {
            into.begin();
            if (kernelFrames) {
                for (int i = 0; i < sample.kernelChainLength(); i++) {
                    into.kernelFrame(sample.kernelChain()[i]);
                }
            }
            if (sample.hasRegisters()) {
                WalkOutcome outcome = walk(sample, into);
                into.write(sample.tid(), sample.time(), sample.period(), outcome);
                if (outcome == WalkOutcome.COMPLETE || outcome == WalkOutcome.SHORTENED
                        || outcome == WalkOutcome.UNPROVEN) {
                    collector.stackEndsAt(sample.tid(), into.stackEnd());
                }
                target.turnToFormer(false);
            } else if (!sample.hasAddressSpace()) {
                // An exiting thread will not return to user space: its kernel frames are its whole stack.
                into.accept(EXITING);
                into.write(sample.tid(), sample.time(), sample.period(), WalkOutcome.COMPLETE);
            } else {
                into.write(sample.tid(), sample.time(), sample.period(), WalkOutcome.NO_USER_CONTEXT);
            }
        }

        private WalkOutcome walk(PerfSample sample, Recorder into) {
            stack.sample = sample;
            unsaved += sample.stackLacksRoom() ? 1 : 0;
            WalkOutcome outcome = walkOnce(sample, into);
            if (outcome.isBroken() && target.runtimes().isEmpty() && followExec()) {
                into.dropWalk(); // the program was replaced after the drain began
                outcome = walkOnce(sample, into);
            }
            if (outcome.isBroken() && isOfFormer(sample)) {
                into.dropWalk();
                return WalkOutcome.PROGRAM_REPLACED;
            }
            return outcome;
        }

        private WalkOutcome walkOnce(PerfSample sample, Recorder into) {
            target.turnToFormer(sample.time() < programSince);
            return into.walk(sample.tid(), sample.time(), sample.registers(), stack, sample.stackWords());
        }

        /**
         * Returns true if the sample belongs to the previous program. During an execve the registers are still those
         * of the call.
         */
        private boolean isOfFormer(PerfSample sample) {
            return sample.time() < programSince || target.isOfFormer(sample.registers().pc());
        }

        @Override
        public void comm(int tid, String name, boolean exec) {
            // A launcher's execve before the start of the JVM replaces nothing. Its record may be read late, when the
            // JVM is already known; in that case the address space of the JVM is unchanged.
            replaced |= exec && hadRuntime && tid == target.process().pid() && target.isReplaced();
            try {
                threads.renamed(tid, name, System.nanoTime());
            } catch (CaptureWriteException e) {
                failure = e;
            }
        }

        @Override
        public void fork(int parentTid, int tid, long time) {
            threads.born(parentTid, tid, time);
        }
    }

    /** What a sample has of the stack, in the walker's terms. */
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
