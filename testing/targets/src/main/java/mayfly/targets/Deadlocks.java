package mayfly.targets;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Deadlocks of several kinds. The threads of each are named {@code KIND-0}, {@code KIND-1} and so on; each waits for
 * the next one. Further threads wait for a thread of a deadlock, or for one that runs on, and are in none. It is ready
 * when all threads are blocked, parked, or wait for the initialization of a class. It answers {@code kinds} with a list
 * of {@code KIND COUNT}.
 */
public final class Deadlocks {
    private static final List<Thread> threads = new ArrayList<>();
    private static final List<String> kinds = new ArrayList<>();

    /** Takes a lock, runs the rest with it, and releases it. */
    interface Taken {
        void with(Body rest) throws Exception;
    }

    /** Runs with locks. */
    interface Body {
        void run() throws Exception;
    }

    private Deadlocks() {}

    public static void main(String[] args) throws InterruptedException {
        cycle("monitors", monitor(new Object()), monitor(new Object()));
        cycle("three-monitors", monitor(new Object()), monitor(new Object()), monitor(new Object()));
        Taken[] ten = new Taken[10];
        for (int i = 0; i < ten.length; i++) {
            ten[i] = monitor(new Object());
        }
        cycle("ten-monitors", ten);
        cycle("arrays", monitor(new int[1]), monitor(new String[1]));
        cycle("classes", monitor(Deadlocks.class), monitor(LineProtocol.class));
        cycle("recursive", twice(new Object()), twice(new Object()));
        cycle("locks", lock(new ReentrantLock()), lock(new ReentrantLock()));
        cycle("fair-locks", lock(new ReentrantLock(true)), lock(new ReentrantLock(true)));
        cycle("interruptible", interruptible(new ReentrantLock()), interruptible(new ReentrantLock()));
        cycle("timed", timed(new ReentrantLock()), timed(new ReentrantLock()));
        cycle("write-locks", write(new ReentrantReadWriteLock()), write(new ReentrantReadWriteLock()));
        cycle("read-waits", readAfterWrite(new ReentrantReadWriteLock()), monitor(new Object()));
        cycle("monitor-and-lock", monitor(new Object()), lock(new ReentrantLock()));
        cycle(
                "monitor-lock-write",
                monitor(new Object()),
                lock(new ReentrantLock()),
                write(new ReentrantReadWriteLock(true)));
        cycle("class-field", Initializations.byField(), Initializations.byFieldToo());
        cycle("class-new", Initializations.byNew(), Initializations.byName());
        cycle("class-monitor", Initializations.withMonitor(), monitor(new Object()));
        cycle("class-lock", lock(new ReentrantLock()), Initializations.withLock());
        superclass();
        notified();
        signalled();
        Object held = new Object();
        cycle("with-waiters", monitor(held), monitor(new Object())).await();
        start("waits-for-a-deadlock", () -> monitor(held).with(() -> {}));
        Object busy = new Object();
        CountDownLatch taken = new CountDownLatch(1);
        start(
                "owner-of-a-monitor",
                () -> monitor(busy).with(() -> {
                    taken.countDown();
                    LockSupport.park();
                }));
        taken.await();
        start("waits-for-a-monitor", () -> monitor(busy).with(() -> {}));
        for (Thread thread : threads) {
            awaitBlocked(thread);
        }
        LineProtocol.untilExit("deadlocks", line -> String.join(", ", kinds));
    }

    private static void awaitBlocked(Thread thread) throws InterruptedException {
        int looks = 0;
        while (looks < 3) {
            switch (thread.getState()) {
                case BLOCKED:
                case WAITING:
                case TIMED_WAITING:
                    looks++;
                    break;
                default:
                    looks = Initializations.isAwaitedBy(thread) ? looks + 1 : 0;
                    break;
            }
            Thread.sleep(5);
        }
    }

    private static Thread start(String name, Body body) {
        Thread thread = LineProtocol.start(name, () -> {
            try {
                body.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        threads.add(thread);
        return thread;
    }

    /**
     * Starts a thread for each lock: it takes its own, and when all are taken, it takes the next one. Returns a latch
     * that opens when all are taken.
     */
    private static CountDownLatch cycle(String kind, Taken... locks) {
        kinds.add(kind + " " + locks.length);
        CountDownLatch all = new CountDownLatch(locks.length);
        for (int i = 0; i < locks.length; i++) {
            Taken own = locks[i];
            Taken next = locks[(i + 1) % locks.length];
            start(
                    kind + "-" + i,
                    () -> own.with(() -> {
                        all.countDown();
                        all.await();
                        next.with(() -> {});
                    }));
        }
        return all;
    }

    /** One thread initializes a class, which needs its superclass, and the other one the superclass. */
    private static void superclass() {
        kinds.add("superclass 2");
        CountDownLatch taken = new CountDownLatch(1);
        Thread subclass = start("superclass-1", () -> {
            taken.await();
            Initializations.subclass().with(() -> {});
        });
        start(
                "superclass-0",
                () -> Initializations.superclass().with(() -> {
                    taken.countDown();
                    for (int looks = 0; looks < 3; Thread.sleep(5)) {
                        looks = Initializations.isAwaitedBy(subclass) ? looks + 1 : 0;
                    }
                    Initializations.subclass().with(() -> {});
                }));
    }

    /** One thread is notified while the other one owns the monitor, and cannot enter it again. */
    private static void notified() {
        kinds.add("notified 2");
        Object own = new Object();
        Object shared = new Object();
        CountDownLatch waits = new CountDownLatch(1);
        start("notified-0", () -> {
            synchronized (own) {
                synchronized (shared) {
                    waits.countDown();
                    shared.wait();
                }
            }
        });
        start("notified-1", () -> {
            waits.await();
            synchronized (shared) {
                shared.notifyAll();
                synchronized (own) {
                    Work.sink = 1;
                }
            }
        });
    }

    /** One thread is signalled while the other one owns the lock, and cannot acquire it again. */
    private static void signalled() {
        kinds.add("signalled 2");
        ReentrantLock own = new ReentrantLock();
        ReentrantLock shared = new ReentrantLock();
        Condition condition = shared.newCondition();
        CountDownLatch waits = new CountDownLatch(1);
        start("signalled-0", () -> {
            own.lock();
            shared.lock();
            waits.countDown();
            condition.await();
        });
        start("signalled-1", () -> {
            waits.await();
            shared.lock();
            condition.signalAll();
            own.lock();
        });
    }

    private static Taken monitor(Object object) {
        return rest -> {
            synchronized (object) {
                rest.run();
            }
        };
    }

    private static Taken twice(Object object) {
        return rest -> {
            synchronized (object) {
                synchronized (object) {
                    rest.run();
                }
            }
        };
    }

    private static Taken lock(ReentrantLock lock) {
        return rest -> {
            lock.lock();
            rest.run();
        };
    }

    private static Taken interruptible(ReentrantLock lock) {
        return rest -> {
            lock.lockInterruptibly();
            rest.run();
        };
    }

    private static Taken timed(ReentrantLock lock) {
        return rest -> {
            if (lock.tryLock(1, TimeUnit.DAYS)) {
                rest.run();
            }
        };
    }

    private static Taken write(ReentrantReadWriteLock lock) {
        return rest -> {
            lock.writeLock().lock();
            rest.run();
        };
    }

    /** The owner takes the write lock, and whoever comes next the read lock. */
    private static Taken readAfterWrite(ReentrantReadWriteLock lock) {
        return rest -> {
            if (lock.isWriteLocked()) {
                lock.readLock().lock();
            } else {
                lock.writeLock().lock();
            }
            rest.run();
        };
    }
}
