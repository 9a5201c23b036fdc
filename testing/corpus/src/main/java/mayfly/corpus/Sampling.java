package mayfly.corpus;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import mayfly.hotspot.UnsupportedVm;
import mayfly.linux.LiveProcess;
import mayfly.linux.ThreadSnapshot;
import mayfly.linux.ThreadStopper;
import mayfly.process.TargetThread;

/** Stops the threads that run, at moments that do not go with what they do, and shows each to a visitor. */
final class Sampling {
    private static final int STACK_BYTES = 512 << 10;
    private static final long PAUSE_NANOS = 700_000;

    /** Is shown each thread, which runs again by then. */
    interface Visitor {
        /** Returns false to end the sampling. */
        boolean visit(TargetThread thread, ThreadSnapshot at) throws IOException, UnsupportedVm;
    }

    private Sampling() {
    }

    static void run(LiveProcess process, int seconds, Visitor visitor) throws IOException, UnsupportedVm {
        ThreadSnapshot snapshot = new ThreadSnapshot(STACK_BYTES);
        Map<Integer, Long> seen = new HashMap<>();
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        try (ThreadStopper stopper = new ThreadStopper(process)) {
            while (System.nanoTime() < end) {
                for (int tid : process.tids()) {
                    long cpu = process.cpuNanos(tid);
                    Long before = seen.put(tid, cpu);
                    TargetThread thread = before != null && cpu <= before ? null : process.thread(tid);
                    if (thread == null) {
                        continue;
                    }
                    ThreadStopper.Outcome copied = stopper.stopAndCopy(tid, STACK_BYTES, snapshot);
                    if (copied == ThreadStopper.Outcome.COPIED && !visitor.visit(thread, snapshot)) {
                        return;
                    }
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }
}
