package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.capture.CaptureReader;
import mayfly.record.RecordingOptions;
import mayfly.record.RecordingSession;
import mayfly.record.event.Collector;
import mayfly.record.event.RecordingEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Wall-clock time: every thread has equal weight, running or waiting. */
class WallClockTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void everyThreadHasTheElapsedWallClockTime(Jdk jdk) throws Exception {
        Path file = folder.resolve("x.mayfly");
        // On a busy machine one pass over all threads takes long, and the test needs many passes.
        Duration duration = Patience.of(Scale.seconds(3, 30));
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start();
                RecordingSession session = RecordingSession.open(
                        (int) jvm.pid(),
                        new RecordingOptions(RecordingEvent.WALL, 10, duration, Collector.AUTO, false),
                        file)) {
            session.run((samples, elapsed, lost) -> {});
        }
        Profile profile = CaptureReader.read(file);
        assertThat(profile.event().name()).isEqualTo("wall");
        Map<String, Long> nanos = new HashMap<>();
        for (int i = 0; i < profile.sampleCount(); i++) {
            if (hasMethod(profile, i, "mayfly.targets.Blocked.run")) {
                nanos.merge(profile.threads().get(profile.threadOf(i)).name(), profile.valueOf(i), Long::sum);
            }
        }
        double passed = profile.ledger().durationNanos();
        assertThat(nanos).containsKeys("kind-park", "kind-sleep", "kind-datagram");
        for (String name : List.of("kind-park", "kind-sleep", "kind-datagram")) {
            // The time before the first pass and after the last is not attributed. Each is at most one period, unless a
            // pass is late.
            assertThat(nanos.get(name) / passed).as(name + " of " + nanos).isBetween(0.7, 1.1);
            assertThat((double) nanos.get(name) / nanos.get("kind-park"))
                    .as(name)
                    .isCloseTo(1, within(0.1));
        }
        assertThat(profile.ledger().complete())
                .isGreaterThan((long) (0.9 * profile.ledger().samples()));
    }

    private static boolean hasMethod(Profile profile, int sample, String name) {
        return profile.stack(sample).frames().stream()
                .anyMatch(
                        frame -> frame instanceof Frame.Managed && frame.label().equals(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"record -e wall", "stack --every 100ms"})
    void interruptEndsTheRecordingEarlyAndWritesIt(String command) throws Exception {
        Path file = folder.resolve("x.collapsed");
        String[] words = (command + " -d 10m -o " + file).split(" ");
        // A test run in the background of a shell ignores the signal, and its child processes do, too.
        List<String> heeding = List.of("env", "--default-signal=INT");
        try (Jvm jvm = Jvm.run("Busy").start();
                LaunchedMayfly mayfly = LaunchedMayfly.startUnder(
                        heeding,
                        Stream.concat(Stream.of(words), Stream.of(Long.toString(jvm.pid())))
                                .toArray(String[]::new))) {
            mayfly.awaitStderr("sampling process", LIMIT);
            long begun = Long.parseLong(jvm.ask("cpu?"));
            while (Long.parseLong(jvm.ask("cpu?")) - begun < 600_000_000) {
                LockSupport.parkNanos(20_000_000);
            }
            Command.run(LIMIT, "kill", "-INT", Long.toString(mayfly.process().pid()));
            assertThat(mayfly.process().waitFor(LIMIT)).as(mayfly.stderr()).isTrue();
            assertThat(mayfly.process().exitValue()).as(mayfly.stderr()).isZero();
            assertThat(mayfly.stderr()).doesNotContain("\tat ", "Exception");
            Counts counts = Counts.parse(Files.readString(file));
            assertThat(counts.with("mayfly.targets.Busy.loop"))
                    .as(counts.top(5))
                    .isPositive();
            assertThat(counts.total()).isGreaterThan(counts.with("mayfly.targets.Busy.loop"));
            assertThat(Checks.files(folder)).containsExactly(file);
        }
    }

    @Test
    void stackEveryFoldsManyDumpsIntoOneProfile() throws Exception {
        Path file = folder.resolve("x.collapsed");
        try (Jvm jvm = Jvm.run("Busy").start()) {
            Command done = LaunchedMayfly.run(
                    Duration.ofSeconds(60),
                    folder,
                    "stack",
                    "--every",
                    "100ms",
                    "-d",
                    "2s",
                    "-o",
                    file.toString(),
                    Long.toString(jvm.pid()));
            Counts counts = Counts.parse(Checks.recorded(done, file));
            assertThat(done.stderr()).contains("every thread is stopped").doesNotContain("CPU time seen");
            double all = counts.total();
            long busy = counts.of(frames -> frames.getFirst().startsWith("busy-0"));
            long vm = counts.of(frames -> frames.getFirst().startsWith("VM Thread"));
            assertThat(busy).isPositive();
            assertThat((double) vm / busy)
                    .as("a waiting thread and a busy one, of " + all)
                    .isCloseTo(1, within(0.25));
        }
    }
}
