package mayfly.targets;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/** Threads that wait for a monitor, a lock, a signal or each other. */
final class BlockedOnLocks {
    private static final Object monitor = new Object();
    private static final ReentrantLock lock = new ReentrantLock();
    private static final ReentrantReadWriteLock readWrite = new ReentrantReadWriteLock();
    private static final StampedLock stamped = new StampedLock();
    private static final Condition never = lock.newCondition();

    private BlockedOnLocks() {}

    static void start() {
        Blocked.start("object-wait", () -> waitFor(new Object(), 0));
        Blocked.start("object-timed-wait", () -> waitFor(new Object(), 100_000_000));
        Thread holder = Blocked.start("monitor-holder", BlockedOnLocks::holdMonitor);
        Blocked.awaitBlocked(holder);
        Blocked.start("monitor-enter-block", BlockedOnLocks::enterBlock);
        Blocked.start("monitor-enter-method", BlockedOnLocks::enterMethod);
        Blocked.start("nested-synchronized", () -> nested(new Object(), new Object(), new Object()));
        Blocked.start("park", LockSupport::park);
        Blocked.start("park-blocker", () -> LockSupport.park(monitor));
        Blocked.start("park-nanos", () -> LockSupport.parkNanos(TimeUnit.DAYS.toNanos(1)));
        Blocked.start("sleep", () -> Thread.sleep(TimeUnit.DAYS.toMillis(1)));
        Blocked.start("time-unit-sleep", () -> TimeUnit.HOURS.sleep(20));
        lockEverything();
        Blocked.start("reentrant-lock", lock::lock);
        Blocked.start("reentrant-lock-timed", () -> lock.tryLock(1, TimeUnit.DAYS));
        Blocked.start("read-lock", () -> readWrite.readLock().lock());
        Blocked.start("write-lock", () -> readWrite.writeLock().lock());
        Blocked.start("stamped-lock", stamped::writeLock);
        Blocked.start("stamped-read", stamped::readLockInterruptibly);
        Blocked.start("semaphore", () -> new Semaphore(0).acquire());
        Blocked.start("latch", () -> new CountDownLatch(1).await());
        Blocked.start("latch-timed", () -> new CountDownLatch(1).await(1, TimeUnit.DAYS));
        Blocked.start("barrier", () -> new CyclicBarrier(2).await());
        Blocked.start("phaser", () -> new Phaser(2).arriveAndAwaitAdvance());
        Blocked.start("future", () -> new CompletableFuture<String>().get());
        Blocked.start(
                "future-join-dependent",
                () -> new CompletableFuture<String>().thenApply(String::trim).join());
        Blocked.start("thread-join", () -> holder.join());
        Blocked.start("thread-join-timed", () -> holder.join(100_000_000));
        CountDownLatch named = new CountDownLatch(1);
        Blocked.start(
                "fork-join",
                () -> new ForkJoinPool(1).submit(() -> forkAndJoin(named)).get());
        await(named);
    }

    /** Acquires every lock in a thread that then waits for a separate condition. */
    private static void lockEverything() {
        CountDownLatch locked = new CountDownLatch(1);
        Blocked.start("condition", () -> {
            readWrite.writeLock().lock();
            stamped.writeLock();
            lock.lock();
            locked.countDown();
            ReentrantLock other = new ReentrantLock();
            other.lock();
            other.newCondition().await();
        });
        Blocked.start("condition-timed", () -> {
            ReentrantLock own = new ReentrantLock(true);
            own.lock();
            own.newCondition().await(1, TimeUnit.DAYS);
        });
        await(locked);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void waitFor(Object object, long millis) throws InterruptedException {
        synchronized (object) {
            object.wait(millis);
        }
    }

    private static void holdMonitor() {
        synchronized (monitor) {
            synchronized (BlockedOnLocks.class) {
                LockSupport.park();
            }
        }
    }

    private static void enterBlock() {
        synchronized (monitor) {
            Work.sink = 1;
        }
    }

    private static synchronized void enterMethod() {
        Work.sink = 2;
    }

    private static void nested(Object a, Object b, Object c) throws InterruptedException {
        synchronized (a) {
            synchronized (b) {
                synchronized (c) {
                    synchronized (a) {
                        b.wait();
                    }
                }
            }
        }
    }

    private static void forkAndJoin(CountDownLatch named) {
        Thread.currentThread().setName("kind-fork-join-worker");
        named.countDown();
        ForkJoinTask<?> child = ForkJoinTask.adapt(() -> LockSupport.park(never));
        child.fork();
        child.join();
    }
}
