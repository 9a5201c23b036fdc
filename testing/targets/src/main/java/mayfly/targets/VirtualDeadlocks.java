package mayfly.targets;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Deadlocks of virtual threads with one another and with platform threads. The threads of each are named {@code
 * KIND-0}, {@code KIND-1} and so on; each waits for the next one. Further virtual threads, {@code waits-N}, wait for
 * a lock of a deadlock, and others wait for conditions, semaphores and latches, or for a lock whose owner is in no
 * deadlock; they are in none. It answers {@code kinds} with a list of {@code KIND COUNT}, and {@code waiting} with
 * the number of threads named {@code waits-N}.
 */
public final class VirtualDeadlocks {
    private static final int WAITING = 200;
    private static final List<String> kinds = new ArrayList<>();
    private static final AtomicInteger aboutToBlock = new AtomicInteger();
    private static final List<Thread> threads = new ArrayList<>();

    /** Runs in a thread until it blocks. */
    interface Body {
        void run() throws Exception;
    }

    private VirtualDeadlocks() {}

    public static void main(String[] args) throws Exception {
        Lock popular = new ReentrantLock();
        cycle("two", "vv", new ReentrantLock(), new ReentrantLock());
        cycle("three", "vvv", new ReentrantLock(true), popular, new ReentrantReadWriteLock().writeLock());
        cycle("mixed", "vp", new ReentrantLock(), new ReentrantLock());
        cycle("alternating", "vpvp", new ReentrantLock(), locked(), new ReentrantLock(), locked());
        Lock[] many = new Lock[50];
        for (int i = 0; i < many.length; i++) {
            many[i] = new ReentrantLock();
        }
        cycle("fifty", "v".repeat(many.length), many);
        signalled();
        monitors("platform-monitors", "pp");
        if (Runtime.version().feature() >= 24) { // before, they would occupy all carriers
            monitors("monitors", "vv");
            monitors("three-monitors", "vvv");
            monitors("mixed-monitors", "vpv");
            notified();
        }
        for (int i = 0; i < WAITING; i++) {
            virtual("waits-" + i, popular::lock);
        }
        others();
        while (aboutToBlock.get() < threads.size() || threads.stream().anyMatch(VirtualDeadlocks::runs)) {
            Thread.sleep(1);
        }
        LineProtocol.untilExit(
                "virtual deadlocks", line -> line.equals("kinds") ? String.join(", ", kinds) : "" + WAITING);
    }

    private static boolean runs(Thread thread) {
        Thread.State state = thread.getState();
        return state != Thread.State.WAITING && state != Thread.State.TIMED_WAITING && state != Thread.State.BLOCKED;
    }

    private static Lock locked() {
        return new ReentrantReadWriteLock(true).writeLock();
    }

    /** Starts a thread for each letter, {@code v} for a virtual one, that takes a lock and then waits for the next. */
    private static void cycle(String kind, String threads, Lock... locks) throws Exception {
        CountDownLatch taken = new CountDownLatch(locks.length);
        for (int i = 0; i < locks.length; i++) {
            Lock own = locks[i];
            Lock next = locks[(i + 1) % locks.length];
            Body body = () -> {
                own.lock();
                taken.countDown();
                taken.await();
                aboutToBlock.incrementAndGet();
                next.lock();
            };
            start(kind + "-" + i, threads.charAt(i) == 'v', body);
        }
        kinds.add(kind + " " + locks.length);
    }

    /** As {@link #cycle}, with monitors. */
    private static void monitors(String kind, String threads) throws Exception {
        int count = threads.length();
        Object[] objects = new Object[count];
        CountDownLatch taken = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            objects[i] = new Object[i];
        }
        for (int i = 0; i < count; i++) {
            Object own = objects[i];
            Object next = objects[(i + 1) % count];
            start(kind + "-" + i, threads.charAt(i) == 'v', () -> {
                synchronized (own) {
                    taken.countDown();
                    taken.await();
                    aboutToBlock.incrementAndGet();
                    synchronized (next) {
                        taken.countDown();
                    }
                }
            });
        }
        kinds.add(kind + " " + count);
    }

    /** A thread that was signalled waits for a lock whose owner waits for a lock of the first one. */
    private static void signalled() throws Exception {
        ReentrantLock first = new ReentrantLock();
        ReentrantLock second = new ReentrantLock();
        Condition condition = first.newCondition();
        CountDownLatch waits = new CountDownLatch(1);
        start("signalled-0", true, () -> {
            second.lock();
            first.lock();
            waits.countDown();
            aboutToBlock.incrementAndGet();
            condition.await();
        });
        start("signalled-1", true, () -> {
            waits.await();
            first.lock();
            condition.signal();
            aboutToBlock.incrementAndGet();
            second.lock();
        });
        kinds.add("signalled 2");
    }

    /** A thread that was notified waits for a monitor whose owner waits for a monitor of the first one. */
    private static void notified() throws Exception {
        Object first = new Object();
        Object second = new Object();
        CountDownLatch waits = new CountDownLatch(1);
        start("notified-0", true, () -> {
            synchronized (second) {
                synchronized (first) {
                    waits.countDown();
                    aboutToBlock.incrementAndGet();
                    first.wait();
                }
            }
        });
        start("notified-1", true, () -> {
            waits.await();
            synchronized (first) {
                first.notifyAll();
                aboutToBlock.incrementAndGet();
                synchronized (second) {
                    waits.countDown();
                }
            }
        });
        virtual("waits for a notification", () -> {
            Object own = new Object();
            synchronized (own) {
                own.wait();
            }
        });
        kinds.add("notified 2");
    }

    private static void others() throws Exception {
        ReentrantLock held = new ReentrantLock();
        CountDownLatch taken = new CountDownLatch(1);
        virtual("owner", () -> {
            held.lock();
            taken.countDown();
            LockSupport.park();
        });
        virtual("waits for an owner", () -> {
            taken.await();
            held.lock();
        });
        virtual("condition", () -> {
            ReentrantLock own = new ReentrantLock();
            own.lock();
            own.newCondition().await();
        });
        virtual("semaphore", () -> new Semaphore(0).acquire());
        virtual("latch", () -> new CountDownLatch(1).await());
        virtual("sleep", () -> Thread.sleep(100_000_000));
    }

    private static void virtual(String name, Body body) throws Exception {
        start(name, true, () -> {
            aboutToBlock.incrementAndGet();
            body.run();
        });
    }

    private static void start(String name, boolean isVirtual, Body body) throws Exception {
        Runnable named = () -> {
            Thread.currentThread().setName(name);
            try {
                body.run();
            } catch (Exception e) {
                System.err.println(name + ": " + e);
            }
        };
        threads.add(isVirtual ? LineProtocol.startVirtual(named) : LineProtocol.start(name, named));
    }
}
