package mayfly.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import mayfly.discovery.Refused;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.record.RecordingOptions;
import mayfly.record.RecordingSession;
import mayfly.record.event.Collector;

/**
 * CPU time of the sampling thread for each sample, after a warm-up: draining, walking, naming and writing, by the
 * thread's own CPU clock. The session runs in the benchmark's JVM, which has the launcher's compiler, collector and
 * young generation. The collectors take turns on one target.
 */
final class WarmSampling {
    /**
     * The warm-up of the target. Before its end, the target's own compilers are busy, and the drain intervals are short
     * because code changes.
     */
    private static final Duration TARGET_WARM = Duration.ofSeconds(75);

    private static final long WARM_UP_NANOS = 20_000_000_000L;
    private static final Duration RECORDING = Duration.ofSeconds(45);
    private static final List<Collector> COLLECTORS = List.of(Collector.SYSTEM_WIDE, Collector.PER_THREAD);

    private WarmSampling() {}

    static void measure(Page page, Path folder, Jdk jdk, Stacks.Load load, int hz, int turns) {
        Map<Collector, List<Double>> micros = new EnumMap<>(Collector.class);
        long[] samples = new long[1];
        page.progress("warm: " + jdk + ", " + load.name() + ", " + hz + " Hz, " + turns + " × " + COLLECTORS.size()
                + " × "
                + RECORDING.toSeconds() + " s, after " + TARGET_WARM.toSeconds() + " s");
        try (Jvm jvm = load.plan().start()) {
            Thread.sleep(TARGET_WARM);
            for (int turn = 0; turn < turns; turn++) {
                for (Collector collector : COLLECTORS) {
                    micros.computeIfAbsent(collector, c -> new ArrayList<>())
                            .add(record(jvm, folder.resolve("warm.mayfly"), collector, hz, samples));
                }
            }
        } catch (Refused | IOException e) {
            page.note(jdk + ", " + load.name() + ": " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        micros.forEach((collector, all) -> {
            double[] values = all.stream().mapToDouble(Double::doubleValue).toArray();
            page.row(
                    jdk.feature(),
                    load.name(),
                    collector.id(),
                    hz,
                    samples[0],
                    String.format(Locale.ROOT, "%.1f", Statistics.median(values)),
                    String.format(
                            Locale.ROOT,
                            "%.1f to %.1f",
                            Statistics.quantile(values, 0),
                            Statistics.quantile(values, 1)));
        });
    }

    /** Returns the cost of a sample, in microseconds. */
    private static double record(Jvm jvm, Path file, Collector collector, int hz, long[] count)
            throws Refused, IOException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long[] warm = new long[2];
        long[] last = new long[2];
        try (RecordingSession session = RecordingSession.open(
                Math.toIntExact(jvm.pid()), new RecordingOptions(hz, RECORDING, collector, false), file)) {
            session.run((samples, elapsed, lost) -> {
                last[0] = samples;
                last[1] = threads.getCurrentThreadCpuTime();
                if (elapsed > WARM_UP_NANOS && warm[0] == 0) {
                    warm[0] = last[0];
                    warm[1] = last[1];
                }
            });
        } finally {
            Files.deleteIfExists(file);
        }
        count[0] = last[0] - warm[0];
        return (last[1] - warm[1]) / 1e3 / count[0];
    }
}
