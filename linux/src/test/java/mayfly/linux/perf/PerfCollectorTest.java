package mayfly.linux.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.linux.CProgram;
import mayfly.linux.LiveProcess;
import mayfly.linux.bpf.BpfFilter;
import mayfly.linux.bpf.KernelTypes;
import mayfly.linux.proc.Permissions;
import mayfly.linux.trace.Spawn;
import mayfly.process.Mapping;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Samples of a program that only uses CPU time, so that the expected stacks are known. */
@Tag("privileged")
class PerfCollectorTest {
    private static final int HZ = 1999;
    private static final int ENOUGH = 500;
    /** The number of whole stacks required, and the upper bound on the deep stacks examined to find them. */
    private static final int WHOLE = 50;

    private static final int TRIED = 2_000;

    private final Map<Integer, Integer> samplesOf = new HashMap<>();
    private long inBurn;
    private long stacks;
    private long samples;
    private long inKernel;
    private long forks;
    private long exits;
    private long firstTime;
    private long lastTime;

    @BeforeEach
    void needsPerf() {
        assumeTrue(Probe.perThread(0, false).works(), "perf_event_open is not permitted");
    }

    private PerfRecords counting(long burn, Mapping stack) {
        return new PerfRecords() {
            @Override
            public void sample(PerfSample sample) {
                samples++;
                samplesOf.merge(sample.tid(), 1, Integer::sum);
                firstTime = firstTime == 0 ? sample.time() : Math.min(firstTime, sample.time());
                lastTime = Math.max(lastTime, sample.time());
                inKernel += sample.inKernel() ? 1 : 0;
                if (sample.ip() >= burn && sample.ip() < burn + 64) {
                    inBurn++;
                    assertThat(sample.registers().pc()).isEqualTo(sample.ip());
                    assertThat(sample.stackBase() & 7).isZero();
                }
                stacks += sample.stackWords() > 0 ? 1 : 0;
            }

            @Override
            public void fork(int parentTid, int tid, long time) {
                forks++;
            }

            @Override
            public void exit(int tid, long time) {
                exits++;
            }
        };
    }

    private void collect(PerfCollector collector, PerfRecords records, int enough) throws Exception {
        collector.enable();
        while (samples < enough && collector.await(50) != PerfCollector.Wait.TARGET_GONE) {
            collector.drain(records);
        }
        collector.disable();
        collector.drain(records);
    }

