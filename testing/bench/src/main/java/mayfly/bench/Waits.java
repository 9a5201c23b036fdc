package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;

/** Recordings of waits, compared with the clock of the program that waits. */
final class Waits {
    private static final int RUNS = 10;
    /** About two seconds. */
    private static final String RUN = "run 100 1";

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String SITE = "mayfly.targets.MeasuredWaits.";
    private static final List<String> NOBODY = List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

    /** The results of the recordings of one row, in per cent. */
    private static final class Row {
        private final List<Double> totals = new ArrayList<>();
        private final List<Double> sites = new ArrayList<>();
        private final List<Double> longStacks = new ArrayList<>();
        private double seconds;
    }

    private Waits() {}

    static void measure(Page page, Path folder, Jdk jdk) throws IOException {
        measure(page, folder, jdk, "root", List.of());
        Path open = Files.createDirectory(folder.resolve("waits-" + jdk.feature()));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        measure(page, open, jdk, "an ordinary one", NOBODY);
        Files.delete(open);
    }

    private static void measure(Page page, Path folder, Jdk jdk, String user, List<String> as) throws IOException {
        page.progress("off-cpu: " + jdk + ", user " + user);
        Row row = new Row();
        try (Jvm jvm = Jvm.run("MeasuredWaits")
                .on(jdk)
                .under(as.toArray(String[]::new))
                .start()) {
            jvm.ask("run 5 1"); // loads classes
            for (int i = 0; i < RUNS; i++) {
                compare(jvm, folder, as, row);
                longStacks(jvm, folder, as, row);
            }
        }
        page.row(
                jdk.feature(),
                user,
                RUNS,
                String.format(Locale.ROOT, "%.1f", row.seconds),
                text(row.totals, 0.5),
                text(row.totals, 0) + " to " + text(row.totals, 1),
                text(row.sites, 1),
                text(row.longStacks, 0.5),
                text(row.longStacks, 0));
    }

    private static String text(List<Double> values, double part) {
        double[] array = values.stream().mapToDouble(Double::doubleValue).toArray();
        return String.format(Locale.ROOT, "%.2f", Statistics.quantile(array, part));
    }

    /** Compares the sum of all waits, and of those at each site. */
    private static void compare(Jvm jvm, Path folder, List<String> as, Row row) throws IOException {
        Path file = folder.resolve("waits.collapsed");
        Map<String, Long> own = new HashMap<>();
        record(jvm, as, own, "-t", "-o", file.toString());
        Counts counts = Counts.parse(Files.readString(file));
        Files.delete(file);
        double all = own.values().stream().mapToLong(Long::longValue).sum();
        double recorded = counts.of(frames -> frames.getFirst().startsWith("waits-"));
        row.seconds += all / 1e9;
        row.totals.add(100 * recorded / all);
        double worst = 0;
        for (Map.Entry<String, Long> site : own.entrySet()) {
            double atSite = counts.with(SITE + site.getKey());
            worst = Math.max(worst, Math.abs(atSite / recorded - site.getValue() / all));
        }
        row.sites.add(100 * worst);
    }

    /** Takes the share of the waits of 10 ms and more, by their time, whose stacks were copied and are complete. */
    private static void longStacks(Jvm jvm, Path folder, List<String> as, Row row) throws IOException {
        Path file = folder.resolve("waits.collapsed");
        record(jvm, as, new HashMap<>(), "--min-wait", "10ms", "-t", "-o", file.toString());
        Counts counts = Counts.parse(Files.readString(file));
        Files.delete(file);
        double whole = counts.of(frames -> isLongWait(frames) && frames.stream().noneMatch(Waits::isBroken));
        row.longStacks.add(100 * whole / counts.of(Waits::isLongWait));
    }

    private static boolean isLongWait(List<String> frames) {
        return frames.getFirst().startsWith("waits-")
                && frames.stream().noneMatch(frame -> frame.startsWith("[waits below") || frame.equals("[preempted]"));
    }

    private static boolean isBroken(String frame) {
        return frame.startsWith("[broken:") || frame.equals("[truncated]") || frame.equals("[unproven]");
    }

    /** Records while the program waits, and fills in its own sums by site. */
    private static void record(Jvm jvm, List<String> as, Map<String, Long> own, String... options) {
        List<String> prefix = new ArrayList<>(as);
        // The JVM of a shell's background job ignores the signal, and its child processes do, too.
        prefix.addAll(List.of("env", "--default-signal=INT"));
        List<String> words = new ArrayList<>(List.of("record", "-e", "off-cpu", "-d", "10m"));
        words.addAll(List.of(options));
        words.add(Long.toString(jvm.pid()));
        try (LaunchedMayfly mayfly = LaunchedMayfly.startUnder(prefix, words.toArray(String[]::new))) {
            mayfly.awaitStderr("sampling process", LIMIT);
            for (String sum : jvm.ask(RUN).split(" ")) {
                int at = sum.indexOf('=');
                own.put(sum.substring(0, at), Long.parseLong(sum.substring(at + 1)));
            }
            Command.run(LIMIT, "kill", "-INT", Long.toString(mayfly.process().pid()));
            if (mayfly.process().onExit().join().exitValue() != 0) {
                throw new IllegalStateException(mayfly.stderr());
            }
        }
    }
}
