package mayfly.targets;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads that run, or that park until a request. {@code run COUNT} starts them, and waits until each has slept
 * and ended; {@code park COUNT} starts some that park; {@code release} ends these. The answer is the number of threads
 * and the sum of their ids. Needs JDK 21.
 */
public final class ManyVirtualThreads {
    private static final long NANOS = 1_000_000;

    private static volatile CountDownLatch released = new CountDownLatch(1);
    private static Group waiting;

    private ManyVirtualThreads() {}

    /** Threads that were started together. */
    private static final class Group {
        private final Thread[] threads;

        Group(int count, Runnable body) throws ReflectiveOperationException {
            threads = new Thread[count];
            for (int i = 0; i < count; i++) {
                threads[i] = LineProtocol.startVirtual(body);
            }
        }

        /** Waits until all have ended. */
        void join() throws InterruptedException {
            for (Thread thread : threads) {
                thread.join();
            }
        }

        @Override
        public String toString() {
            AtomicLong ids = new AtomicLong();
            for (Thread thread : threads) {
                ids.addAndGet(thread.getId());
            }
            return threads.length + " " + ids;
        }
    }

    public static void main(String[] args) {
        LineProtocol.untilExit("virtual threads", line -> {
            try {
                return answer(line.split(" "));
            } catch (ReflectiveOperationException | InterruptedException e) {
                return e.toString();
            }
        });
    }

    private static String answer(String[] words) throws ReflectiveOperationException, InterruptedException {
        switch (words[0]) {
            case "run":
                Group group = new Group(Integer.parseInt(words[1]), () -> LockSupport.parkNanos(NANOS));
                group.join();
                return group.toString();
            case "park":
                return park(Integer.parseInt(words[1]));
            case "release":
                released.countDown();
                waiting.join();
                return waiting.toString();
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private static String park(int count) throws ReflectiveOperationException, InterruptedException {
        CountDownLatch parked = new CountDownLatch(count);
        released = new CountDownLatch(1);
        waiting = new Group(count, () -> {
            parked.countDown();
            try {
                released.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        parked.await();
        return waiting.toString();
    }
}
