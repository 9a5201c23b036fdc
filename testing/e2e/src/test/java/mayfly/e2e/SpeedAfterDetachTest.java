package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import mayfly.api.Event;
import mayfly.api.event.Delivery;
import mayfly.attach.client.AttachRequest;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Partly;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.LoggingProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The speed of a program after a detach, beside the same program without a profiler. The two JVMs take turns, and the
 * speed is the work for the CPU time of the thread, so that other programs on the machine slow both alike.
 */
class SpeedAfterDetachTest {
    private static final int ROUNDS = Scale.count(15, 101);
    private static final int MILLIS = 200;
    /** A program whose code is interpreted again takes some ten times as long. */
    private static final double MARGIN = 0.2;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    /** Returns the work for each nanosecond of CPU time. */
    private static double speed(Jvm jvm) {
        String[] answer = jvm.ask("spend " + MILLIS).split(" ");
        return (double) Long.parseLong(answer[0]) / Long.parseLong(answer[1]);
    }

    private Attached attach(Jvm jvm, Jdk jdk) throws Exception {
        String events = Arrays.stream(Event.values())
                .filter(event -> event.canBe(Delivery.ASYNCHRONOUS) && event.since() <= jdk.feature())
                .map(Event::name)
                .collect(Collectors.joining(" "));
        Path jar = ProfilerJars.jar(
                folder.resolve("logging.jar"),
                ProfilerJars.manifest(LoggingProfiler.class.getName(), "1", events.replace(" ", ", ")));
        return Attached.by(new AttachRequest(
                Math.toIntExact(jvm.pid()),
                jar,
                Optional.empty(),
                Optional.of(events.getBytes(StandardCharsets.UTF_8)),
                Attached.LIMIT));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-24", "D-28"})
    @Partly("A-24: the speed is compared within 20 %, without JVMTI; the bench compares it more exactly, and with it")
    @Partly("D-28: throughput is compared within 20 %; the bench compares it more exactly")
    void programIsAsFastAfterADetachAsWithoutAProfiler(Jdk jdk) throws Exception {
        try (Jvm profiled = Jvm.run("WorkOnRequest").on(jdk).with("-Xmx64m").start();
                Jvm other = Jvm.run("WorkOnRequest").on(jdk).with("-Xmx64m").start()) {
            for (int i = 0; i < 5; i++) { // the code is compiled
                speed(profiled);
                speed(other);
            }
            for (int i = 0; i < 3; i++) {
                Attached profiler = attach(profiled, jdk);
                speed(profiled);
                profiler.detach();
            }
            double[] ratios = new double[ROUNDS];
            for (int i = 0; i < ROUNDS; i++) {
                double first = i % 2 == 0 ? speed(profiled) : 1 / speed(other);
                double second = i % 2 == 0 ? 1 / speed(other) : speed(profiled);
                ratios[i] = first * second;
            }
            Arrays.sort(ratios);
            assertThat(ratios[ROUNDS / 2]).as("%s", Arrays.toString(ratios)).isBetween(1 - MARGIN, 1 / (1 - MARGIN));
        }
    }
}
