package mayfly.bench;

import java.util.Arrays;
import mayfly.attach.channel.AttachFailed;
import mayfly.bench.Turns.By;
import mayfly.bench.Turns.Work;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/**
 * Throughput of one JVM in windows with an attached profiler, alternating with windows without a profiler. Each window
 * with it is compared with the mean of the two around it. For the noise, every second window without it is compared
 * with the mean of its two neighbours without it.
 */
final class WhileAttached {
    private static final int WINDOW_MILLIS = 250;
    private static final int WARM_UP_MILLIS = 2000;

    private WhileAttached() {}

    static void measure(Page page, Jdk jdk, Work work, BenchProfiler.Events events, int pairs) {
        page.progress("attached: %s, %s, %s, %d pairs".formatted(jdk, work.title(), events, pairs));
        try (Jvm jvm = Turns.start(jdk)) {
            Turns.warmUp(jvm, work, WARM_UP_MILLIS);
            double[][] off = new double[pairs + 1][];
            double[][] on = new double[pairs][];
            off[0] = Turns.rates(jvm, work, WINDOW_MILLIS);
            for (int i = 0; i < pairs; i++) {
                BenchProfiler.attach(jvm, events);
                on[i] = Turns.rates(jvm, work, WINDOW_MILLIS);
                BenchProfiler.detach(jvm);
                off[i + 1] = Turns.rates(jvm, work, WINDOW_MILLIS);
            }
            page.row(
                    jdk.feature(),
                    work.title(),
                    events.title,
                    pairs,
                    lost(on, off, By.CLOCK),
                    noise(off, By.CLOCK),
                    lost(on, off, By.CPU_TIME),
                    noise(off, By.CPU_TIME));
        } catch (AttachFailed e) {
            page.note(jdk + ", " + work.title() + ": " + e);
        }
    }

    private static String lost(double[][] on, double[][] off, By by) {
        double[] lost = new double[on.length];
        Arrays.setAll(lost, i -> loss(on[i], off[i], off[i + 1], by));
        return Statistics.medianOf(lost).text(100);
    }

    private static String noise(double[][] off, By by) {
        double[] noise = new double[(off.length - 1) / 2];
        Arrays.setAll(noise, i -> loss(off[2 * i + 1], off[2 * i], off[2 * i + 2], by));
        return Statistics.medianOf(noise).text(100);
    }

    private static double loss(double[] own, double[] before, double[] after, By by) {
        return 1 - own[by.ordinal()] * 2 / (before[by.ordinal()] + after[by.ordinal()]);
    }
}
