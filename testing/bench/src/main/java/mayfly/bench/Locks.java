package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;

/** Recordings of waits for locks, compared with the clock of the program that waits. */
final class Locks {
    private static final int RUNS = 10;
    private static final Duration LIMIT = Duration.ofMinutes(2);
    /** The threads that wait for locks whose owners the JVM records. */
    private static final Set<String> OWNED = Set.of("waits-monitor", "waits-reentrant", "waits-read", "waits-write");

    private Locks() {}

    /** Measures with locks that are held for 2, 12 and 120 ms, for about 2 s each time. */
    static void measure(Page page, Path folder, Jdk jdk) throws IOException {
        for (int millis : new int[] {2, 12, 120}) {
            measure(page, folder, jdk, millis);
        }
    }

    private static void measure(Page page, Path folder, Jdk jdk, int millis) throws IOException {
        page.progress("lock: " + jdk + ", held for " + millis + " ms");
        List<Double> totals = new ArrayList<>();
        List<Double> right = new ArrayList<>();
        List<Double> wrong = new ArrayList<>();
        double seconds = 0;
        Path file = folder.resolve("locks.collapsed");
        int waits = 2_000 / millis;
        try (Jvm jvm = Jvm.run("ContendedLocks").on(jdk).start()) {
            jvm.ask("run 5 1"); // loads classes
            for (int i = 0; i < RUNS; i++) {
                double own = record(jvm, "run " + waits + " " + millis, file);
                Counts counts = Counts.parse(Files.readString(file));
                double waited = counts.of(frames -> frames.getFirst().startsWith("waits-"));
                double owned = counts.of(frames -> OWNED.contains(frames.getFirst()));
                seconds += own / 1e9;
                totals.add(100 * waited / own);
                right.add(100.0 * counts.of(Locks::hasRightOwner) / owned);
                wrong.add(100.0 * counts.of(frames -> hasOwner(frames) && !hasRightOwner(frames)) / waited);
            }
        }
        Files.delete(file);
        page.row(
                jdk.feature(),
                millis,
                RUNS * waits * 6,
                String.format(Locale.ROOT, "%.1f", seconds),
                text(totals, 0.5),
                text(totals, 0) + " to " + text(totals, 1),
                text(right, 0.5),
                text(right, 0),
                text(wrong, 1));
    }

    private static String text(List<Double> values, double part) {
        double[] array = values.stream().mapToDouble(Double::doubleValue).toArray();
        return String.format(Locale.ROOT, "%.2f", Statistics.quantile(array, part));
    }

    private static boolean hasOwner(List<String> frames) {
        return frames.getFirst().startsWith("waits-") && frames.getLast().startsWith("[owned by ");
    }

    private static boolean hasRightOwner(List<String> frames) {
        String owner = "owner-" + frames.getFirst().substring(frames.getFirst().indexOf('-') + 1);
        return OWNED.contains(frames.getFirst()) && frames.getLast().equals("[owned by " + owner + "]");
    }

    /** Records while the program waits, and returns its own sum, ns. */
    private static double record(Jvm jvm, String line, Path file) {
        String pid = Long.toString(jvm.pid());
        // The JVM of a shell's background job ignores the signal, and its child processes do, too.
        List<String> heeding = List.of("env", "--default-signal=INT");
        String[] words = {"record", "-e", "lock", "-d", "10m", "-t", "-o", file.toString(), pid};
        try (LaunchedMayfly mayfly = LaunchedMayfly.startUnder(heeding, words)) {
            mayfly.awaitStderr("sampling process", LIMIT);
            double own = 0;
            for (String sum : jvm.ask(line).split(" ")) {
                own += Long.parseLong(sum.substring(sum.indexOf('=') + 1));
            }
            Command.run(LIMIT, "kill", "-INT", Long.toString(mayfly.process().pid()));
            if (mayfly.process().onExit().join().exitValue() != 0) {
                throw new IllegalStateException(mayfly.stderr());
            }
            return own;
        }
    }
}
