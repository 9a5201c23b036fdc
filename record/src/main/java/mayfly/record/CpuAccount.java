package mayfly.record;

import java.io.IOException;
import java.util.function.LongSupplier;
import mayfly.process.CpuTime;
import mayfly.process.ProcessFacts;

/** The target's CPU time in /proc during a recording: the expected sum of the samples. */
final class CpuAccount {
    /** The CPU time so far, ns; -1 if it cannot be read. */
    private final LongSupplier clock;

    private long start = -1;
    private long end = -1;

    CpuAccount(LongSupplier clock) {
        this.clock = clock;
    }

    /** @param withKernel true if the samples represent time in the kernel too */
    static CpuAccount of(ProcessFacts process, boolean withKernel) {
        return new CpuAccount(() -> read(process, withKernel));
    }

    void start() {
        start = clock.getAsLong();
    }

    /** Stores the current time, because it cannot be read after the target has ended. */
    void sampleWhileAlive() {
        long now = clock.getAsLong();
        if (now >= 0) {
            end = now;
        }
    }

    void end() {
        sampleWhileAlive();
    }

    /** Returns the CPU time between start and end, ns; -1 if unknown. */
    long nanos() {
        return start < 0 || end < start ? -1 : end - start;
    }

    private static long read(ProcessFacts process, boolean withKernel) {
        try {
            CpuTime time = process.cpuTime();
            return withKernel ? time.nanos() : time.userNanos();
        } catch (IOException e) {
            return -1;
        }
    }
}
