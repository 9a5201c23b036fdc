package mayfly.record;

import java.io.IOException;
import mayfly.linux.LiveProcess;
import mayfly.linux.LiveProcess.CpuTime;

/** The target's CPU time in /proc over a recording: what the samples should add up to. */
final class CpuAccount {
    private final LiveProcess process;
    private final boolean withKernel;
    private long start = -1;
    private long end = -1;

    CpuAccount(LiveProcess process, boolean withKernel) {
        this.process = process;
        this.withKernel = withKernel;
    }

    void start() {
        start = read();
    }

    /** Remembers the time so far, because a target that has ended cannot be asked any more. */
    void sampleWhileAlive() {
        long now = read();
        if (now >= 0) {
            end = now;
        }
    }

    void end() {
        sampleWhileAlive();
    }

    /** CPU time between start and end, ns; -1 if it is not known. */
    long nanos() {
        return start < 0 || end < start ? -1 : end - start;
    }

    private long read() {
        try {
            CpuTime time = process.cpuTime();
            return withKernel ? time.nanos() : time.userNanos();
        } catch (IOException e) {
            return -1;
        }
    }
}
