package mayfly.targets;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongUnaryOperator;

/**
 * Works only on request, and answers with the amount of work done: {@code work MILLIS} on one platform thread,
 * {@code yields MILLIS} on eight virtual threads that only yield (JDK 21). Both answer {@code DONE NANOS}. This lets
 * two JVMs take turns.
 */
public final class WorkOnRequest {
    private static final int VIRTUAL_THREADS = 8;
    private static final LongUnaryOperator[] OPERATIONS = {x -> x + 1, x -> x ^ x >>> 7, x -> x * 31};
    private static final Map<Long, Long> seen = new HashMap<>();
    private static volatile boolean stopped;

    private WorkOnRequest() {}

    public static void main(String[] args) {
        LineProtocol.untilExit("on demand", line -> {
            String[] words = line.split(" ");
            long nanos = Long.parseLong(words[1]) * 1_000_000;
            return words[0].equals("work") ? work(nanos) : yields(nanos);
        });
    }

    private static String work(long nanos) {
        long begin = System.nanoTime();
        long done = 0;
        long x = 1;
        long now = begin;
        while (now - begin < nanos) {
            x = mixed(x);
            done++;
            now = System.nanoTime();
        }
        Work.sink = x;
        return done + " " + (now - begin);
    }

    /**
     * A mix of typical operations: compute, allocate, call through an interface, lock, look up, throw. About 20
     * microseconds.
     */
    private static long mixed(long seed) {
        long x = Work.spin(2_000, seed);
        for (int i = 0; i < 200; i++) {
            x = OPERATIONS[(int) (x & 0x7fff) % OPERATIONS.length].applyAsLong(x);
            byte[] made = new byte[16 + (int) (x & 63)];
            made[0] = (byte) x;
            synchronized (seen) {
                seen.merge(x & 255, 1L, Long::sum);
            }
            x += made[made.length - 1] + made[0];
        }
        try {
            throw new IllegalStateException(Long.toString(x & 15));
        } catch (IllegalStateException e) {
            return x + e.getMessage().length();
        }
    }

    private static String yields(long nanos) {
        LongAdder done = new LongAdder();
        stopped = false;
        try {
            Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            List<Thread> threads = new ArrayList<>();
            long begin = System.nanoTime();
            for (int i = 0; i < VIRTUAL_THREADS; i++) {
                threads.add((Thread) start.invoke(null, (Runnable) () -> yieldUntilStopped(done)));
            }
            Thread.sleep(nanos / 1_000_000);
            stopped = true;
            for (Thread thread : threads) {
                thread.join();
            }
            return done.sum() + " " + (System.nanoTime() - begin);
        } catch (ReflectiveOperationException | InterruptedException e) {
            throw new IllegalStateException("virtual threads need JDK 21", e);
        }
    }

    private static void yieldUntilStopped(LongAdder done) {
        while (!stopped) {
            for (int i = 0; i < 100; i++) {
                Thread.yield();
            }
            done.add(100);
        }
    }
}
