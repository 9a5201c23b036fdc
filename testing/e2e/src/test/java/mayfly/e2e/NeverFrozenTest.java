package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code kill -9} at any instant of a snapshot: every thread of the target continues, none is stopped or traced, no
 * wait ends early, and no byte and no signal is lost.
 */
class NeverFrozenTest {
    /** The latest kill, after several snapshots of all threads. */
    private static final int LATEST_MICROS = 30_000;
    /**
     * The number of attempts to freeze the snapshot process while it holds a thread, which takes some microseconds, and
     * the time that the process runs between attempts.
     */
    private static final int TRIES = 25;

    private static final int BETWEEN_MICROS = 3_000;
    /** The latest kill, after the end of the command; the earliest precedes its first instruction. */
    private static final int LATEST_MILLIS = 1_500;

    private static final List<List<String>> COMMANDS = List.of(
            List.of("stack"),
            List.of("stack", "--together"),
            List.of("stack", "--every", "10ms", "-d", "500ms", "-q", "-o", "FILE"),
            List.of("record", "-e", "wall", "-F", "99", "-d", "500ms", "-q", "-o", "FILE"));

    private final long seed = Long.getLong("mayfly.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    private Path folder = Path.of("");

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    static List<Arguments> kinds(TestInfo test) {
        return Scale.jdks(test, List.of(Snapshots.Kind.values()));
    }

    /**
     * Kills the process while it takes snapshots. In every other run the test first freezes it while it holds a thread,
     * if that succeeds.
     */
    @Requirement("T-10")
    @ParameterizedTest
    @MethodSource("kinds")
    void threadsStoppedWhenASnapshotIsKilledContinue(Snapshots.Kind kind, Jdk jdk) throws Exception {
        int kills = Scale.count(2, 300);
        int looks = 0;
        int held = 0;
        try (Jvm jvm = Jvm.run("SelfCheckingLoad").on(jdk).start()) {
            for (int i = 0; i < kills; i++) {
                String what = kind + ", kill number " + i + " of -Dmayfly.seed=" + seed;
                try (Snapshots snapshots = Snapshots.of(jvm.pid(), kind, folder)) {
                    snapshots.goOn(Duration.ofNanos(1000L * random.nextInt(LATEST_MICROS)));
                    if (i % 2 == 1) {
                        looks++;
                        held += catches(snapshots, jvm) ? 1 : 0;
                    }
                    snapshots.kill();
                }
                Steadiness.assertRunsOn(jvm, what);
                Files.deleteIfExists(folder.resolve("wall.mayfly"));
            }
        }
        System.out.printf("%s: %d kills, %d of %d while a thread was certainly held%n", kind, kills, held, looks);
        assertThat(held)
                .as("kills that came while a thread was held, of %d", looks)
                .isGreaterThanOrEqualTo(looks / 2);
    }

    /** Freezes the process repeatedly until it holds a thread; it then stays frozen. */
    private boolean catches(Snapshots snapshots, Jvm jvm) throws Exception {
        for (int i = 0; i < TRIES; i++) {
            snapshots.freeze();
            if (!Steadiness.held(jvm).isEmpty()) {
                return true;
            }
            snapshots.thaw();
            snapshots.goOn(Duration.ofNanos(1000L * random.nextInt(BETWEEN_MICROS)));
        }
        return false;
    }

    @Requirement("T-10")
    @ParameterizedTest
    @MethodSource("jdks")
    void commandKilledAtAnyTimeLeavesNoThreadStopped(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("SelfCheckingLoad").on(jdk).start()) {
            for (int i = 0; i < Scale.count(4, 100); i++) {
                List<String> command = COMMANDS.get(i % COMMANDS.size());
                int millis = random.nextInt(LATEST_MILLIS);
                Path file = folder.resolve("out.html");
                Stream<String> words = Stream.concat(command.stream(), Stream.of(Long.toString(jvm.pid())));
                try (LaunchedMayfly mayfly =
                        LaunchedMayfly.start(words.map(word -> word.equals("FILE") ? file.toString() : word)
                                .toArray(String[]::new))) {
                    mayfly.process().waitFor(Duration.ofMillis(millis));
                    mayfly.process().destroyForcibly().waitFor();
                }
                Steadiness.assertRunsOn(
                        jvm, command + ", kill number " + i + " after " + millis + " ms, -Dmayfly.seed=" + seed);
                Files.deleteIfExists(file);
                assertThat(Checks.files(folder)).as("left behind by " + command).isEmpty();
            }
        }
    }
}
