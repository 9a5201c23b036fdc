package mayfly.targets;

import org.jspecify.annotations.Nullable;

/** Exceptions that are thrown many frames below their handler, implicit exceptions, and handlers that rethrow. */
final class StressExceptions implements Stress.Load {
    private static final class Far extends RuntimeException {
        private static final long serialVersionUID = 1;

        Far(String message) {
            super(message);
        }
    }

    private static final class Light extends RuntimeException {
        private static final long serialVersionUID = 1;

        Light() {
            super("light", null, false, false);
        }
    }

    private final int[] few = new int[4];

    @Override
    public long round(int seed) {
        long sum = 0;
        for (int i = 0; i < 150; i++) {
            sum += caught(i, 60) + implicit(i) + light(i);
        }
        return sum;
    }

    private long caught(int i, int depth) {
        try {
            return down(depth, i);
        } catch (Far e) {
            return e.getMessage() == null ? 0 : e.getStackTrace().length;
        }
    }

    private long down(int levels, int i) {
        if (levels == 0) {
            throw new Far("at the bottom " + i);
        }
        try {
            return down(levels - 1, i) + 1;
        } catch (IllegalStateException e) {
            return 1;
        } finally {
            few[levels & 3]++;
        }
    }

    private long light(int i) {
        long sum = 0;
        for (int n = 0; n < 100; n++) {
            try {
                sum += throwing(i + n);
            } catch (Light e) {
                sum++;
            }
        }
        return sum;
    }

    private static long throwing(int i) {
        if ((i & 1) == 0) {
            throw new Light();
        }
        return i;
    }

    /** Exceptions that the VM creates from a signal, or from a check. */
    long implicit(int i) {
        long sum = 0;
        try {
            sum += length(i % 3 == 0 ? null : "text");
        } catch (NullPointerException e) {
            sum++;
        }
        try {
            sum += few[i % 6];
        } catch (ArrayIndexOutOfBoundsException e) {
            sum++;
        }
        try {
            sum += 1_000 / (i % 5);
        } catch (ArithmeticException e) {
            sum++;
        }
        try {
            Object text = i % 4 == 0 ? "text" : Integer.valueOf(i);
            sum += (Integer) text;
        } catch (ClassCastException e) {
            sum++;
        }
        return sum;
    }

    @SuppressWarnings("NullAway")
    private static int length(@Nullable String text) {
        return text.length();
    }
}
