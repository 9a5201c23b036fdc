package mayfly.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import mayfly.bench.Rival.RivalFailed;
import mayfly.bench.Rival.Toggle;
import mayfly.bench.Windows.Rate;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import org.jspecify.annotations.Nullable;

/**
 * The slowdown of one CPU-bound thread while it is profiled. The rivals take turns on one target: off, first on, off,
 * second on, off, ... Each window that is on is compared with the mean of the two windows around it that are off.
 */
final class Slowdown {
    /** One rival's windows. */
    private static final class Side {
        final Rival rival;
        final Toggle toggle;
        final List<Double> wall = new ArrayList<>();
        final List<Double> cpu = new ArrayList<>();
        final List<Double> busy = new ArrayList<>();
        long samples;

        Side(Rival rival, Toggle toggle) {
            this.rival = rival;
            this.toggle = toggle;
        }

        double meanBusy() {
            return busy.stream().mapToDouble(Double::doubleValue).average().orElse(1);
        }

        /** Returns the samples for each second in which the thread was on a CPU. */
        double delivered() {
            return samples * 1e9 / (toggle.onNanos() * meanBusy());
        }

        double[] wallLosses() {
            return wall.stream().mapToDouble(Double::doubleValue).toArray();
        }

        double[] cpuLosses() {
            return cpu.stream().mapToDouble(Double::doubleValue).toArray();
        }
    }

    private Slowdown() {}

    static void measure(Page page, List<Rival> rivals, Jdk jdk, int hz, int pairs) {
        try (Jvm ticker = Jvm.run("Ticker").on(jdk).start()) {
            List<Side> sides = open(page, rivals, ticker, hz);
            try {
                Rate off = Windows.measure(ticker);
                for (int pair = 0; pair < pairs; pair++) {
                    for (Side side : List.copyOf(sides)) {
                        try {
                            off = pair(ticker, side, off);
                        } catch (RivalFailed e) {
                            page.note("%s, %s at %d Hz: %s".formatted(side.rival.name(), jdk, hz, e.getMessage()));
                            sides.remove(side);
                        }
                    }
                    page.progress("slowdown %s %d Hz: pair %d of %d".formatted(jdk, hz, pair + 1, pairs));
                }
                report(page, sides, jdk, hz);
            } finally {
                sides.forEach(side -> side.toggle.close());
            }
        }
    }

    private static List<Side> open(Page page, List<Rival> rivals, Jvm ticker, int hz) {
        List<Side> sides = new ArrayList<>();
        for (Rival rival : rivals) {
            try {
                sides.add(new Side(rival, rival.toggle(ticker, hz)));
            } catch (RivalFailed e) {
                page.note(rival.name() + ": " + e.getMessage());
            }
        }
        return sides;
    }

    /**
     * Measures one window on and the window off after it. Returns the latter, which is also the window before the next
     * one.
     */
    private static Rate pair(Jvm ticker, Side side, Rate before) throws RivalFailed {
        side.toggle.on();
        Rate on = Windows.measure(ticker);
        side.toggle.off();
        Rate after = Windows.measure(ticker);
        side.busy.add(on.busy());
        side.wall.add(1 - on.perWallSecond() * 2 / (before.perWallSecond() + after.perWallSecond()));
        side.cpu.add(1 - on.perCpuSecond() * 2 / (before.perCpuSecond() + after.perCpuSecond()));
        return after;
    }

    private static void report(Page page, List<Side> sides, Jdk jdk, int hz) {
        for (Side side : sides) {
            try {
                side.samples = side.toggle.samples();
            } catch (RivalFailed e) {
                page.note(side.rival.name() + ": " + e.getMessage());
            }
        }
        Side reference = sides.stream()
                .filter(s -> s.rival instanceof AsyncProfiler)
                .findFirst()
                .orElse(null);
        for (Side side : sides) {
            if (!side.wall.isEmpty()) {
                page.row(
                        jdk.feature(),
                        hz,
                        side.rival.name(),
                        side.wall.size(),
                        "%.0f".formatted(side.delivered()),
                        "%.0f".formatted(100 * side.meanBusy()),
                        Statistics.medianOf(side.wallLosses()).text(100),
                        ratio(side, reference, Side::wallLosses),
                        Statistics.medianOf(side.cpuLosses()).text(100),
                        ratio(side, reference, Side::cpuLosses));
            }
        }
    }

    private static String ratio(Side side, @Nullable Side reference, Function<Side, double[]> losses) {
        return reference == null || reference == side || reference.wall.isEmpty()
                ? ""
                : Statistics.ratioOfMedians(losses.apply(side), losses.apply(reference))
                        .text(1);
    }
}
