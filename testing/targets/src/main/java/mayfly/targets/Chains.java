package mayfly.targets;

import java.util.function.LongUnaryOperator;

/**
 * Threads with known calls. Their frames in the inner classes of this class are, root first, a beginning of:
 *
 * <pre>
 * chain-down  Down.run a b c d e
 * chain-turns Turns.run even odd even odd …, 40 of them, and bottom
 * chain-many  Many.run call, and then one of One.applyAsLong … Four.applyAsLong
 * </pre>
 *
 * <p>Frames of other classes are only at the leaf of a complete chain: below e and below an applyAsLong; and d calls
 * Long.toString. No other method calls another class.
 */
final class Chains {
    private static final int TURNS = 40;
    private static final int SPINS = 60;

    private Chains() {}

    /** Starts the threads and waits until they are in their chains. */
    static void startAll() {
        await(LineProtocol.start("chain-down", new Down()));
        await(LineProtocol.start("chain-turns", new Turns()));
        await(LineProtocol.start("chain-many", new Many()));
    }

    private static void await(Thread thread) {
        while (thread.getStackTrace().length < 3) {
            Thread.onSpinWait();
        }
    }

    private static final class Down implements Runnable {
        @Override
        public void run() {
            for (long x = 1; ; x++) {
                Work.sink = a(x);
            }
        }

        private long a(long x) {
            return b(x + 1) ^ x;
        }

        private long b(long x) {
            return c(x + 2, x * 31) ^ x;
        }

        private long c(long x, long y) {
            return x % 3 == 0 ? d(x, y) : d(y, x);
        }

        private long d(long x, long y) {
            return e(Long.toString(x + y), x) ^ y;
        }

        private long e(String text, long x) {
            return new StringBuilder(text).append(x).reverse().toString().hashCode();
        }
    }

    private static final class Turns implements Runnable {
        @Override
        public void run() {
            for (long x = 1; ; x++) {
                Work.sink = even(TURNS - 1, x);
            }
        }

        private long even(int left, long x) {
            return left == 0 ? bottom(x) : odd(left - 1, x * 31 + 1);
        }

        private long odd(int left, long x) {
            return left == 0 ? bottom(x) : even(left - 1, x * 17 + 3);
        }

        private static long bottom(long start) {
            long x = start;
            for (int i = 0; i < SPINS; i++) {
                x = x * 31 + (x >>> 7);
            }
            return x;
        }
    }

    /** The called method is not known in advance, and changes. */
    private static final class Many implements Runnable {
        private final LongUnaryOperator[] operators = {new One(), new Two(), new Three(), new Four()};

        @Override
        public void run() {
            for (long x = 1; ; x++) {
                Work.sink = call(x);
            }
        }

        private long call(long x) {
            return operators[(int) (x & 3)].applyAsLong(x);
        }
    }

    private static final class One implements LongUnaryOperator {
        @Override
        public long applyAsLong(long x) {
            return new byte[(int) (x & 1023)].length;
        }
    }

    private static final class Two implements LongUnaryOperator {
        @Override
        public long applyAsLong(long x) {
            return Long.toHexString(x).hashCode();
        }
    }

    private static final class Three implements LongUnaryOperator {
        @Override
        public long applyAsLong(long x) {
            try {
                return Long.parseLong("x" + x);
            } catch (NumberFormatException e) {
                return x;
            }
        }
    }

    private static final class Four implements LongUnaryOperator {
        @Override
        public synchronized long applyAsLong(long x) {
            return Turns.bottom(x);
        }
    }
}
