package mayfly.targets;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Selector;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Waits that must not end early, and threads that pass a turn to each other. */
final class SelfCheckingWaits {
    private static final long MILLIS = 2;
    /** A clock may step, and a wait is rounded to milliseconds. */
    private static final long MIN_NANOS = 1_500_000;

    private static final long LIMIT_SECONDS = 20;

    private SelfCheckingWaits() {}

    static void startAll() {
        CheckedStep.start("sleep", n -> {
            long start = System.nanoTime();
            Thread.sleep(MILLIS);
            long slept = System.nanoTime() - start;
            CheckedStep.check(slept >= MIN_NANOS, "a sleep ended after " + slept + " ns");
        });
        Selector selector = selector();
        CheckedStep.start("select", n -> {
            long start = System.nanoTime();
            int ready = selector.select(MILLIS);
            long waited = System.nanoTime() - start;
            CheckedStep.check(
                    ready == 0 && waited >= MIN_NANOS, "a select ended after " + waited + " ns with " + ready);
        });
        startMonitor();
        startLock();
        SynchronousQueue<Long> queue = new SynchronousQueue<>();
        CheckedStep.startSilent("put", n -> {
            Thread.sleep(0, 200_000);
            queue.put(n);
        });
        CheckedStep.start("take", n -> {
            Long got = queue.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
            CheckedStep.check(got != null && got == n, "taken " + got + " for " + n);
        });
    }

    private static Selector selector() {
        try {
            return Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The current turn: even or odd. */
    private static final class Turn {
        private long turn;

        synchronized void take(long mine) throws InterruptedException {
            while (turn != mine) {
                wait();
            }
            turn++;
            notifyAll();
        }
    }

    private static void startMonitor() {
        Turn turn = new Turn();
        CheckedStep.startSilent("monitor-even", n -> turn.take(2 * n));
        CheckedStep.start("monitor", n -> {
            Thread.sleep(1);
            turn.take(2 * n + 1);
        });
    }

    /** The same with a lock and its condition. */
    private static final class LockedTurn {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private long turn;

        void take(long mine) throws InterruptedException {
            lock.lock();
            try {
                while (turn != mine) {
                    CheckedStep.check(changed.await(LIMIT_SECONDS, TimeUnit.SECONDS), "turn " + mine + " never came");
                }
                turn++;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private static void startLock() {
        LockedTurn turn = new LockedTurn();
        CheckedStep.startSilent("lock-even", n -> turn.take(2 * n));
        CheckedStep.start("lock", n -> {
            Thread.sleep(1);
            turn.take(2 * n + 1);
        });
    }
}
