package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.DetachOutcome;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;

/**
 * The time from the trigger's call, or the command's start, to the first event that a profiler receives in the target,
 * and from the detach request until the profiler is gone.
 */
final class AttachTimes {
    /** The number of fresh JVMs, and of attaches to each after the first. */
    private static final int JVMS = 10;

    private static final int AGAIN = 3;
    private static final int COMMANDS = 10;
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Pattern COLLECTING = Pattern.compile("prove(?:s)? it took (\\d+) ms");

    /** The measured times of one kind of attach, ms. */
    private static final class Times {
        final List<Double> firstEvent = new ArrayList<>();
        final List<Double> gone = new ArrayList<>();
        final List<Double> collecting = new ArrayList<>();
    }

    /** The activity of the target during the measurement; events occur continuously. */
    private enum Program {
        TRICKLE("trickle", "a thread and a class each millisecond"),
        CHURN("churn", "threads and classes without a pause");

        private final String word;
        private final String name;

        Program(String word, String name) {
            this.word = word;
            this.name = name;
        }
    }

    private AttachTimes() {}

    static void measure(Page page, Path folder, Jdk jdk) {
        for (Program program : Program.values()) {
            page.progress("attach: " + jdk + ", " + program.name);
            try {
                // The first measurement is not counted: it warms up the trigger.
                inProcess(jdk, program, 1, new Times(), new Times());
                Times first = new Times();
                Times again = new Times();
                inProcess(jdk, program, JVMS, first, again);
                report(page, jdk, program, "the first of its JVM", first);
                report(page, jdk, program, "another", again);
                report(page, jdk, program, "commands", commands(folder, jdk, program));
            } catch (AttachFailed | IOException e) {
                page.note(jdk + ", " + program.name + ": " + e);
            }
        }
    }

    private static Jvm start(Jdk jdk, Program program) {
        Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).with("-Xmx64m").start();
        jvm.ask(program.word);
        return jvm;
    }

    private static void inProcess(Jdk jdk, Program program, int jvms, Times first, Times again) throws AttachFailed {
        for (int i = 0; i < jvms; i++) {
            try (Jvm jvm = start(jdk, program)) {
                for (int j = 0; j <= AGAIN; j++) {
                    Times times = j == 0 ? first : again;
                    long begin = System.nanoTime();
                    BenchProfiler.attach(jvm, BenchProfiler.Events.ALL);
                    times.firstEvent.add((BenchProfiler.firstEvent(jvm) - begin) / 1e6);
                    DetachOutcome gone = BenchProfiler.detach(jvm);
                    times.gone.add(gone.took().toNanos() / 1e6);
                    times.collecting.add(gone.collecting().toNanos() / 1e6);
                }
            }
        }
    }

    /** Runs each command in a separate process, as a user would; the log is in a folder that can be deleted. */
    private static Times commands(Path folder, Jdk jdk, Program program) throws AttachFailed, IOException {
        Times times = new Times();
        Path state = Files.createDirectory(folder.resolve("state"));
        try (Jvm jvm = start(jdk, program)) {
            for (int i = 0; i < COMMANDS; i++) {
                long begin = System.nanoTime();
                command(
                        state,
                        "attach",
                        Long.toString(jvm.pid()),
                        "--profiler",
                        BenchProfiler.JAR.toString(),
                        "--data",
                        BenchProfiler.Events.ALL.data,
                        "--accept-lasting-cost");
                times.firstEvent.add((BenchProfiler.firstEvent(jvm) - begin) / 1e6);
                Command detached = command(state, "detach", Long.toString(jvm.pid()));
                times.gone.add(detached.wall().toNanos() / 1e6);
                Matcher collecting = COLLECTING.matcher(detached.stderr());
                if (!collecting.find()) {
                    throw new IllegalStateException(detached.evidence());
                }
                times.collecting.add(Double.parseDouble(collecting.group(1)));
            }
        } finally {
            try (Stream<Path> files = Files.walk(state)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        return times;
    }

    private static Command command(Path state, String... words) {
        Command done = LaunchedMayfly.runUnder(List.of("env", "XDG_STATE_HOME=" + state), LIMIT, state, words);
        if (done.exitCode() != 0) {
            throw new IllegalStateException(done.evidence());
        }
        return done;
    }

    private static void report(Page page, Jdk jdk, Program program, String which, Times times) {
        page.row(
                jdk.feature(),
                program.name,
                which,
                times.firstEvent.size(),
                millis(times.firstEvent, 0.5),
                millis(times.firstEvent, 0.9),
                millis(times.firstEvent, 1),
                millis(times.gone, 0.5),
                millis(times.gone, 0.9),
                millis(times.gone, 1),
                millis(times.collecting, 0.5),
                millis(times.collecting, 0.9));
    }

    private static String millis(List<Double> values, double part) {
        double[] array = values.stream().mapToDouble(Double::doubleValue).toArray();
        return String.format(
                Locale.ROOT, "%.0f", part == 0.5 ? Statistics.median(array) : Statistics.quantile(array, part));
    }
}
