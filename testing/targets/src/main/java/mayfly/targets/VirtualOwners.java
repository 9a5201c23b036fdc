package mayfly.targets;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Virtual threads that own locks for which platform threads wait: {@code waits-for-a-lock}, {@code waits-for-a-monitor}
 * and {@code waits-for-a-carrier}. The owners of the first two are parked; that of the last one runs on its carrier. It
 * answers any line with the ids of the three owners.
 */
public final class VirtualOwners {
    private static final ReentrantLock lock = new ReentrantLock();
    private static final Object monitor = new Object();
    private static final ReentrantLock ofRunning = new ReentrantLock();

    private VirtualOwners() {}

    public static void main(String[] args) throws ReflectiveOperationException, InterruptedException {
        long parked = owner(() -> lock.lock(), LockSupport::park);
        CountDownLatch entered = new CountDownLatch(1);
        AtomicLong inMonitor = new AtomicLong();
        LineProtocol.startVirtual(() -> {
            synchronized (monitor) {
                inMonitor.set(Thread.currentThread().getId());
                entered.countDown();
                LockSupport.park();
            }
        });
        entered.await();
        long running = owner(() -> ofRunning.lock(), () -> {
            while (true) {
                Work.sink = Work.spin(1_000, Work.sink);
            }
        });
        Thread[] waiting = {
            LineProtocol.start("waits-for-a-lock", lock::lock),
            LineProtocol.start("waits-for-a-monitor", () -> {
                synchronized (monitor) {
                    Work.sink = 1;
                }
            }),
            LineProtocol.start("waits-for-a-carrier", ofRunning::lock)
        };
        for (Thread thread : waiting) {
            while (thread.getState() != Thread.State.BLOCKED && thread.getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
        }
        String ids = parked + " " + inMonitor.get() + " " + running;
        LineProtocol.untilExit("virtual owners", line -> ids);
    }

    /** Starts a virtual thread that takes a lock and then does something. Returns its id when it has the lock. */
    private static long owner(Runnable take, Runnable then) throws ReflectiveOperationException, InterruptedException {
        CountDownLatch taken = new CountDownLatch(1);
        AtomicLong id = new AtomicLong();
        LineProtocol.startVirtual(() -> {
            take.run();
            id.set(Thread.currentThread().getId());
            taken.countDown();
            then.run();
        });
        taken.await();
        return id.get();
    }
}
