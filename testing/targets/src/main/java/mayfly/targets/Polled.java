package mayfly.targets;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wait for monitors and allocate, and measure it themselves.
 *
 * <ul>
 * <li>{@code contend THREADS ROUNDS MILLIS}: that many threads for each of two monitors enter it repeatedly, and own it
 *     for that time. The answer has an entry for each monitor: its class, its identity hash code, and the time in ns
 *     that threads waited for it.
 * <li>{@code block}: a thread owns a monitor and another waits for it until {@code free}. The answer has the class and
 *     the identity of the monitor's object, and the numbers of the owner and of the thread that waits.
 * <li>{@code allocate MIB}: four permanent threads, {@code allocates 0} to {@code 3}, allocate about that many MiB. The
 *     answer is the number of bytes.
 * <li>{@code short THREADS}: that many threads allocate 64 KiB each, one after the other, and end. The answer is the
 *     number of bytes.
 * <li>{@code many THREADS} starts permanent threads, which do nothing.
 * <li>{@code override} starts a permanent thread whose class has its own {@code getId}, and {@code called} answers with
 *     the number of its calls.
 * <li>{@code manage} uses the management of the JDK.
 * </ul>
 */
public final class Polled {
    private static final int ALLOCATING = 4;
    private static final int SHORT_BYTES = 64 << 10;
    private static final List<LinkedBlockingQueue<Runnable>> allocating = new ArrayList<>();
    private static final AtomicInteger calls = new AtomicInteger();
    private static volatile CountDownLatch free = new CountDownLatch(1);
    private static volatile Object kept;

    private Polled() {}

    private static final class Account {}

    private static final class Numbered extends Thread {
        @SuppressWarnings("deprecation") // the JDK's management calls it before JDK 19
        @Override
        public long getId() {
            calls.incrementAndGet();
            return super.getId();
        }

        @Override
        public void run() {
            LockSupport.park();
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < ALLOCATING; i++) {
            LinkedBlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
            allocating.add(queue);
            LineProtocol.start("allocates " + i, () -> serve(queue));
        }
        LineProtocol.untilExit("polled", line -> {
            try {
                return answer(line.split(" "));
            } catch (InterruptedException e) {
                return e.toString();
            }
        });
    }

    private static void serve(LinkedBlockingQueue<Runnable> queue) {
        try {
            while (true) {
                queue.take().run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String answer(String[] words) throws InterruptedException {
        switch (words[0]) {
            case "contend":
                return contend(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]));
            case "block":
                return block();
            case "free":
                free.countDown();
                return "free";
            case "allocate":
                return Long.toString(allocate(Long.parseLong(words[1]) << 20));
            case "short":
                return Long.toString(allocateInShortThreads(Integer.parseInt(words[1])));
            case "many":
                for (int i = 0; i < Integer.parseInt(words[1]); i++) {
                    LineProtocol.start("idle " + i, LockSupport::park);
                }
                return "started";
            case "override":
                Numbered numbered = new Numbered();
                numbered.setDaemon(true);
                numbered.start();
                return "started";
            case "called":
                return calls.toString();
            case "manage":
                return Integer.toString(ManagementFactory.getThreadMXBean().getThreadCount());
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    /** One monitor is of an object, the other one of an array. */
    private static String contend(int threads, int rounds, int millis) throws InterruptedException {
        Object[] monitors = {new Account(), new int[0]};
        AtomicLong[] totals = {new AtomicLong(), new AtomicLong()};
        List<Thread> started = new ArrayList<>();
        for (int i = 0; i < 2 * threads; i++) {
            int which = i % 2;
            started.add(LineProtocol.start("contends " + i, () -> {
                for (int round = 0; round < rounds; round++) {
                    totals[which].addAndGet(enter(monitors[which], millis));
                }
            }));
        }
        for (Thread each : started) {
            each.join();
        }
        return entry(monitors[0], totals[0].get()) + ";" + entry(monitors[1], totals[1].get());
    }

    private static String entry(Object monitor, long nanos) {
        return monitor.getClass().getName() + " " + System.identityHashCode(monitor) + " " + nanos;
    }

    private static long enter(Object monitor, int millis) {
        long begun = System.nanoTime();
        synchronized (monitor) {
            long waited = System.nanoTime() - begun;
            try {
                Thread.sleep(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return waited;
        }
    }

    @SuppressWarnings("deprecation") // Thread.threadId exists since JDK 19
    private static String block() throws InterruptedException {
        Object monitor = new Account();
        CountDownLatch owned = new CountDownLatch(1);
        CountDownLatch freed = new CountDownLatch(1);
        free = freed;
        Thread owner = LineProtocol.start("owns", () -> {
            synchronized (monitor) {
                owned.countDown();
                try {
                    freed.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        });
        owned.await();
        Thread waits = LineProtocol.start("waits", () -> enter(monitor, 0));
        while (waits.getState() != Thread.State.BLOCKED) {
            Thread.onSpinWait();
        }
        return monitor.getClass().getName() + " " + System.identityHashCode(monitor) + " " + owner.getId() + " "
                + waits.getId();
    }

    private static long allocate(long bytes) throws InterruptedException {
        AtomicLong allocated = new AtomicLong();
        CountDownLatch ended = new CountDownLatch(ALLOCATING);
        for (LinkedBlockingQueue<Runnable> queue : allocating) {
            queue.add(() -> {
                allocated.addAndGet(allocateHere(bytes / ALLOCATING));
                ended.countDown();
            });
        }
        ended.await();
        return allocated.get();
    }

    /** Allocates arrays of 1 KiB, and returns the number of bytes. */
    private static long allocateHere(long bytes) {
        long done = 0;
        for (; done < bytes; done += 1024) {
            kept = new byte[1024 - 16];
        }
        return done;
    }

    private static long allocateInShortThreads(int threads) throws InterruptedException {
        AtomicLong allocated = new AtomicLong();
        for (int i = 0; i < threads; i++) {
            LineProtocol.start("short", () -> allocated.addAndGet(allocateHere(SHORT_BYTES)))
                    .join();
        }
        return allocated.get();
    }
}
