package mayfly.targets;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * {@code ManyThreads N [PERCENT]}: N threads that together use about PERCENT of one CPU (default 60), in short turns.
 * It answers any line with the sum of their CPU time in ns.
 */
public final class ManyThreads {
    private static final long SLICE_NANOS = 500_000;

    private ManyThreads() {}

    public static void main(String[] args) throws InterruptedException {
        int count = args.length > 0 ? Integer.parseInt(args[0]) : 200;
        int percent = args.length > 1 ? Integer.parseInt(args[1]) : 60;
        long pause = Math.max(1, SLICE_NANOS * count * 100 / percent - SLICE_NANOS);
        CountDownLatch started = new CountDownLatch(count);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            threads.add(LineProtocol.start("many-" + i, () -> {
                started.countDown();
                while (true) {
                    Work.burn(SLICE_NANOS);
                    LockSupport.parkNanos(pause);
                }
            }));
        }
        started.await();
        LineProtocol.untilExit(
                "many " + count,
                line -> Long.toString(threads.stream().mapToLong(Work::cpuNanos).sum()));
    }
}
