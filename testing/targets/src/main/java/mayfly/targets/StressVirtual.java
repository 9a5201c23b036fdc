package mayfly.targets;

import java.lang.reflect.Method;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Virtual threads in pairs that pass values to each other, compute, and sleep, at varying depths. Needs JDK 21. */
final class StressVirtual {
    private StressVirtual() {}

    static void start(int threads, AtomicLong rounds) throws ReflectiveOperationException {
        Method starter;
        try {
            starter = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            System.err.println("virtual threads need JDK 21");
            System.exit(2);
            return;
        }
        for (int i = 0; i < threads / 2; i++) {
            BlockingQueue<Long> there = new ArrayBlockingQueue<>(1);
            BlockingQueue<Long> back = new ArrayBlockingQueue<>(1);
            int depth = i % 40;
            starter.invoke(null, (Runnable) () -> play(there, back, depth, rounds));
            starter.invoke(null, (Runnable) () -> play(back, there, depth, rounds));
            back.add((long) i);
        }
    }

    private static void play(BlockingQueue<Long> out, BlockingQueue<Long> in, int depth, AtomicLong rounds) {
        try {
            for (long n = 0; ; n++) {
                Long value = descend(depth, in);
                out.put(Work.spin(100_000, value));
                rounds.incrementAndGet();
                if (n % 16 == 0) {
                    TimeUnit.MICROSECONDS.sleep(200);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Blocks below some frames, so that the continuation is thawed a few frames at a time. */
    private static Long descend(int levels, BlockingQueue<Long> in) throws InterruptedException {
        if (levels == 0) {
            Long value = in.take();
            return Work.spin(20_000, value);
        }
        return descend(levels - 1, in) + levels;
    }
}
