package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import mayfly.profile.Profile;
import mayfly.profile.capture.CaptureReader;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Long recordings in several captures, of which the latest are kept. */
class RotationTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    /** The bytes of {@code --max-size 512k}. */
    private static final long SPACE = 512 << 10;

    private static final String NAME = "app-[0-9]{8}T[0-9]{6}Z\\.mayfly";

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static List<Path> printed(String stdout) {
        return stdout.lines().map(Path::of).toList();
    }

    private LaunchedMayfly rotating(Jvm jvm, String interval, String... options) {
        List<String> words = new ArrayList<>(List.of("record", "--rotate", interval));
        words.addAll(List.of(options));
        words.addAll(List.of("-o", folder.resolve("app.mayfly").toString(), Long.toString(jvm.pid())));
        return LaunchedMayfly.startUnder(List.of("env", "--default-signal=INT"), words.toArray(String[]::new));
    }

    private static void interrupt(LaunchedMayfly mayfly) {
        Command.run(LIMIT, "kill", "-INT", Long.toString(mayfly.process().pid()));
    }

    private static void awaitEnd(LaunchedMayfly mayfly) throws Exception {
        assertThat(mayfly.process().waitFor(LIMIT)).as(mayfly.stderr()).isTrue();
        assertThat(mayfly.process().exitValue()).as(mayfly.stderr()).isZero();
    }

    /** Waits until a number of captures are printed. */
    private static void awaitCaptures(LaunchedMayfly mayfly, int count) {
        Deadline deadline = Deadline.in(LIMIT);
        while (mayfly.stdout().lines().count() < count) {
            deadline.check("%s %s", mayfly.stdout(), mayfly.stderr());
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void latestCapturesAreKeptAndEachIsComplete(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").on(jdk).start();
                LaunchedMayfly mayfly = rotating(jvm, "1s", "--keep", "2", "-q")) {
            awaitCaptures(mayfly, 3);
            interrupt(mayfly);
            awaitEnd(mayfly);
            List<Path> printed = printed(mayfly.stdout());
            assertThat(printed)
                    .as("each is printed")
                    .hasSizeGreaterThanOrEqualTo(3)
                    .doesNotHaveDuplicates();
            assertThat(files()).containsExactlyElementsOf(printed.subList(printed.size() - 2, printed.size()));
            for (Path file : files()) {
                assertThat(file.getFileName().toString()).matches(NAME);
                Profile profile = CaptureReader.read(file);
                assertThat(profile.warnings()).isEmpty();
                assertThat(profile.recording().pid()).isEqualTo((int) jvm.pid());
            }
            Profile first = CaptureReader.read(files().getFirst());
            Profile second = CaptureReader.read(files().getLast());
            assertThat(first.sampleCount()).isPositive();
            long end = first.recording().monotonicNanos() + first.ledger().durationNanos();
            assertThat(second.recording().monotonicNanos())
                    .as("they do not overlap")
                    .isGreaterThanOrEqualTo(end);
        }
    }

    /** No capture would end by its duration. */
    @ParameterizedTest
    @MethodSource("jdks")
    void capturesTogetherTakeNoMoreThanTheirSpace(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").on(jdk).start();
                LaunchedMayfly mayfly = rotating(jvm, "10h", "--max-size", "512k", "--rate", "4999", "-q")) {
            for (int count = 1; count <= 6; count++) {
                awaitCaptures(mayfly, count);
                assertThat(bytes()).isLessThan(SPACE + SPACE / 4); // the size grows between two looks at it
            }
            interrupt(mayfly);
            awaitEnd(mayfly);
            List<Path> printed = printed(mayfly.stdout());
            assertThat(files())
                    .hasSizeLessThan(printed.size())
                    .containsExactlyInAnyOrderElementsOf(
                            printed.subList(printed.size() - files().size(), printed.size()));
            for (Path file : files()) {
                assertThat(CaptureReader.read(file).warnings()).isEmpty();
            }
        }
    }

    /** Returns the size of all files, which may be removed meanwhile. */
    private long bytes() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void durationEndsTheRotation(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").on(jdk).start();
                LaunchedMayfly mayfly = rotating(jvm, "1s", "-d", "3s", "-q")) {
            awaitEnd(mayfly);
            assertThat(files()).isNotEmpty().containsExactlyElementsOf(printed(mayfly.stdout()));
        }
    }

    /** The capture is longer than the limit of this test. */
    @ParameterizedTest
    @MethodSource("jdks")
    void ctrlCEndsTheRotationWithACompleteCapture(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").on(jdk).start();
                LaunchedMayfly mayfly = rotating(jvm, "10h")) {
            mayfly.awaitStderr("sampling process", LIMIT);
            interrupt(mayfly);
            awaitEnd(mayfly);
            assertThat(files()).hasSize(1).containsExactlyElementsOf(printed(mayfly.stdout()));
            assertThat(CaptureReader.read(files().getFirst()).warnings()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void endOfTheTargetEndsTheRotation(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").on(jdk).start();
                LaunchedMayfly mayfly = rotating(jvm, "1s", "-q")) {
            awaitCaptures(mayfly, 1);
            Command.run(LIMIT, "kill", "-KILL", Long.toString(jvm.pid()));
            awaitEnd(mayfly);
            assertThat(files()).containsExactlyElementsOf(printed(mayfly.stdout()));
        }
    }
}
