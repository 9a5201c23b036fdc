package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import mayfly.bench.Rival.RivalFailed;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;

/** Recordings of allocation, compared with the count of the program that allocates. */
final class Allocated {
    private static final int RUNS = 5;
    private static final Duration LIMIT = Duration.ofMinutes(2);
    /** The name of the way that has no classes. */
    static final String BY_TIME = "Mayfly, alloc";

    private static final String TARGET = "mayfly.targets.Allocations.";
    private static final String[] OPTIONS = {
        "-Xmx256m", "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,mayfly.targets.Allocations::*"
    };

    /** A profiler. */
    interface Way {
        /** Returns the bytes by stack that were allocated while the program has worked. */
        Counts during(Jvm jvm, Runnable work) throws RivalFailed, IOException;
    }

    /**
     * A program.
     *
     * @param line the command to the target
     * @param sites the bytes of each method, from the target's answer
     * @param classes the bytes of each class
     */
    private record Program(
            String title,
            String line,
            Function<double[], Map<String, Double>> sites,
            Function<double[], Map<String, Double>> classes) {}

    private static final List<Program> PROGRAMS = List.of(
            new Program(
                    "two classes at two places in turn, 40 ms each, and a computation",
                    "alternate 30 40",
                    bytes -> Map.of(TARGET + "allocateSmall", bytes[0], TARGET + "allocateBig", bytes[1]),
                    bytes -> Map.of("mayfly.targets.Allocations$Small", bytes[0], "byte[]", bytes[1])),
            // A String has 24 bytes, and its array of 26 letters 48.
            new Program(
                    "a loop that allocates two classes in the same order, in four threads",
                    "allocate strings 2000",
                    bytes -> Map.of(TARGET + "allocateStrings", bytes[0]),
                    bytes -> Map.of("java.lang.String", bytes[0] / 3, "byte[]", bytes[0] * 2 / 3)));

    private Allocated() {}

    static void measure(Page page, Jdk jdk, Map<String, Way> ways) {
        for (Program program : PROGRAMS) {
            ways.forEach((name, way) -> {
                page.progress("alloc: " + jdk + ", " + name + ", " + program.title);
                try (Jvm jvm = Jvm.run("Allocations").on(jdk).with(OPTIONS).start()) {
                    jvm.ask("alternate 5 40"); // compiles the methods
                    row(page, jdk, name, way, program, jvm);
                } catch (RivalFailed | IOException e) {
                    page.note(jdk + ", " + name + ", " + program.title + ": " + e.getMessage());
                }
            });
        }
    }

    private static void row(Page page, Jdk jdk, String name, Way way, Program program, Jvm jvm)
            throws RivalFailed, IOException {
        List<Double> totals = new ArrayList<>();
        List<Double> sites = new ArrayList<>();
        List<Double> classes = new ArrayList<>();
        double allocated = 0;
        for (int i = 0; i < RUNS; i++) {
            String[] answer = new String[1];
            Counts counts = way.during(jvm, () -> answer[0] = jvm.ask(program.line));
            String[] words = answer[0].split(" ");
            double[] bytes = new double[words.length];
            double all = 0;
            for (int k = 0; k < words.length; k++) {
                bytes[k] = Double.parseDouble(words[k]);
                all += bytes[k];
            }
            allocated += all;
            totals.add(100 * counts.total() / all);
            sites.add(worst(program.sites.apply(bytes), all, counts, frame -> frame));
            classes.add(worst(program.classes.apply(bytes), all, counts, frame -> "[new " + frame + "]"));
        }
        boolean hasClasses = !name.equals(BY_TIME);
        page.row(
                jdk.feature(),
                program.title,
                name,
                RUNS,
                String.format(Locale.ROOT, "%.1f", allocated / (1 << 30)),
                text(totals, 0.5),
                text(totals, 0) + " to " + text(totals, 1),
                text(sites, 0.5) + " (" + text(sites, 1) + ")",
                hasClasses ? text(classes, 0.5) + " (" + text(classes, 1) + ")" : "–");
    }

    /** Returns the largest difference between the share of a frame and its share in the program's count, points. */
    private static double worst(Map<String, Double> own, double all, Counts counts, Function<String, String> frameOf) {
        double worst = 0;
        for (Map.Entry<String, Double> each : own.entrySet()) {
            double recorded = counts.with(frameOf.apply(each.getKey()));
            worst = Math.max(worst, Math.abs(recorded / Math.max(1, counts.total()) - each.getValue() / all));
        }
        return 100 * worst;
    }

    private static String text(List<Double> values, double part) {
        double[] array = values.stream().mapToDouble(Double::doubleValue).toArray();
        return String.format(Locale.ROOT, "%.2f", Statistics.quantile(array, part));
    }

    /** Returns Mayfly with an event. */
    static Way mayfly(Path folder, String event) {
        return (jvm, work) -> {
            Path file = folder.resolve("allocation.collapsed");
            // The JVM of a shell's background job ignores the signal, and its child processes do, too.
            List<String> heeding = List.of("env", "--default-signal=INT");
            try (LaunchedMayfly mayfly = LaunchedMayfly.startUnder(
                    heeding,
                    "record",
                    "-e",
                    event,
                    "-F",
                    "999",
                    "-d",
                    "10m",
                    "-o",
                    file.toString(),
                    Long.toString(jvm.pid()))) {
                mayfly.awaitStderr("sampling process", LIMIT);
                work.run();
                Command.run(
                        LIMIT, "kill", "-INT", Long.toString(mayfly.process().pid()));
                if (mayfly.process().onExit().join().exitValue() != 0) {
                    throw new RivalFailed(mayfly.stderr());
                }
            }
            Counts counts = Counts.parse(Files.readString(file));
            Files.delete(file);
            return counts;
        };
    }
}
