package mayfly.targets;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongUnaryOperator;

/**
 * Works only on request, and answers with the amount of work done: {@code work MILLIS} on one platform thread,
 * {@code yields MILLIS} on eight virtual threads that only yield (JDK 21), and {@code classes MILLIS} on one platform
 * thread that defines and initialises a class in a new loader each time. All answer {@code DONE NANOS}; {@code spend
 * MILLIS} works as {@code work} and answers with the CPU time of the thread. This lets two JVMs take turns.
 */
public final class WorkOnRequest {
    private static final int VIRTUAL_THREADS = 8;
    private static final LongUnaryOperator[] OPERATIONS = {x -> x + 1, x -> x ^ x >>> 7, x -> x * 31};
    private static final Map<Long, Long> seen = new HashMap<>();
    private static volatile boolean stopped;

    private WorkOnRequest() {}

    /** The class that is defined repeatedly. */
    public static final class Guest {
        private static final long CREATED = System.nanoTime();

        private Guest() {}

        static long created() {
            return CREATED;
        }
    }

    private static final class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass(Guest.class.getName(), bytes, 0, bytes.length);
        }
    }

    public static void main(String[] args) throws IOException {
        byte[] guest;
        try (InputStream in = WorkOnRequest.class.getResourceAsStream("WorkOnRequest$Guest.class")) {
            guest = in.readAllBytes();
        }
        LineProtocol.untilExit("on demand", line -> {
            String[] words = line.split(" ");
            long nanos = Long.parseLong(words[1]) * 1_000_000;
            switch (words[0]) {
                case "work":
                    return work(nanos);
                case "spend":
                    return spend(nanos);
                case "classes":
                    return classes(nanos, guest);
                default:
                    return yields(nanos);
            }
        });
    }

    private static String classes(long nanos, byte[] guest) {
        long begin = System.nanoTime();
        long done = 0;
        long now = begin;
        try {
            while (now - begin < nanos) {
                Class<?> type = new Loader().define(guest);
                Class.forName(type.getName(), true, type.getClassLoader());
                done++;
                now = System.nanoTime();
            }
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
        return done + " " + (now - begin);
    }

    private static String spend(long nanos) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begin = threads.getCurrentThreadCpuTime();
        String done = work(nanos).split(" ")[0];
        return done + " " + (threads.getCurrentThreadCpuTime() - begin);
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
