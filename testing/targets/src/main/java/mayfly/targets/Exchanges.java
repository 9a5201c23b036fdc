package mayfly.targets;

import java.util.concurrent.locks.LockSupport;

/**
 * Two threads that park and wake each other in turn, so that each turn has a wait of some microseconds. It answers any
 * line with {@code TURNS WALL_NANOS CPU_NANOS}, which give the rate between two answers.
 */
public final class Exchanges {
    private static final long WARM = 100_000;

    private static volatile long turns;

    private Exchanges() {}

    public static void main(String[] args) {
        Thread[] threads = new Thread[2];
        for (int i = 0; i < 2; i++) {
            int own = i;
            threads[i] = LineProtocol.start("exchanges-" + i, () -> exchange(threads, own));
        }
        while (turns < WARM) {
            LockSupport.parkNanos(1_000_000);
        }
        LineProtocol.untilExit("exchanges", line -> turns + " " + System.nanoTime() + " " + Work.cpuNanos(threads[0]));
    }

    private static void exchange(Thread[] threads, int own) {
        while (threads[1 - own] == null) {
            Thread.onSpinWait();
        }
        while (true) {
            while (turns % 2 != own) {
                LockSupport.park();
            }
            turns++; // only the thread whose turn it is writes
            LockSupport.unpark(threads[1 - own]);
        }
    }
}
