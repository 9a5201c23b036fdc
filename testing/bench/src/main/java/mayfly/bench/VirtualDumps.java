package mayfly.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;

/** Dumps of many virtual threads that are not mounted: by Mayfly, and by the JVM itself. */
final class VirtualDumps {
    private static final int RUNS = 10;
    private static final int THREADS = 100_000;
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Pattern STOPPED = Pattern.compile("stopped together for ([\\d.]+) us");
    private static final Pattern LISTED =
            Pattern.compile("([\\d,]+) virtual threads are not mounted, in ([\\d,]+) groups");

    private VirtualDumps() {}

    static void measure(Page page, Path folder, Jdk jdk) {
        if (jdk.feature() < 21) {
            return;
        }
        try (Jvm jvm = Jvm.run("VirtualStacks")
                .on(jdk)
                .with("-Xmx2g")
                .args(Integer.toString(THREADS), "park,sleep,future")
                .start()) {
            String pid = Long.toString(jvm.pid());
            List<Double> stops = new ArrayList<>();
            List<String> listed = new ArrayList<>();
            row(page, jdk, "`mayfly stack --virtual`", stops, listed, () -> {
                Command done = LaunchedMayfly.run("stack", "--virtual", pid);
                stops.add(Double.parseDouble(found(STOPPED, done).group(1)) / 1e3);
                Matcher threads = found(LISTED, done);
                listed.add(threads.group(1) + " in " + threads.group(2) + " groups");
                return done;
            });
            row(
                    page,
                    jdk,
                    "`mayfly stack --virtual --json`",
                    List.of(),
                    List.of(),
                    () -> LaunchedMayfly.run("stack", "--virtual", "--json", pid));
            for (String format : List.of("plain", "json")) {
                String file = folder.resolve("virtual." + format).toString();
                row(
                        page,
                        jdk,
                        "`jcmd Thread.dump_to_file -format=" + format + "`",
                        List.of(),
                        List.of(),
                        () -> Command.run(
                                LIMIT,
                                Jdk.current().tool("jcmd").toString(),
                                pid,
                                "Thread.dump_to_file",
                                "-overwrite",
                                "-format=" + format,
                                file));
            }
        }
    }

    private static Matcher found(Pattern pattern, Command done) {
        Matcher matcher = pattern.matcher(done.stdout());
        if (!matcher.find()) {
            throw new IllegalStateException(done.evidence());
        }
        return matcher;
    }

    private static void row(
            Page page, Jdk jdk, String title, List<Double> stops, List<String> listed, Supplier<Command> command) {
        page.progress("virtual: " + jdk + ", " + title);
        List<Double> walls = new ArrayList<>();
        for (int i = 0; i < RUNS; i++) {
            walls.add(command.get().wall().toNanos() / 1e9);
        }
        page.row(
                jdk.feature(),
                title,
                RUNS,
                listed.isEmpty() ? "" : listed.getLast(),
                format("%.2f", walls, 0.5),
                format("%.2f", walls, 1),
                stops.isEmpty() ? "" : format("%.0f", stops, 0.5),
                stops.isEmpty() ? "" : format("%.0f", stops, 1));
    }

    private static String format(String format, List<Double> values, double part) {
        double[] array = values.stream().mapToDouble(Double::doubleValue).toArray();
        return String.format(Locale.ROOT, format, Statistics.quantile(array, part));
    }
}
