package mayfly.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/**
 * The CPU time of the host's thread for each look at the threads. One thread is always blocked, so that each look
 * reports a sample and can be counted.
 */
final class PollingCosts {
    private static final int THREADS = 1000;
    private static final int BLOCKED = 32;
    private static final long WINDOW_NANOS = 2_000_000_000L;
    private static final Duration LIMIT = Duration.ofSeconds(120);

    private PollingCosts() {}

    static void measure(Page page, Path folder, Jdk jdk, int rounds) {
        page.progress("polling: %s, %d rounds".formatted(jdk, rounds));
        double[] status = new double[rounds];
        double[] bytes = new double[rounds];
        double[] snapshot = new double[rounds];
        double[] managed = new double[rounds];
        double[] look = new double[rounds];
        try {
            Path jar = BenchProfiler.jar(folder, "mayfly.profilers.testing.PollingProfiler", "ALLOCATIONS, MONITORS");
            for (int i = 0; i < rounds; i++) {
                look[i] = perLook(jdk, jar, "MONITORS", 0, 1, false) / 1000;
                double monitors = perLook(jdk, jar, "MONITORS", THREADS, 1, false);
                status[i] = (monitors - look[i] * 1000) / THREADS;
                bytes[i] = (perLook(jdk, jar, "MONITORS ALLOCATIONS", THREADS, 1, false) - monitors) / THREADS;
                snapshot[i] = perBlocked(jdk, jar, false);
                managed[i] = perBlocked(jdk, jar, true);
            }
            page.row(
                    jdk.feature(),
                    rounds,
                    Statistics.medianOf(look).text(1),
                    Statistics.medianOf(status).text(1),
                    Statistics.medianOf(bytes).text(1),
                    Statistics.medianOf(snapshot).text(1),
                    Statistics.medianOf(managed).text(1));
        } catch (AttachFailed | IOException | RuntimeException e) {
            page.note(jdk + ": " + e);
        }
    }

    /** Returns the time for each blocked thread and look, µs. */
    private static double perBlocked(Jdk jdk, Path jar, boolean manages) throws AttachFailed, IOException {
        double one = perLook(jdk, jar, "MONITORS", 0, 1, manages);
        return (perLook(jdk, jar, "MONITORS", 0, BLOCKED, manages) - one) / (BLOCKED - 1) / 1000;
    }

    /** Returns the time for each look, ns. */
    private static double perLook(Jdk jdk, Path jar, String events, int threads, int blocked, boolean manages)
            throws AttachFailed, IOException {
        try (Jvm jvm = Jvm.run("Polled").on(jdk).with("-Xss256k").start()) {
            int pid = Math.toIntExact(jvm.pid());
            if (manages) {
                jvm.ask("manage");
            }
            jvm.ask("many " + threads);
            for (int i = 0; i < blocked; i++) {
                jvm.ask("block");
            }
            ProfilerClient.attach(new AttachRequest(
                    pid, jar, Optional.empty(), Optional.of(("10 " + events).getBytes(StandardCharsets.UTF_8)), LIMIT));
            LockSupport.parkNanos(WINDOW_NANOS); // the code is compiled
            long cpu = hostCpu(pid);
            long looks = looks(pid);
            LockSupport.parkNanos(WINDOW_NANOS);
            double each = (double) (hostCpu(pid) - cpu) / (looks(pid) - looks);
            ProfilerClient.detach(pid, "bench", LIMIT);
            return each;
        }
    }

    private static long looks(int pid) throws AttachFailed {
        byte[] answer = ProfilerClient.send(pid, "looks".getBytes(StandardCharsets.UTF_8), LIMIT);
        return Long.parseLong(new String(answer, StandardCharsets.UTF_8));
    }

    /** Returns the time for which the host's thread has had a CPU, ns (schedstat, sched-stats.rst of the kernel). */
    private static long hostCpu(int pid) throws IOException {
        try (Stream<Path> tasks = Files.list(Path.of("/proc", Integer.toString(pid), "task"))) {
            for (Path task : tasks.toList()) {
                if (Files.readString(task.resolve("comm")).strip().equals("Mayfly host")) {
                    return Long.parseLong(
                            Files.readString(task.resolve("schedstat")).split(" ")[0]);
                }
            }
        }
        throw new IOException("the process has no thread of the host");
    }
}
