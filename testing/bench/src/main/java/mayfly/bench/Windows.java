package mayfly.bench;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import mayfly.kit.Jvm;

/** The work that a Ticker target completed in a window of time. */
final class Windows {
    /** The time after a switch before a window begins: it keeps the cost of the switch out of the window. */
    private static final Duration SETTLE = Duration.ofMillis(200);

    private static final Duration WINDOW = Duration.ofMillis(800);

    /**
     * @param perWallSecond iterations per second of time
     * @param perCpuSecond iterations per second of the thread's CPU time
     */
    record Rate(double perWallSecond, double perCpuSecond) {
        /** Returns the part of the time in which the thread was on a CPU: less than 1 if other threads need it, too. */
        double busy() {
            return perWallSecond / perCpuSecond;
        }
    }

    /**
     * One answer of a Ticker.
     *
     * @param iterations completed so far
     * @param wallNanos its clock
     * @param cpuNanos CPU time of its thread
     */
    record Tick(long iterations, long wallNanos, long cpuNanos) {
        static Tick of(Jvm ticker) {
            String[] words = ticker.ask("tick").split(" ");
            return new Tick(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
        }
    }

    private Windows() {}

    /** Measures one window. */
    static Rate measure(Jvm ticker) {
        rest(SETTLE);
        Tick begin = Tick.of(ticker);
        rest(WINDOW);
        Tick end = Tick.of(ticker);
        double done = (end.iterations - begin.iterations) * 1e9;
        return new Rate(done / (end.wallNanos - begin.wallNanos), done / (end.cpuNanos - begin.cpuNanos));
    }

    /** Waits for this time. */
    static void rest(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
