package mayfly.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/**
 * The time of a call of a method: without a probe, with one whose callbacks do nothing, and after its removal. Each
 * time is compared with that before, in one JVM.
 */
final class ProbeCosts {
    private static final int CALLS = 10_000_000;
    private static final int WARM_UPS = 4;
    private static final String METHOD = "mayfly.targets.ProbedCalls$Work.leaf";
    private static final Duration LIMIT = Duration.ofSeconds(120);

    private ProbeCosts() {}

    static void measure(Page page, Path folder, Jdk jdk, int rounds) {
        page.progress("probes: %s, %d rounds".formatted(jdk, rounds));
        try (Jvm jvm = Jvm.run("ProbedCalls").on(jdk).start()) {
            Path jar = BenchProfiler.jar(
                    folder, "mayfly.profilers.testing.ProbesProfiler", "METHOD_PROBES, STACK_SNAPSHOTS");
            double[][] times = new double[5][rounds];
            for (int i = 0; i < rounds; i++) {
                double without = warm(jvm, "time");
                double other = warm(jvm, "time-other");
                ProfilerClient.attach(new AttachRequest(
                        pid(jvm), jar, Optional.empty(), Optional.empty(), LIMIT, Acceptance.LASTING_COST));
                ask(jvm, "mode nothing");
                require(ask(jvm, "add " + METHOD), "added 1");
                times[0][i] = without;
                times[1][i] = warm(jvm, "time");
                times[2][i] = warm(jvm, "time-other") / other - 1;
                require(ask(jvm, "remove " + METHOD), "removed 1 frames 0 changed 0");
                times[3][i] = warm(jvm, "time") / without - 1;
                times[4][i] = warm(jvm, "time-other") / other - 1;
                ProfilerClient.detach(pid(jvm), "bench", LIMIT);
            }
            page.row(
                    jdk.feature(),
                    rounds,
                    Statistics.medianOf(times[0]).text(1),
                    Statistics.medianOf(times[1]).text(1),
                    Statistics.medianOf(times[2]).text(100),
                    Statistics.medianOf(times[3]).text(100),
                    Statistics.medianOf(times[4]).text(100));
        } catch (AttachFailed | IOException | RuntimeException e) {
            page.note(jdk + ": " + e);
        }
    }

    /** Returns the shortest time of a call, ns, once the method has been compiled. */
    private static double warm(Jvm jvm, String command) {
        double[] nanos = new double[WARM_UPS];
        Arrays.setAll(nanos, i -> Long.parseLong(jvm.ask(command + " " + CALLS)) / (double) CALLS);
        return Arrays.stream(nanos).min().orElseThrow();
    }

    private static String ask(Jvm jvm, String command) throws AttachFailed {
        return new String(
                ProfilerClient.send(pid(jvm), command.getBytes(StandardCharsets.UTF_8), LIMIT), StandardCharsets.UTF_8);
    }

    private static void require(String answer, String wanted) {
        if (!answer.equals(wanted)) {
            throw new IllegalStateException(answer);
        }
    }

    private static int pid(Jvm jvm) {
        return Math.toIntExact(jvm.pid());
    }
}
