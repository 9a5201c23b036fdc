package mayfly.targets;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that block while they own monitors, each entered in a different way and named {@code held-...}. The methods
 * run often enough to be compiled before the last call blocks. It is ready when every thread is blocked at its final
 * place.
 */
public final class MonitorHolders {
    private static final int ROUNDS = 60_000;
    private static final Object shared = new Object();
    private static final ReentrantLock lock = new ReentrantLock();
    private static final AtomicInteger holding = new AtomicInteger();
    private static int started;

    /** Something to do while a monitor is owned. */
    interface Inner {
        void run(int round);
    }

    private MonitorHolders() {}

    public static void main(String[] args) throws Exception {
        List<Thread> threads = new ArrayList<>();
        MonitorHolders one = new MonitorHolders();
        threads.add(start("block", inner -> block(shared, inner)));
        threads.add(start("method", one::method));
        threads.add(start("static-method", MonitorHolders::staticMethod));
        threads.add(start("recursive", inner -> recursive(new Object(), 5, inner)));
        threads.add(start("nested", inner -> nested(new Object(), new StringBuilder(), new int[1], inner)));
        threads.add(start("unshared", MonitorHolders::unshared));
        threads.add(start("unshared-array", MonitorHolders::unsharedArray));
        threads.add(start("twice", inner -> twice(new Object(), inner)));
        threads.add(start("class", MonitorHolders::ofClass));
        threads.add(start("many-locals", inner -> manyLocals(new Object(), 3, 5, 7, 11, inner)));
        threads.add(startOnce("wait", () -> waiting(new Object())));
        threads.add(startOnce("wait-recursive", MonitorHolders::waitingRecursively));
        CountDownLatch locked = new CountDownLatch(1);
        threads.add(startOnce("synchronizer", () -> {
            lock.lock();
            locked.countDown();
            sleep();
        }));
        locked.await();
        threads.add(startOnce("synchronizer-waiter", lock::lock));
        while (holding.get() < started) {
            Thread.sleep(1);
        }
        for (Thread thread : threads) {
            Blocked.awaitBlocked(thread);
        }
        Thread last = startOnce("enter", () -> {
            synchronized (Holder.class) {
                block(shared, round -> sleep());
            }
        });
        Blocked.awaitBlocked(last);
        threads.add(last);
        LineProtocol.untilExit("holders " + threads.size(), line -> Integer.toString(threads.size()));
    }

    /** A way to own monitors. */
    interface Holder {
        void hold(Inner inner);
    }

    private static Thread start(String kind, Holder holder) {
        // A call with three receivers is not inlined, and its code is not replaced when a fourth comes.
        Inner[] inners = {round -> {}, round -> Thread.yield(), round -> Math.abs(round)};
        started++;
        return startOnce(kind, () -> {
            for (int i = 0; i < ROUNDS; i++) {
                holder.hold(inners[i % inners.length]);
            }
            holder.hold(round -> {
                holding.incrementAndGet();
                sleep();
            });
        });
    }

    private static Thread startOnce(String kind, Runnable body) {
        return LineProtocol.start("held-" + kind, body);
    }

    private static void sleep() {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void block(Object object, Inner inner) {
        synchronized (object) {
            inner.run(0);
        }
    }

    private synchronized void method(Inner inner) {
        inner.run(1);
    }

    private static synchronized void staticMethod(Inner inner) {
        inner.run(2);
    }

    private static void recursive(Object object, int depth, Inner inner) {
        synchronized (object) {
            if (depth == 0) {
                inner.run(3);
            } else {
                recursive(object, depth - 1, inner);
            }
        }
    }

    private static void nested(Object first, StringBuilder second, int[] third, Inner inner) {
        synchronized (first) {
            synchronized (second) {
                block(third, inner);
            }
        }
    }

    /** A compiler that finds that no other thread has the object allocates none and enters no monitor. */
    private static void unshared(Inner inner) {
        Object object = new Object();
        synchronized (object) {
            inner.run(4);
        }
    }

    private static void unsharedArray(Inner inner) {
        long[] array = {1, 2};
        synchronized (array) {
            inner.run((int) array[1]);
        }
    }

    /** A compiler enters the monitor once. */
    private static void twice(Object object, Inner inner) {
        synchronized (object) {
            synchronized (object) {
                inner.run(6);
            }
        }
    }

    private static void ofClass(Inner inner) {
        synchronized (Inner.class) {
            inner.run(7);
        }
    }

    /** More values are needed after the call than a frame has in registers. */
    private static long manyLocals(Object object, long a, long b, long c, long d, Inner inner) {
        Object second = new Object[] {object};
        synchronized (second) {
            synchronized (object) {
                long e = a * b;
                long f = b * c;
                long g = c * d;
                inner.run(8);
                return a + b + c + d + e + f + g + second.hashCode() + object.hashCode();
            }
        }
    }

    private static void waiting(Object object) {
        synchronized (object) {
            try {
                object.wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** The thread leaves the monitor of the first object wherever it has entered it, and keeps the other. */
    private static void waitingRecursively() {
        Object object = new Object();
        Object other = new Object[0];
        synchronized (object) {
            synchronized (other) {
                waiting(object);
            }
        }
    }
}
