package mayfly.targets;

/**
 * One CPU-bound thread, a dozen calls deep, that counts its iterations. It answers any line with
 * {@code ITERATIONS WALL_NANOS CPU_NANOS}, which give the rate between two answers.
 */
public final class Ticker {
    private static final int DEPTH = 12;
    /** About 20 microseconds of work when compiled. */
    private static final int STEPS = 10_000;

    private static volatile long iterations;

    private Ticker() {}

    public static void main(String[] args) {
        Thread ticker = LineProtocol.start("ticker", Ticker::tick);
        while (iterations < 50_000) {
            Thread.onSpinWait();
        }
        LineProtocol.untilExit("ticker", line -> iterations + " " + System.nanoTime() + " " + Work.cpuNanos(ticker));
    }

    private static void tick() {
        long x = 1;
        for (long done = 1; ; done++) {
            x = descend(DEPTH, x);
            iterations = done;
            Work.sink = x;
        }
    }

    private static long descend(int levels, long x) {
        if (levels == 0) {
            return Work.spin(STEPS, x);
        }
        return descend(levels - 1, x) + levels;
    }
}
