package mayfly.record;

import java.io.IOException;
import mayfly.linux.LiveProcess;
import mayfly.linux.LiveProcess.CpuTime;

/** The target's CPU time in /proc during a recording: the expected sum of the samples. */
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

    /** Stores the current time, because it cannot be read after the target has ended. */
    void sampleWhileAlive() {
        long now = read();
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

    private long read() {
        try {
            CpuTime time = process.cpuTime();
            return withKernel ? time.nanos() : time.userNanos();
        } catch (IOException e) {
            return -1;
        }
    }
}
