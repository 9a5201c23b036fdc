package mayfly.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.bench.Rival.Recorded;
import mayfly.bench.Rival.RivalFailed;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/** Shares of three methods in the samples, compared with those of the program's own CPU clock. */
final class Accuracy {
    private static final Pattern NUMBER = Pattern.compile("=(\\d+)");
    private static final String[] METHODS = {"fifty", "thirty", "twenty"};

    private Accuracy() {}

    static void measure(Page page, List<Rival> rivals, Jdk jdk, int hz, Duration duration) {
        try (Jvm jvm = Jvm.run("Shares").on(jdk).start()) {
            for (Rival rival : rivals) {
                page.progress("accuracy: " + jdk + ", " + rival.name());
                try {
                    double[] before = truth(jvm);
                    Recorded recorded = rival.record(jvm, hz, duration);
                    double[] after = truth(jvm);
                    report(page, jdk, rival, recorded, before, after);
                } catch (RivalFailed e) {
                    page.note(jdk + ", " + rival.name() + ": " + e.getMessage());
                }
            }
        }
    }

    private static double[] truth(Jvm jvm) {
        List<Double> nanos = new ArrayList<>();
        Matcher matcher = NUMBER.matcher(jvm.ask("shares"));
        while (matcher.find()) {
            nanos.add(Double.parseDouble(matcher.group(1)));
        }
        return nanos.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static void report(Page page, Jdk jdk, Rival rival, Recorded recorded, double[] before, double[] after) {
        double[] seen = new double[METHODS.length];
        double[] used = new double[METHODS.length];
        double samples = 0;
        double cpu = 0;
        for (int i = 0; i < METHODS.length; i++) {
            seen[i] = recorded.counts().with("mayfly.targets.Shares." + METHODS[i]);
            used[i] = after[i] - before[i];
            samples += seen[i];
            cpu += used[i];
        }
        StringBuilder shares = new StringBuilder();
        double worst = 0;
        for (int i = 0; i < METHODS.length; i++) {
            double difference = 100 * seen[i] / samples - 100 * used[i] / cpu;
            worst = Math.max(worst, Math.abs(difference));
            shares.append("%.2f (%.2f) ".formatted(100 * seen[i] / samples, 100 * used[i] / cpu));
        }
        page.row(
                jdk.feature(),
                rival.name(),
                "%.0f".formatted(samples),
                shares.toString().strip(),
                "%.2f".formatted(worst));
    }
}
