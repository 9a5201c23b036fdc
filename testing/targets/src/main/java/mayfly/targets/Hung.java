package mayfly.targets;

/**
 * Hangs its JVM when it receives a line: one thread, {@code loop}, is in a compiled loop without a safepoint, and
 * another thread requests a safepoint. Run it with {@code -Xbatch -XX:-UseCountedLoopSafepoints
 * -XX:LoopStripMiningIter=0}. It does not answer.
 */
public final class Hung {
    private static final int WARM = 30_000;

    private Hung() {}

    public static void main(String[] args) {
        long warmed = 0;
        for (int i = 0; i < WARM; i++) {
            warmed += divide(i % 64, i);
        }
        Work.sink = warmed;
        LineProtocol.start("loop", () -> Work.sink = endless());
        LineProtocol.untilExit("hung", line -> {
            while (true) {
                System.gc(); // the first ones may end before the loop begins
            }
        });
    }

    private static long endless() {
        long x = 1;
        while (true) {
            x = divide(Integer.MAX_VALUE, x);
        }
    }

    /** Takes some 20 ns for each step, and cannot be optimized. */
    private static long divide(int steps, long start) {
        long x = start;
        for (int i = 0; i < steps; i++) {
            x = (Long.MAX_VALUE - i) / (x | 3) + i;
            x = (Long.MAX_VALUE - i) / (x | 5) + i;
        }
        return x;
    }
}
