package mayfly.bench;

import java.util.List;
import mayfly.bench.Rival.RivalFailed;
import mayfly.bench.Rival.StartUp;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/** The time from the command to sampling, measured many times, in turns. */
final class StartUps {
    private static final int HZ = 999;

    private StartUps() {}

    static void measure(Page page, List<Rival> rivals, Jdk jdk, int runs) {
        try (Jvm jvm = Jvm.run("Busy").on(jdk).args("1").start()) {
            double[][] millis = new double[rivals.size()][runs];
            String[] until = new String[rivals.size()];
            boolean[] failed = new boolean[rivals.size()];
            // The first round is not counted: it performs work that only a first run needs.
            for (int run = -1; run < runs; run++) {
                for (int i = 0; i < rivals.size(); i++) {
                    try {
                        if (!failed[i]) {
                            StartUp startUp = rivals.get(i).startUp(jvm, HZ);
                            until[i] = startUp.until();
                            millis[i][Math.max(0, run)] = startUp.millis();
                        }
                    } catch (RivalFailed e) {
                        failed[i] = true;
                        page.note(jdk + ", " + rivals.get(i).name() + ": " + e.getMessage());
                    }
                }
            }
            for (int i = 0; i < rivals.size(); i++) {
                if (!failed[i]) {
                    page.row(
                            jdk.feature(),
                            rivals.get(i).name(),
                            runs,
                            until[i],
                            "%.0f".formatted(Statistics.median(millis[i])),
                            "%.0f".formatted(Statistics.quantile(millis[i], 0)),
                            "%.0f".formatted(Statistics.quantile(millis[i], 0.9)));
                }
            }
        }
    }
}
