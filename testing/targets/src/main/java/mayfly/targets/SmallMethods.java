package mayfly.targets;

import java.util.function.LongUnaryOperator;

/**
 * A thread, {@code small}, that calls small methods of every shape in turn: with and without a frame of their own, with
 * arguments on the stack, synchronized, through an interface, into stubs and into native code. It answers any line with
 * the number of rounds through all of them.
 */
public final class SmallMethods {
    private static final int WARM = 60_000;
    private static final int SHAPES = 8;
    private static final LongUnaryOperator[] operators = {new Plus(), new Times(), new Minus()};
    private static final long[] from = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    private static final long[] to = new long[9];
    private static volatile long rounds;

    private SmallMethods() {}

    public static void main(String[] args) {
        LineProtocol.start("small", SmallMethods::loop);
        while (rounds < WARM) {
            Thread.onSpinWait();
        }
        LineProtocol.untilExit("small", line -> Long.toString(rounds));
    }

    private static void loop() {
        for (long n = 0; ; n++) {
            rounds = n / SHAPES;
            Work.sink = outer(n);
        }
    }

    private static long outer(long n) {
        return middle(n, (int) (n % SHAPES)) + 1;
    }

    private static long middle(long n, int shape) {
        switch (shape) {
            case 0:
                return leaf(n);
            case 1:
                return many(n, 1, n + 2, 3, n + 4, 5, n + 6, 7, n + 8, 9);
            case 2:
                return locked(n);
            case 3:
                return operators[(int) (n / SHAPES % operators.length)].applyAsLong(n);
            case 4:
                return (long) (Math.sin(n) * Math.log(n + 1.0));
            case 5:
                return copied((int) (n & 7));
            case 6:
                return free(n);
            default:
                return deeper(n, 4);
        }
    }

    private static long leaf(long n) {
        return n * 31 + 7;
    }

    private static long many(long a, int b, long c, int d, long e, int f, long g, int h, long i, int j) {
        return leaf(a + b + c + d) + leaf(e + f + g + h + i + j);
    }

    private static synchronized long locked(long n) {
        return leaf(n) ^ n;
    }

    private static long copied(int length) {
        System.arraycopy(from, 0, to, 0, length);
        return to[length];
    }

    /** A native method of the JDK that no compiler treats as an intrinsic. */
    private static long free(long n) {
        return Runtime.getRuntime().freeMemory() + n;
    }

    private static long deeper(long n, int levels) {
        return levels == 0 ? leaf(n) : deeper(n + 1, levels - 1) + levels;
    }

    private static final class Plus implements LongUnaryOperator {
        @Override
        public long applyAsLong(long n) {
            return n + 1;
        }
    }

    private static final class Times implements LongUnaryOperator {
        @Override
        public long applyAsLong(long n) {
            return n * 3;
        }
    }

    private static final class Minus implements LongUnaryOperator {
        @Override
        public long applyAsLong(long n) {
            return -n;
        }
    }
}
