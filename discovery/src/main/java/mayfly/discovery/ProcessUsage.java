package mayfly.discovery;

import java.io.IOException;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.KernelClock;

/**
 * The CPU usage of a process.
 *
 * @param cpuNanos CPU time of all its threads since its start, ns, in steps of 10 ms; see field 14 of proc_pid_stat(5)
 * @param uptimeNanos time since its start, ns
 * @param cpus recent CPU usage: 1 is one CPU in full use; negative if it was not measured
 */
public record ProcessUsage(long cpuNanos, long uptimeNanos, double cpus) {
    private static final long TICK_NANOS = 10_000_000;

    static ProcessUsage of(LiveProcess process) throws IOException {
        return new ProcessUsage(
                process.facts().cpuTime().nanos(), KernelClock.BOOT.nanos() - process.startTicks() * TICK_NANOS, -1);
    }

    /** Returns this usage, with the CPU usage since an earlier measurement of the same process. */
    ProcessUsage since(ProcessUsage earlier) {
        long nanos = uptimeNanos - earlier.uptimeNanos;
        return new ProcessUsage(
                cpuNanos, uptimeNanos, nanos <= 0 ? -1 : Math.max(0, cpuNanos - earlier.cpuNanos) / (double) nanos);
    }
}
