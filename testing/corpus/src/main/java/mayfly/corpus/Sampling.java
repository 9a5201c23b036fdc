package mayfly.corpus;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.linux.LiveProcess;
import mayfly.linux.perf.PerfCollector;
import mayfly.linux.perf.PerfOptions;
import mayfly.linux.perf.PerfRecords;
import mayfly.linux.perf.PerfSample;
import mayfly.linux.perf.PerfUnavailable;
import mayfly.linux.trace.ThreadSnapshot;
import mayfly.linux.trace.ThreadStopper;
import org.jspecify.annotations.Nullable;

/** Passes the states of running threads of a process to a visitor. */
final class Sampling {
    private static final int STACK_BYTES = 512 << 10;
    private static final long PAUSE_NANOS = 700_000;
    private static final int HZ = 999;
    private static final int DRAIN_MILLIS = 40;

    /** Receives the state of each thread, after the thread has been resumed. */
    interface Visitor {
        /** Returns false to end the sampling. */
        boolean visit(Sample at) throws IOException, UnsupportedVm;
    }

    private Sampling() {}

    /**
     * Stops each running thread, at moments that are independent of its work, and immediately passes its state to the
     * visitor.
     *
     * @param newEpoch called before each visit
     */
    static void byPtrace(LiveProcess process, int seconds, Runnable newEpoch, Visitor visitor)
            throws IOException, UnsupportedVm {
        ThreadSnapshot snapshot = new ThreadSnapshot(STACK_BYTES);
        Map<Integer, Long> seen = new HashMap<>();
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        try (ThreadStopper stopper = new ThreadStopper(process)) {
            while (System.nanoTime() < end) {
                for (int tid : process.tids()) {
                    long cpu = process.threadFacts().cpuNanos(tid);
                    Long before = seen.put(tid, cpu);
                    if (before != null && cpu <= before) {
                        continue;
                    }
                    ThreadStopper.Outcome copied = stopper.stopAndCopy(tid, STACK_BYTES, snapshot);
                    newEpoch.run();
                    if (copied == ThreadStopper.Outcome.COPIED && !visitor.visit(Sample.of(tid, snapshot))) {
                        return;
                    }
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /**
     * Passes states of threads that are some tens of milliseconds old, as in a recording.
     *
     * @param newEpoch called before each drain
     */
    static void byPerf(LiveProcess process, int seconds, Runnable newEpoch, Visitor visitor)
            throws IOException, UnsupportedVm {
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        try (PerfCollector collector = PerfCollector.perThread(process, PerfOptions.at(HZ))) {
            Shown shown = new Shown(visitor);
            collector.enable();
            while (!shown.enough
                    && System.nanoTime() < end
                    && collector.await(DRAIN_MILLIS) != PerfCollector.Wait.TARGET_GONE) {
                newEpoch.run();
                collector.drain(shown);
                shown.rethrow();
            }
        } catch (PerfUnavailable e) {
            throw new IOException(e);
        }
    }

    private static final class Shown implements PerfRecords {
        private final Visitor visitor;
        private boolean enough;
        private @Nullable Exception failure;

        Shown(Visitor visitor) {
            this.visitor = visitor;
        }

        @Override
        public void sample(PerfSample sample) {
            if (enough || !sample.hasRegisters()) {
                return;
            }
            try {
                enough = !visitor.visit(Sample.of(sample));
            } catch (IOException | UnsupportedVm e) {
                failure = e;
                enough = true;
            }
        }

        void rethrow() throws IOException {
            if (failure != null) {
                throw new IOException(failure);
            }
        }
    }
}
