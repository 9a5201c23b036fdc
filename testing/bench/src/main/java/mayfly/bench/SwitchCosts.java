package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import mayfly.bench.Rival.RivalFailed;
import mayfly.bench.Rival.Toggle;
import mayfly.bench.Windows.Rate;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessUnavailable;
import mayfly.linux.perf.PerfCollector;
import mayfly.linux.perf.PerfOptions;
import mayfly.linux.perf.PerfUnavailable;
import mayfly.record.RecordingOptions;
import mayfly.record.event.Collector;
import mayfly.record.event.RecordingEvent;
import org.jspecify.annotations.Nullable;

/** The throughput of a program that does little but switch between two threads, while its waits are recorded. */
final class SwitchCosts {
    private static final int JFR_HZ = 50;

    /** One profiler's windows. */
    private record Side(String name, Toggle toggle, List<Double> losses) {}

    private SwitchCosts() {}

    static void measure(Page page, Path folder, Jdk jdk, int pairs) throws IOException {
        try (Jvm jvm = Jvm.run("Exchanges").on(jdk).start()) {
            double switches = switchesPerSecond(jvm);
            List<Side> sides = new ArrayList<>();
            try {
                add(page, sides, "a perf event without records", () -> new EmptyEvent(jvm));
                RecordingOptions options =
                        new RecordingOptions(RecordingEvent.OFF_CPU, 99, Duration.ZERO, Collector.PER_THREAD, false);
                add(
                        page,
                        sides,
                        "Mayfly, off-cpu",
                        () -> new MayflySessions(jvm, options, folder.resolve("switches.mayfly")));
                add(page, sides, "async-profiler, wall, each 10 ms", () -> new AsyncProfiler(folder).wall(jvm));
                add(page, sides, "JFR, settings=profile", () -> new Jfr(folder).toggle(jvm, JFR_HZ));
                Rate before = Windows.measure(jvm);
                for (int pair = 0; pair < pairs; pair++) {
                    for (Side side : List.copyOf(sides)) {
                        before = pair(page, jvm, sides, side, before);
                    }
                    page.progress("switches %s: pair %d of %d".formatted(jdk, pair + 1, pairs));
                }
                for (Side side : sides) {
                    page.row(
                            jdk.feature(),
                            String.format(Locale.ROOT, "%,.0f", switches),
                            side.name(),
                            side.losses().size(),
                            Statistics.medianOf(side.losses().stream()
                                            .mapToDouble(Double::doubleValue)
                                            .toArray())
                                    .text(100));
                }
            } finally {
                sides.forEach(side -> side.toggle().close());
            }
        }
    }

    /** Opens a profiler. */
    private interface Opener {
        Toggle open() throws RivalFailed, IOException;
    }

    private static void add(Page page, List<Side> sides, String name, Opener opener) throws IOException {
        try {
            sides.add(new Side(name, opener.open(), new ArrayList<>()));
        } catch (RivalFailed e) {
            page.note(name + ": " + e.getMessage());
        }
    }

    /** Measures one window on, and the window off after it, which is also the one before the next. */
    private static Rate pair(Page page, Jvm jvm, List<Side> sides, Side side, Rate before) {
        try {
            side.toggle().on();
            Rate on = Windows.measure(jvm);
            side.toggle().off();
            Rate after = Windows.measure(jvm);
            side.losses().add(1 - on.perWallSecond() * 2 / (before.perWallSecond() + after.perWallSecond()));
            return after;
        } catch (RivalFailed e) {
            page.note(side.name() + ": " + e.getMessage());
            sides.remove(side);
            side.toggle().close();
            return Windows.measure(jvm);
        }
    }

    /** Returns the switches to a thread of the program in each second, by /proc. */
    private static double switchesPerSecond(Jvm jvm) throws IOException {
        long before = switches(jvm);
        long since = System.nanoTime();
        Windows.rest(Duration.ofSeconds(2));
        return (switches(jvm) - before) * 1e9 / (System.nanoTime() - since);
    }

    private static long switches(Jvm jvm) throws IOException {
        long sum = 0;
        try (var tasks = Files.list(Path.of("/proc/" + jvm.pid() + "/task"))) {
            for (Path task : tasks.toList()) {
                sum += ofThread(task.resolve("status"));
            }
        }
        return sum;
    }

    private static long ofThread(Path status) throws IOException {
        try {
            return Files.readAllLines(status).stream()
                    .filter(line -> line.contains("voluntary_ctxt_switches:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .sum();
        } catch (NoSuchFileException e) {
            return 0; // the thread has ended
        }
    }

    /** A clock of each thread that reaches no period: what the kernel does at a switch because of any event. */
    private static final class EmptyEvent implements Toggle {
        private final Jvm jvm;
        private @Nullable LiveProcess process;
        private @Nullable PerfCollector collector;

        EmptyEvent(Jvm jvm) {
            this.jvm = jvm;
        }

        @Override
        public void on() throws RivalFailed {
            try {
                LiveProcess opened = LiveProcess.open(Math.toIntExact(jvm.pid()));
                process = opened;
                PerfCollector events =
                        PerfCollector.perThread(opened, PerfOptions.at(1).withStackBytes(0));
                collector = events;
                events.enable();
            } catch (ProcessUnavailable | PerfUnavailable | IOException e) {
                throw new RivalFailed("perf", e);
            }
        }

        @Override
        public void off() {
            if (collector != null) {
                collector.close();
                collector = null;
            }
            if (process != null) {
                process.close();
                process = null;
            }
        }

        @Override
        public long samples() {
            return 0;
        }

        @Override
        public long onNanos() {
            return 0;
        }

        @Override
        public void close() {
            off();
        }
    }
}
