package mayfly.bench;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.ToDoubleBiFunction;

/** Medians with bootstrap intervals. */
final class Statistics {
    private static final int RESAMPLES = 10_000;
    private static final long SEED = 20_260_101;

    /**
     * A figure and its 95 % interval.
     *
     * @param value computed from the values themselves
     * @param low the bound below which 2.5 % of the resampled values lie
     * @param high the bound above which 2.5 % of the resampled values lie
     */
    record Interval(double value, double low, double high) {
        /** Returns the interval multiplied by a factor such as 100 for per cent, with two decimals. */
        String text(double factor) {
            return "%.2f (%.2f to %.2f)".formatted(value * factor, low * factor, high * factor);
        }
    }

    private Statistics() {}

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Returns the quantile of some values for a fraction from 0 to 1. */
    static double quantile(double[] values, double part) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[(int) Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
    }

    /** Returns the median of some values. */
    static Interval medianOf(double[] values) {
        return bootstrap(values, values, (a, b) -> median(a));
    }

    /** Returns the median of some values over the median of others. */
    static Interval ratioOfMedians(double[] values, double[] others) {
        return bootstrap(values, others, (a, b) -> median(a) / median(b));
    }

    private static Interval bootstrap(double[] a, double[] b, ToDoubleBiFunction<double[], double[]> figure) {
        SplittableRandom random = new SplittableRandom(SEED);
        double[] figures = new double[RESAMPLES];
        for (int i = 0; i < RESAMPLES; i++) {
            figures[i] = figure.applyAsDouble(resampled(a, random), resampled(b, random));
        }
        return new Interval(figure.applyAsDouble(a, b), quantile(figures, 0.025), quantile(figures, 0.975));
    }

    private static double[] resampled(double[] values, SplittableRandom random) {
        double[] drawn = new double[values.length];
        for (int i = 0; i < drawn.length; i++) {
            drawn[i] = values[random.nextInt(values.length)];
        }
        return drawn;
    }
}
