package mayfly.targets;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/**
 * Threads that wait for locks of several kinds, and measure each wait by their own clock. {@code run N MILLIS} lets a
 * thread named {@code waits-KIND} wait N times for a lock that the thread {@code owner-KIND} holds for the given time,
 * and answers, when all have ended, with the sum for each kind in nanoseconds: {@code KIND=NANOS ...}. Each kind is
 * also a method. Two more threads wait, for as long as the program runs, for what no thread owns.
 */
public final class ContendedLocks {
    private static final long LOOK_NANOS = 200_000;

    private static final Map<String, Long> sums = new ConcurrentHashMap<>();
    private static final Guarded guarded = new Guarded();
    private static final Lock reentrant = new ReentrantLock();
    private static final ReentrantReadWriteLock pair = new ReentrantReadWriteLock();
    private static final ReentrantReadWriteLock written = new ReentrantReadWriteLock();
    private static final Semaphore permits = new Semaphore(1);
    private static final StampedLock stamped = new StampedLock();

    /** An object whose monitor is contended. */
    private static final class Guarded {}

    /** Runs an action while it holds a lock. */
    private interface Section {
        void during(Runnable action);
    }

    /** The turns of an owner and of the thread that waits for its lock. */
    private static final class Turns {
        private volatile int held;
        private volatile int done;
    }

    private ContendedLocks() {}

    public static void main(String[] args) {
        run(1, LOOK_NANOS); // links the code: a thread can wait for that, too
        LineProtocol.start("waits-latch", ContendedLocks::latch);
        LineProtocol.start("waits-queue", ContendedLocks::queue);
        LineProtocol.untilExit("contended", line -> {
            String[] words = line.split(" ");
            return run(Integer.parseInt(words[1]), Integer.parseInt(words[2]) * 1_000_000L);
        });
    }

    private static void latch() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            return;
        }
    }

    private static void queue() {
        try {
            new LinkedBlockingQueue<String>().take();
        } catch (InterruptedException e) {
            return;
        }
    }

    private static String run(int times, long nanos) {
        sums.clear();
        try {
            Thread[] threads = {
                start("monitor", ContendedLocks::monitor, ContendedLocks::monitor, times, nanos),
                start("reentrant", ContendedLocks::reentrant, ContendedLocks::reentrant, times, nanos),
                start("read", ContendedLocks::writePair, ContendedLocks::read, times, nanos),
                start("write", ContendedLocks::write, ContendedLocks::write, times, nanos),
                start("semaphore", ContendedLocks::semaphore, ContendedLocks::semaphore, times, nanos),
                start("stamped", ContendedLocks::stamped, ContendedLocks::stamped, times, nanos)
            };
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            return e.toString();
        }
        StringBuilder answer = new StringBuilder();
        new TreeMap<>(sums)
                .forEach((kind, sum) ->
                        answer.append(kind).append('=').append(sum).append(' '));
        return answer.toString().trim();
    }

    private static Thread start(String kind, Section owner, Section waiter, int times, long nanos) {
        Turns turns = new Turns();
        LineProtocol.start("owner-" + kind, () -> {
            for (int i = 1; i <= times; i++) {
                int turn = i;
                owner.during(() -> {
                    turns.held = turn;
                    LockSupport.parkNanos(nanos);
                });
                while (turns.done < turn) {
                    LockSupport.parkNanos(LOOK_NANOS);
                }
            }
        });
        return LineProtocol.start("waits-" + kind, () -> {
            for (int i = 1; i <= times; i++) {
                while (turns.held < i) {
                    LockSupport.parkNanos(LOOK_NANOS);
                }
                long since = System.nanoTime();
                waiter.during(() -> sums.merge(kind, System.nanoTime() - since, Long::sum));
                turns.done = i;
            }
        });
    }

    private static void monitor(Runnable action) {
        synchronized (guarded) {
            action.run();
        }
    }

    private static void reentrant(Runnable action) {
        holding(reentrant, action);
    }

    private static void writePair(Runnable action) {
        holding(pair.writeLock(), action);
    }

    private static void read(Runnable action) {
        holding(pair.readLock(), action);
    }

    private static void write(Runnable action) {
        holding(written.writeLock(), action);
    }

    private static void holding(Lock lock, Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    private static void semaphore(Runnable action) {
        permits.acquireUninterruptibly();
        try {
            action.run();
        } finally {
            permits.release();
        }
    }

    private static void stamped(Runnable action) {
        long stamp = stamped.writeLock();
        try {
            action.run();
        } finally {
            stamped.unlock(stamp);
        }
    }
}
