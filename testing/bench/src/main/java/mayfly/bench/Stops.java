package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.discovery.Refused;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.stack.DumpedThread;
import mayfly.stack.ThreadDump;
import mayfly.stack.ThreadDumper;

/** The time for which snapshots stop threads, as the snapshots report it, and the total time of the snapshots. */
final class Stops {
    private static final int COMMANDS = 10;
    private static final int WARM_UP = 60;
    private static final int WARM = 30;
    private static final Duration PROFILE = Duration.ofSeconds(10);
    private static final Pattern LEDGER =
            Pattern.compile("(\\d+) stops, median ([\\d.]+) us, 90 % at most ([\\d.]+) us, longest ([\\d.]+) us");

    private Stops() {}

    static void measure(Page page, Path folder, Jdk jdk) {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start()) {
            commands(page, jdk, jvm);
            profile(page, folder, jdk, jvm);
            dumps(page, jdk, "blocked", jvm, WARM_UP, WARM);
        } catch (Refused | IOException e) {
            page.note(jdk + ": " + e);
        }
        try (Jvm jvm = Jvm.run("ManyThreads").on(jdk).args("200", "5").start()) {
            dumps(page, jdk, "200 threads", jvm, WARM_UP, WARM);
        } catch (Refused e) {
            page.note(jdk + ": " + e);
        }
        try (Jvm jvm = Jvm.run("ManyThreads")
                .on(jdk)
                .args("20000", "5")
                .with("-Xss256k", "-XX:+UseSerialGC")
                .start()) {
            dumps(page, jdk, "20 000 threads", jvm, 0, 1);
        } catch (Refused e) {
            page.note(jdk + ": " + e);
        }
        try (Jvm jvm = Jvm.run("DeepStack").on(jdk).args("100").start()) {
            dumps(page, jdk, "a stack of 100 MB", jvm, 10, 10);
        } catch (Refused e) {
            page.note(jdk + ": " + e);
        }
    }

    /** Runs each command in a separate process, as a user would. */
    private static void commands(Page page, Jdk jdk, Jvm jvm) {
        page.progress("stops: " + jdk + ", " + COMMANDS + " times mayfly stack");
        for (String how : List.of("--holes", "--together")) {
            List<Double> medians = new ArrayList<>();
            List<Double> longest = new ArrayList<>();
            List<Double> walls = new ArrayList<>();
            for (int i = 0; i < COMMANDS; i++) {
                Command done = LaunchedMayfly.run("stack", how, "--json", Long.toString(jvm.pid()));
                medians.add(number(done.stdout(), "medianNanos") / 1e3);
                longest.add(number(done.stdout(), "longestNanos") / 1e3);
                walls.add(done.wall().toNanos() / 1e6);
            }
            boolean each = how.equals("--holes");
            page.row(
                    jdk.feature(),
                    "blocked",
                    each ? "`stack`" : "`stack --together`",
                    COMMANDS,
                    micros(each ? medians : longest),
                    each ? "" : micros(longest, 0.9),
                    micros(longest),
                    millis(walls));
        }
    }

    private static double number(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":(\\d+)").matcher(json);
        if (!found.find()) {
            throw new IllegalStateException("no " + name + " in " + json);
        }
        return Double.parseDouble(found.group(1));
    }

    private static void profile(Page page, Path folder, Jdk jdk, Jvm jvm) throws IOException {
        page.progress("stops: " + jdk + ", stack --every 10ms for " + PROFILE.toSeconds() + " s");
        Path file = folder.resolve("stops.collapsed");
        Command done = LaunchedMayfly.run(
                "stack",
                "--every",
                "10ms",
                "-d",
                PROFILE.toSeconds() + "s",
                "-o",
                file.toString(),
                Long.toString(jvm.pid()));
        Files.deleteIfExists(file);
        Matcher ledger = LEDGER.matcher(done.stderr());
        if (!ledger.find()) {
            throw new IllegalStateException(done.evidence());
        }
        page.row(
                jdk.feature(),
                "blocked",
                "`stack --every 10ms`, " + PROFILE.toSeconds() + " s",
                ledger.group(1) + " stops",
                ledger.group(2),
                ledger.group(3),
                ledger.group(4),
                "");
    }

    /** Takes dumps in one session, one after the other. */
    private static void dumps(Page page, Jdk jdk, String target, Jvm jvm, int warmUp, int warm) throws Refused {
        for (boolean together : new boolean[] {false, true}) {
            page.progress("stops: " + jdk + ", " + target + ", dumps" + (together ? ", together" : ""));
            List<Double> stops = new ArrayList<>();
            List<Double> walls = new ArrayList<>();
            try (ThreadDumper dumper = ThreadDumper.open((int) jvm.pid())) {
                for (int i = 0; i < warmUp + warm; i++) {
                    long start = System.nanoTime();
                    ThreadDump dump =
                            dumper.dump(new ThreadDump.Options("", together, false, true), (done, total) -> {});
                    long end = System.nanoTime();
                    if (i >= warmUp) {
                        walls.add((end - start) / 1e6);
                        stops.addAll(dump.threads().stream()
                                .map(DumpedThread::result)
                                .filter(result -> result.stopNanos() > 0)
                                .map(result -> result.stopNanos() / 1e3)
                                .toList());
                    }
                }
            }
            page.row(
                    jdk.feature(),
                    target,
                    (together ? "all together" : "one at a time") + (warmUp > 0 ? ", warm" : ""),
                    warm,
                    micros(stops),
                    micros(stops, 0.9),
                    micros(stops, 1),
                    millis(walls));
        }
    }

    private static String micros(List<Double> values) {
        return micros(values, 0.5);
    }

    private static String micros(List<Double> values, double part) {
        return String.format(Locale.ROOT, "%.1f", Statistics.quantile(array(values), part));
    }

    private static String millis(List<Double> values) {
        return String.format(Locale.ROOT, "%.1f", Statistics.median(array(values)));
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
