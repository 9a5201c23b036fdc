package mayfly.targets;

/**
 * One thread that alternately calls two methods. Each descends the same recursion to a leaf of its own, so no stack has
 * the leaf of one method and the root of the other. The argument is the depth.
 */
public final class Alternation {
    private static final long NANOS = 500_000;

    private Alternation() {}

    public static void main(String[] args) {
        int depth = Integer.parseInt(args[0]);
        LineProtocol.start("alternating", () -> {
            while (true) {
                Work.sink += fromFirst(depth);
                Work.sink -= fromSecond(depth);
            }
        });
        LineProtocol.untilExit("alternating", line -> line);
    }

    private static long fromFirst(int depth) {
        return descend(depth, true) + 1;
    }

    private static long fromSecond(int depth) {
        return descend(depth, false) + 2;
    }

    private static long descend(int levels, boolean first) {
        if (levels == 0) {
            return first ? toFirst() : toSecond();
        }
        return descend(levels - 1, first) + 1;
    }

    private static long toFirst() {
        return spin() + 1;
    }

    private static long toSecond() {
        return spin() + 2;
    }

    private static long spin() {
        long end = System.nanoTime() + NANOS;
        long x = 1;
        while (System.nanoTime() < end) {
            x = Work.spin(100, x);
        }
        return x;
    }
}
