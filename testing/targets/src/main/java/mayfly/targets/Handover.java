package mayfly.targets;

import java.util.concurrent.CountDownLatch;

/**
 * Four threads, {@code hand-0} and up, that continuously pass a lock to each other: at any instant at most one is in
 * {@code inside}. It answers any line with the number of times that a thread was in it.
 */
public final class Handover {
    private static final int THREADS = 4;
    private static final int ROUNDS = 500;
    private static final Object lock = new Object();
    private static volatile long count;

    private Handover() {}

    public static void main(String[] args) throws InterruptedException {
        CountDownLatch started = new CountDownLatch(THREADS);
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            LineProtocol.start("hand-" + i, () -> {
                started.countDown();
                for (long x = number; ; x = Work.spin(ROUNDS, x)) {
                    synchronized (lock) {
                        x = inside(x);
                    }
                }
            });
        }
        started.await();
        LineProtocol.untilExit("handover", line -> Long.toString(count));
    }

    private static long inside(long x) {
        count++;
        return Work.spin(ROUNDS, x);
    }
}
