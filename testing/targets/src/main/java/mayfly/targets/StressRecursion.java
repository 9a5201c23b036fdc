package mayfly.targets;

/** Recursion 3,000 calls deep, with work at the bottom. */
final class StressRecursion implements Stress.Load {
    private static final int DEPTH = 3_000;

    @Override
    public long round(int seed) {
        return down(DEPTH, seed);
    }

    private static long down(int levels, long x) {
        if (levels == 0) {
            return Work.spin(2_000_000, x);
        }
        return (levels & 1) == 0 ? across(levels - 1, x, levels) : down(levels - 1, x + 1) ^ levels;
    }

    /** A second method, so that the stack has more than one frame size. */
    private static long across(int levels, long x, double scale) {
        long below = down(levels, x);
        return below + (long) scale;
    }
}
