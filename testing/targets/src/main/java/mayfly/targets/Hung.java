package mayfly.targets;

/**
 * At a line, a JVM that hangs: one thread, {@code loop}, is in a compiled loop without a safepoint, and another asks
 * for one. To be run with {@code -Xbatch -XX:-UseCountedLoopSafepoints -XX:LoopStripMiningIter=0}. It is not answered.
 */
public final class Hung {
    private static final int WARM = 30_000;

    private Hung() {
    }

    public static void main(String[] args) {
        long warmed = 0;
        for (int i = 0; i < WARM; i++) {
            warmed += divide(i % 64, i);
        }
        Work.sink = warmed;
        Talk.start("loop", () -> Work.sink = endless());
        Talk.untilExit("hung", line -> {
            System.gc();
            return line;
        });
    }

    private static long endless() {
        long x = 1;
        while (true) {
            x = divide(Integer.MAX_VALUE, x);
        }
    }

    /** Some 20 ns for each step, with no way to make it shorter. */
    private static long divide(int steps, long start) {
        long x = start;
        for (int i = 0; i < steps; i++) {
            x = (Long.MAX_VALUE - i) / (x | 3) + i;
            x = (Long.MAX_VALUE - i) / (x | 5) + i;
        }
        return x;
    }
}
