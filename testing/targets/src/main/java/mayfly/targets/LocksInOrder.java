package mayfly.targets;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that take locks all the time, always in the same order, half of them monitors: they wait for one another, and
 * never in a cycle. With the argument {@code virtual}, every second thread is a virtual one.
 */
public final class LocksInOrder {
    private static final int LOCKS = 6;
    private static final int THREADS = 8;
    private static final Object[] monitors = new Object[LOCKS];
    private static final ReentrantLock[] locks = new ReentrantLock[LOCKS];

    private LocksInOrder() {}

    public static void main(String[] args) throws ReflectiveOperationException {
        for (int i = 0; i < LOCKS; i++) {
            monitors[i] = new Object();
            locks[i] = new ReentrantLock();
        }
        for (int i = 0; i < THREADS; i++) {
            int first = i % LOCKS;
            if (args.length > 0 && i % 2 == 1) {
                LineProtocol.startVirtual(() -> run(first));
            } else {
                LineProtocol.start("in-order-" + i, () -> run(first));
            }
        }
        LineProtocol.untilExit("locks", line -> line);
    }

    private static void run(int first) {
        while (true) {
            take(first);
        }
    }

    private static void take(int at) {
        if (at == LOCKS) {
            Work.sink = Work.spin(20_000, Work.sink);
            return;
        }
        synchronized (monitors[at]) {
            locks[at].lock();
            try {
                take(at + 1);
            } finally {
                locks[at].unlock();
            }
        }
    }
}
