package mayfly.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/**
 * The pauses of a program with a large heap during a detach: by the JVM's safepoint log, and by the program's own
 * clock, from the request until the profiler is gone, compared with the same program before.
 */
final class DetachPauses {
    /**
     * The collectors, and the time-out of a detach: it is shorter if the host may wait for the program's own
     * collection.
     */
    enum Collector {
        G1("-XX:+UseG1GC", SHORT_LIMIT),
        ZGC("-XX:+UseZGC", LIMIT),
        SHENANDOAH("-XX:+UseShenandoahGC", LIMIT),
        SERIAL("-XX:+UseSerialGC", SHORT_LIMIT),
        PARALLEL("-XX:+UseParallelGC", SHORT_LIMIT);

        private final String option;
        private final Duration limit;

        Collector(String option, Duration limit) {
            this.option = option;
            this.limit = limit;
        }
    }

    private static final Duration BEFORE = Duration.ofSeconds(10);
    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final Duration SHORT_LIMIT = Duration.ofSeconds(10);
    private static final Duration RETAINED_LIMIT = Duration.ofSeconds(30);
    private static final Pattern SAFEPOINT = Pattern.compile("Safepoint \"(\\w+)\".* Total: +(\\d+) ns");
    private static final double NANOS_IN_MILLI = 1e6;
    private static final double NANOS_IN_SECOND = 1e9;
    private static final double MIN_LIMIT_MILLIS = 10;

    /** The start of a measurement. */
    private record Moment(long nanos, int lines, double cpuSeconds) {
        static Moment of(Jvm jvm, Path log) throws IOException {
            jvm.ask("forget the stalls before");
            return new Moment(System.nanoTime(), linesOf(log).size(), cpuOf(jvm));
        }
    }

    /** The pauses of the program in a period. */
    private record Pauses(int count, double longestMillis, String longest, double stallMillis, double cpuSeconds) {
        static Pauses since(Moment moment, Jvm jvm, Path log) throws IOException {
            double used = cpuOf(jvm) - moment.cpuSeconds;
            double stall = Double.parseDouble(jvm.ask("the longest stall").split(" ")[0]) / NANOS_IN_MILLI;
            int count = 0;
            double longest = 0;
            String name = "none";
            List<String> all = linesOf(log);
            for (String line : all.subList(moment.lines, all.size())) {
                Matcher pause = SAFEPOINT.matcher(line);
                if (pause.find()) {
                    count++;
                    double millis = Long.parseLong(pause.group(2)) / NANOS_IN_MILLI;
                    name = millis > longest ? pause.group(1) : name;
                    longest = Math.max(longest, millis);
                }
            }
            return new Pauses(count, longest, name, stall, used);
        }
    }

    private DetachPauses() {}

    /**
     * Adds a row.
     *
     * @param live the live heap of the program, MiB
     * @param isRetained true if the profiler leaves a shutdown hook, so that the detach never completes
     */
    static void measure(Page page, Path folder, Jdk jdk, Collector collector, int live, boolean isRetained) {
        Path log = folder.resolve("safepoints-" + jdk.feature() + "-" + collector + "-" + isRetained + ".log");
        try (Jvm jvm = Jvm.run("LargeHeap")
                .on(jdk)
                .with(collector.option, "-Xmx" + live * 2 + "m", "-Xlog:safepoint:file=" + log + ":tn")
                .args(Integer.toString(live))
                .patience(LIMIT)
                .start()) {
            rest(BEFORE); /* the heap has just grown, and concurrent work of the collector may still go on */
            Moment quiet = Moment.of(jvm, log);
            rest(BEFORE);
            Pauses before = Pauses.since(quiet, jvm, log);
            BenchProfiler.attach(jvm, BenchProfiler.Events.NONE);
            if (isRetained) {
                BenchProfiler.retain(jvm);
            }
            Moment asked = Moment.of(jvm, log);
            String waitsFor = detach(jvm, isRetained ? RETAINED_LIMIT : collector.limit);
            double seconds = (System.nanoTime() - asked.nanos) / NANOS_IN_SECOND;
            Pauses during = Pauses.since(asked, jvm, log);
            double due = Math.max(MIN_LIMIT_MILLIS, 2 * before.longestMillis);
            page.row(
                    jdk,
                    collector.name().toLowerCase(Locale.ROOT),
                    isRetained ? "yes" : "no",
                    ms(before.longestMillis),
                    ms(before.stallMillis),
                    during.count,
                    ms(during.longestMillis) + " (" + during.longest + ")",
                    ms(during.stallMillis),
                    ms(due),
                    during.longestMillis <= due ? "yes" : "no",
                    waitsFor.isEmpty() ? ms(seconds) : "not yet",
                    ms(during.cpuSeconds),
                    waitsFor);
        } catch (AttachFailed | IOException | RuntimeException e) {
            page.note(jdk + ", " + collector + ": " + e);
        }
    }

    /** Returns an empty text if the profiler is gone, or the reason for its wait at the limit. */
    private static String detach(Jvm jvm, Duration limit) throws AttachFailed {
        int pid = Math.toIntExact(jvm.pid());
        try {
            ProfilerClient.detach(pid, "bench", limit);
            return "";
        } catch (AttachFailed late) {
            if (late.status() != Status.TIMEOUT) {
                throw late;
            }
            return ProfilerClient.status(pid).map(HostStatus::pinnedBy).orElse("");
        }
    }

    /** Lets the program run. */
    private static void rest(Duration time) {
        for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() < end; ) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    private static List<String> linesOf(Path log) throws IOException {
        return Files.exists(log) ? Files.readAllLines(log, StandardCharsets.UTF_8) : List.of();
    }

    /**
     * Returns the CPU time of the whole process, from /proc/PID/stat (proc_pid_stat(5)), whose clock ticks are
     * hundredths of a second.
     */
    private static double cpuOf(Jvm jvm) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + jvm.pid() + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
    }

    /** Returns the value as text: with one decimal digit below 10, else with none. */
    private static String ms(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value);
    }
}