    private void burnsAreSeen(boolean systemWide, boolean bpf) throws Exception {
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid())) {
            long burn = Long.parseUnsignedLong(program.line().split(" ")[1].substring(2), 16);
            PerfOptions options = PerfOptions.at(HZ).withKernelFrames();
            try (PerfCollector collector =
                    systemWide ? SystemWide.open(p, options, bpf) : PerfCollector.perThread(p, options)) {
                long cpu = p.facts().cpuTime().nanos();
                collect(collector, counting(burn, p.mappings().getFirst()), ENOUGH);
                cpu = p.facts().cpuTime().nanos() - cpu;
                assertThat(inBurn).as(collector.description()).isGreaterThan(samples * 9 / 10);
                assertThat(stacks).isEqualTo(samples);
                // CPU time has a resolution of 10 ms: at most one tick of error at each end.
                assertThat((double) samples / HZ * 1e9).isBetween(cpu * 0.8 - 3e7, cpu * 1.2 + 3e7);
                assertThat(lastTime - System.nanoTime()).isNegative();
                assertThat(collector.malformed()).isZero();
                if (bpf || !systemWide) {
                    // Otherwise the samples of every process pass through the rings, which may overflow on a busy
                    // machine.
                    assertThat(collector.lost()).isZero();
                }
            }
        }
    }

    @Test
    void busyFunctionsAreSampledPerThread() throws Exception {
        burnsAreSeen(false, false);
    }

    @Test
    void busyFunctionsAreSampledSystemWideWithKernelFilter() throws Exception {
        assumeTrue(Probe.systemWide().works(), "system-wide events are not permitted");
        burnsAreSeen(true, true);
    }

    @Test
    void busyFunctionsAreSampledSystemWideWithUserFilter() throws Exception {
        assumeTrue(Probe.systemWide().works(), "system-wide events are not permitted");
        burnsAreSeen(true, false);
    }

    @Test
    void theKernelDropsOtherProcessesSamples() throws Exception {
        assumeTrue(Probe.systemWide().works(), "system-wide events are not permitted");
        try (CProgram other = CProgram.start("target", "b");
                CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid())) {
            other.line();
            program.line();
            try (PerfCollector collector = PerfCollector.systemWide(p, PerfOptions.at(HZ))) {
                assumeTrue(collector.description().endsWith("in the kernel"), "bpf(2) is not permitted");
                collect(collector, counting(0, p.mappings().getFirst()), ENOUGH);
                assertThat(collector.dropped()).isZero();
            }
        }
    }

    /**
     * A stack of 3,000 frames is complete up to its end and unchanged, although the thread has left it before it is
     * read.
     */
    private void deepStacksAreWhole(boolean systemWide, boolean endIsTold) throws Exception {
        try (CProgram program = CProgram.start("target", "d");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            PerfOptions options = PerfOptions.at(HZ / 4);
            assumeStacksAreSaved(p, options);
            List<Mapping> mappings = p.mappings();
            Dives dives = new Dives();
            try (PerfCollector collector =
                    systemWide ? PerfCollector.systemWide(p, options) : PerfCollector.perThread(p, options)) {
                collector.enable();
                while (dives.whole < WHOLE
                        && dives.deep < TRIED
                        && collector.await(50) != PerfCollector.Wait.TARGET_GONE) {
                    collector.drain(dives);
                    if (endIsTold && dives.deep > 0) {
                        Mapping stack = mappings.stream()
                                .filter(mapping -> mapping.contains(dives.sp))
                                .findFirst()
                                .orElseThrow();
                        collector.stackEndsAt(dives.tid, stack.end());
                    }
                }
            }
            // While this process is prevented from reading, the ring is full and nothing can be saved.
            assertThat(dives.whole).isGreaterThanOrEqualTo(WHOLE);
        }
    }

    /** A late reader: the ring has no room for the part of a stack beyond the copy, and each such sample is marked. */
    @Test
    void deepStackThatLacksRoomIsMarkedIncomplete() throws Exception {
        try (CProgram program = CProgram.start("target", "d");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            PerfOptions options = PerfOptions.at(HZ / 4);
            assumeStacksAreSaved(p, options);
            Dives dives = new Dives();
            try (PerfCollector collector = PerfCollector.perThread(p, options)) {
                collector.enable();
                while (dives.withoutRoom == 0 && dives.deep < TRIED) {
                    while (!collector.isNearlyFull()) {
                        collector.await(50);
                    }
                    long full = p.facts().cpuTime().nanos();
                    while (p.facts().cpuTime().nanos() < full + 200_000_000) {
                        collector.await(10);
                    }
                    collector.drain(dives);
                }
            }
            assertThat(dives.withoutRoom).isPositive();
            assertThat(dives.wholeWithoutRoom).isZero();
        }
    }

    /** Follows the marks of {@code deeper} in target.c: from any depth down to 1, in one round. */
    private static final class Dives implements PerfRecords {
        private int deep;
        private int whole;
        private int withoutRoom;
        private int wholeWithoutRoom;
        private int tid;
        private long sp;

        @Override
        public void sample(PerfSample sample) {
            long end = sample.stackBase() + 8L * sample.stackWords();
            if (!sample.stackFull()) {
                return;
            }
            deep++;
            tid = sample.tid();
            sp = sample.stackBase();
            withoutRoom += sample.stackLacksRoom() ? 1 : 0;
            if (sample.hasSaved(end)) {
                long above = sample.stack()[sample.stackWords() - 1];
                long mark = 0;
                for (int i = sample.stackWords() - 1; !isMark(above); i--) {
                    above = sample.stack()[i];
                }
                for (long address = end; sample.hasSaved(address); address += 8) {
                    long word = sample.saved(address);
                    if (isMark(word)) {
                        mark = word;
                        assertThat(above - mark)
                                .as("marks go down by one level")
                                .isIn(0L, 1L << 16);
                        above = mark;
                    }
                }
                if (mark >>> 16 << 48 == 1L << 48) {
                    whole++;
                    wholeWithoutRoom += sample.stackLacksRoom() ? 1 : 0;
                }
            }
        }

        private static boolean isMark(long word) {
            return (word & 0xffff) == 0xfeed;
        }
    }

    @Test
    void deepStacksAreCompleteSystemWide() throws Exception {
        assumeTrue(Probe.systemWide().works(), "system-wide events are not permitted");
        deepStacksAreWhole(true, false);
    }

    @Test
    void deepStacksAreCompletePerThread() throws Exception {
        deepStacksAreWhole(false, false);
    }

    @Test
    void deepStacksAreCompleteIfTheirEndIsKnown() throws Exception {
        deepStacksAreWhole(false, true);
    }

    /** The fs base gives the end of a thread's stack before the thread's first walk. */
    @Test
    void nothingIsSavedBeyondTheStackOfANewThread() throws Exception {
        try (CProgram program = CProgram.start("target", "m");
                LiveProcess p = LiveProcess.open(program.pid())) {
            PerfOptions options = PerfOptions.at(HZ / 4);
            assumeStacksAreSaved(p, options);
            assumeTrue(KernelTypes.offsetOfThreadPointer().isPresent(), "this kernel does not publish its types");
            try (PerfCollector collector = PerfCollector.perThread(p, options)) {
                Beyond beyond = new Beyond();
                collector.enable();
                while (beyond.full < WHOLE && collector.await(50) != PerfCollector.Wait.TARGET_GONE) {
                    collector.drain(beyond);
                }
                assertThat(beyond.saved).isZero();
            }
        }
    }

    /** Memory after the end of a stack of unknown extent is saved until the end is known, not later. */
    @Test
    void nothingIsSavedBeyondAKnownStackEnd() throws Exception {
        try (CProgram program = CProgram.start("target", "c");
                LiveProcess p = LiveProcess.open(program.pid())) {
            long end = Long.parseUnsignedLong(program.line().split(" ")[2].substring(2), 16);
            PerfOptions options = PerfOptions.at(HZ / 4);
            assumeStacksAreSaved(p, options);
            try (PerfCollector collector = PerfCollector.perThread(p, options)) {
                Beyond before = new Beyond();
                Beyond after = new Beyond();
                collector.enable();
                while (before.full < WHOLE && collector.await(50) != PerfCollector.Wait.TARGET_GONE) {
                    collector.drain(before);
                }
                assertThat(before.saved).isPositive();
                collector.stackEndsAt(before.tid, end);
                // The interrupt of the next sample may have begun earlier.
                int seen = before.full;
                while (before.full == seen && collector.await(50) != PerfCollector.Wait.TARGET_GONE) {
                    collector.drain(before);
                }
                while (after.full < WHOLE && collector.await(50) != PerfCollector.Wait.TARGET_GONE) {
                    collector.drain(after);
                }
                assertThat(after.saved).isZero();
            }
        }
    }

    /** Counts samples whose stack fills the copy, and those with a saved part. */
    private static final class Beyond implements PerfRecords {
        private int full;
        private int saved;
        private int tid;

        @Override
        public void sample(PerfSample sample) {
            if (sample.stackFull()) {
                full++;
                tid = sample.tid();
                saved += sample.hasSaved(sample.stackBase() + 8L * sample.stackWords()) ? 1 : 0;
            }
        }
    }

    /**
     * A frame's local variable has 64 pages that were never touched: perf's copy ends there, but the saved part does
     * not.
     */
    @Test
    void stackAboveUntouchedPagesIsSaved() throws Exception {
        try (CProgram program = CProgram.start("target", "h");
                LiveProcess p = LiveProcess.open(program.pid())) {
            long mark = Long.parseUnsignedLong(program.line().split(" ")[2].substring(2), 16);
            PerfOptions options = PerfOptions.at(HZ / 4);
            assumeStacksAreSaved(p, options);
            try (PerfCollector collector = PerfCollector.perThread(p, options)) {
                Holes unknown = new Holes(mark);
                Holes known = new Holes(mark);
                collector.enable();
                while (unknown.samples < WHOLE && collector.await(50) != PerfCollector.Wait.TARGET_GONE) {
                    collector.drain(unknown);
                }
                collector.stackEndsAt(unknown.tid, mark + 16);
                int seen = unknown.samples;
                while (unknown.samples == seen && collector.await(50) != PerfCollector.Wait.TARGET_GONE) {
                    collector.drain(unknown);
                }
                while (known.samples < WHOLE && collector.await(50) != PerfCollector.Wait.TARGET_GONE) {
                    collector.drain(known);
                }
                assertThat(known.cut).as("the copy ends at the hole").isEqualTo(known.samples);
                assertThat(known.marked).isEqualTo(known.samples);
            }
        }
    }

    /** Counts samples whose copy ends below a marked word, and those that contain the word. */
    private static final class Holes implements PerfRecords {
        private final long mark;
        private int tid;
        private int samples;
        private int cut;
        private int marked;

        private Holes(long mark) {
            this.mark = mark;
        }

        @Override
        public void sample(PerfSample sample) {
            if (mark - sample.stackBase() >>> 20 != 0) {
                return; // a sample of another thread
            }
            samples++;
            tid = sample.tid();
            cut += sample.stackBase() + 8L * sample.stackWords() < mark ? 1 : 0;
            marked += sample.hasSaved(mark) && sample.saved(mark) == 0x1234feed ? 1 : 0;
        }
    }

    private static void assumeStacksAreSaved(LiveProcess p, PerfOptions options) {
        try (BpfFilter filter = BpfFilter.load(p, options.stackBytes(), options.periodNanos())) {
            assumeTrue(filter != null && filter.stacks() != null, "bpf(2) may not save stacks here");
            filter.stacks().close();
        }
    }

    @Test
    void shortLivedThreadsAreSampledAndCountedOnce() throws Exception {
        try (CProgram program = CProgram.start("target", "sb");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            try (PerfCollector collector = PerfCollector.perThread(p, PerfOptions.at(HZ))) {
                long cpu = p.facts().cpuTime().nanos();
                collect(collector, counting(0, p.mappings().getFirst()), ENOUGH);
                cpu = p.facts().cpuTime().nanos() - cpu;
                assertThat(forks).isPositive();
                assertThat(exits).isPositive();
                assertThat((double) samples / HZ * 1e9).isLessThan(cpu * 1.2 + 3e7);
            }
        }
    }

    @Test
    void endOfTheTargetEndsTheWait() throws Exception {
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            try (PerfCollector collector = PerfCollector.perThread(p, PerfOptions.at(HZ))) {
                collector.enable();
                program.kill();
                assertThat(collector.await(10_000)).isEqualTo(PerfCollector.Wait.TARGET_GONE);
            }
        }
    }

    @Test
    void sampleRateAboveTheKernelLimitIsRefused() throws Exception {
        long limit = Permissions.read().maxSampleRate();
        assumeTrue(limit > 0 && limit < 1_000_000, "no limit of the sample rate");
        try (CProgram program = CProgram.start("target", "-");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            assertThatThrownBy(() -> PerfCollector.perThread(p, PerfOptions.at((int) limit + 1)))
                    .isInstanceOf(PerfUnavailable.class)
                    .hasMessageContaining(Long.toString(limit));
        }
    }

    @Test
    void samplingStartsAtExec() throws Exception {
        try (Spawn spawn =
                        Spawn.start(java.util.List.of(CProgram.build("target").toString(), "f"));
                LiveProcess p = LiveProcess.open(spawn.pid())) {
            try (PerfCollector collector =
                    PerfCollector.perThread(p, PerfOptions.at(HZ).startingAtExec())) {
                collector.enable();
                collector.drain(counting(0, p.mappings().getFirst()));
                assertThat(samples).isZero();
                String[] execd = new String[1];
                PerfRecords counting = counting(0, p.mappings().getFirst());
                spawn.resume();
                collect(
                        collector,
                        new PerfRecords() {
                            @Override
                            public void sample(PerfSample sample) {
                                counting.sample(sample);
                            }

                            @Override
                            public void comm(int tid, String name, boolean exec) {
                                execd[0] = exec ? name : execd[0];
                            }
                        },
                        1);
                assertThat(execd[0]).isEqualTo("target");
                assertThat(samples).isPositive();
            } finally {
                spawn.kill();
                assertThat(spawn.waitFor()).isEqualTo(128 + 9);
            }
        }
    }
}
