package mayfly.targets;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Short-lived threads, one after the other, each using 0.45 ms of CPU. It answers any line with
 * {@code threads=N cpu=NANOS}: the number of ended threads and their CPU time by their own clocks.
 */
public final class Churn {
    private static final long CPU_NANOS = 450_000;
    private static final AtomicLong ended = new AtomicLong();
    private static final AtomicLong used = new AtomicLong();

    private Churn() {}

    public static void main(String[] args) {
        LineProtocol.start("parent", Churn::parent);
        while (ended.get() < 50) {
            Thread.onSpinWait();
        }
        LineProtocol.untilExit("churn", line -> "threads=" + ended + " cpu=" + used);
    }

    private static void parent() {
        for (long n = 0; ; n++) {
            Thread child = LineProtocol.start("short-" + n, Churn::live);
            try {
                child.join();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static void live() {
        Work.burn(CPU_NANOS);
        used.addAndGet(Work.cpuNanos());
        ended.incrementAndGet();
    }
}
