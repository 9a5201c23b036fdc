package mayfly.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.sampler.Collector;
import mayfly.sampler.RecordingOptions;
import mayfly.sampler.RecordingSession;
import mayfly.sampler.SessionRefused;

/**
 * CPU time of the sampling thread for each sample, once it is warm: draining, walking, naming and writing, by the
 * thread's own CPU clock. The session runs in the bench's JVM, which has the launcher's compiler, collector and young
 * generation.
 */
final class WarmSampling {
    /** Until then the target's own compilers are busy, and where code changes the drains are short. */
    private static final long WARM_UP_NANOS = 95_000_000_000L;
    private static final Duration RECORDING = Duration.ofSeconds(120);

    private WarmSampling() {
    }

    static void measure(Page page, Path folder, Jdk jdk, Stacks.Load load, Collector collector, int hz) {
        page.progress("warm: " + jdk + ", " + load.name() + ", " + collector.id() + ", " + hz + " Hz, "
                + RECORDING.toSeconds() + " s");
        Path file = folder.resolve("warm.mayfly");
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long[] warm = new long[2];
        long[] last = new long[2];
        try (Jvm jvm = load.plan().start();
                RecordingSession session = RecordingSession.open(Math.toIntExact(jvm.pid()),
                        new RecordingOptions(hz, RECORDING, collector, false), file)) {
            session.run((samples, elapsed, lost) -> {
                last[0] = samples;
                last[1] = threads.getCurrentThreadCpuTime();
                if (elapsed > WARM_UP_NANOS && warm[0] == 0) {
                    warm[0] = last[0];
                    warm[1] = last[1];
                }
            });
            long samples = last[0] - warm[0];
            page.row(jdk.feature(), load.name(), collector.id(), hz, samples,
                    String.format(Locale.ROOT, "%.1f", (last[1] - warm[1]) / 1e3 / samples));
        } catch (SessionRefused | IOException e) {
            page.note(jdk + ", " + load.name() + ": " + e);
        } finally {
            delete(file);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            System.err.println("left behind: " + e.getMessage());
        }
    }
}
