package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import mayfly.discovery.Refused;
import mayfly.kit.Command;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import mayfly.profile.Profile;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureReader;
import mayfly.record.RecordingOptions;
import mayfly.record.RecordingSession;
import mayfly.record.event.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The target ends or executes another program: a recording has the samples so far, and a dump is whole or refused. */
class TargetEndsTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    private static final long LAST_NANOS = 500_000_000;
    private static final long UNREAD_NANOS = 200_000_000;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"system-wide", "per-thread", "ptrace"})
    void recordingIsWrittenIfTheTargetIsKilled(String collector) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").start();
                LaunchedMayfly mayfly = record(jvm, collector)) {
            assertThat(Command.run(LIMIT, "kill", "-KILL", Long.toString(jvm.pid()))
                            .exitCode())
                    .isZero();
            assertWritten(mayfly, "ended with the target");
        }
    }

    /** The last samples are walked when the target has no memory any more. */
    @ParameterizedTest
    @EnumSource(names = {"SYSTEM_WIDE", "PER_THREAD"})
    void lastSamplesOfAKilledTargetBreakOnlyBecauseItEnded(Collector collector) throws Exception {
        AtomicBoolean killed = new AtomicBoolean();
        try (Jvm jvm = Jvm.run("Busy").args("2").start();
                RecordingSession session = session(jvm, collector)) {
            session.run((samples, elapsed, lost) -> {
                if (samples > 100 && !killed.getAndSet(true)) {
                    LockSupport.parkNanos(UNREAD_NANOS);
                    Command.run(LIMIT, "kill", "-KILL", Long.toString(jvm.pid()));
                }
            });
        }
        Profile profile = CaptureReader.read(folder.resolve("x.mayfly"));
        long last = IntStream.range(0, profile.sampleCount())
                .mapToLong(profile::nanosOf)
                .max()
                .orElseThrow();
        Map<WalkOutcome, Long> outcomes = IntStream.range(0, profile.sampleCount())
                .filter(i -> profile.nanosOf(i) > last - LAST_NANOS)
                .mapToObj(profile::outcomeOf)
                .collect(Collectors.groupingBy(outcome -> outcome, TreeMap::new, Collectors.counting()));
        assertThat(outcomes).containsKey(WalkOutcome.TARGET_ENDED);
        assertThat(outcomes.keySet()).isSubsetOf(WalkOutcome.COMPLETE, WalkOutcome.TARGET_ENDED);
    }

    @ParameterizedTest
    @EnumSource(names = {"SYSTEM_WIDE", "PER_THREAD", "PTRACE"})
    void recordingEndsIfTheTargetExecs(Collector collector) throws Exception {
        AtomicBoolean sent = new AtomicBoolean();
        try (Jvm jvm = execs();
                RecordingSession session = session(jvm, collector)) {
            session.run((samples, elapsed, lost) -> {
                if (!sent.getAndSet(true)) {
                    jvm.send("exec");
                }
            });
            assertReplaced(session);
            assertThat(jvm.isAlive()).isTrue();
        }
    }

    /** Samples taken since the opening are of a program that can no longer be read. */
    @ParameterizedTest
    @EnumSource(names = {"SYSTEM_WIDE", "PER_THREAD", "PTRACE"})
    void recordingEndsWithoutSamplesIfTheTargetExecsBeforeTheFirstDrain(Collector collector) throws Exception {
        try (Jvm jvm = execs();
                RecordingSession session = session(jvm, collector)) {
            jvm.send("exec");
            awaitSleep(jvm);
            session.run((samples, elapsed, lost) -> {});
            assertReplaced(session);
            assertThat(session.ledger().samples()).isZero();
            assertThat(jvm.isAlive()).isTrue();
        }
    }

    private static Jvm execs() throws Exception {
        Path classes = Path.of(
                Execs.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        return Jvm.run(Execs.class)
                .classPath(classes.toString())
                .with("--enable-native-access=ALL-UNNAMED")
                .start();
    }

    private RecordingSession session(Jvm jvm, Collector collector) throws Refused {
        return RecordingSession.open(
                (int) jvm.pid(), new RecordingOptions(99, LIMIT, collector, false), folder.resolve("x.mayfly"));
    }

    private static void assertReplaced(RecordingSession session) {
        assertThat(session.ledger().notes()).anyMatch(note -> note.contains("became another program"));
        assertThat(session.ledger().durationNanos()).isLessThan(LIMIT.toNanos());
    }

    private static void awaitSleep(Jvm jvm) throws IOException {
        Path name = Path.of("/proc/" + jvm.pid() + "/comm");
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!Files.readString(name).equals("sleep\n") && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait();
        }
    }

    private LaunchedMayfly record(Jvm jvm, String collector) {
        LaunchedMayfly mayfly = LaunchedMayfly.start(
                "record",
                "--collector",
                collector,
                "-d",
                "1m",
                "-o",
                folder.resolve("out.html").toString(),
                Long.toString(jvm.pid()));
        mayfly.awaitStderr("sampling process", LIMIT);
        return mayfly;
    }

    private void assertWritten(LaunchedMayfly mayfly, String words) throws Exception {
        assertThat(mayfly.process().waitFor(LIMIT))
                .as("it ends by itself: " + mayfly.stderr())
                .isTrue();
        assertThat(mayfly.process().exitValue()).as(mayfly.stderr()).isZero();
        assertThat(mayfly.stderr()).contains(words).doesNotContain("\tat ", "Exception");
        assertThat(Checks.files(folder)).containsExactly(folder.resolve("out.html"));
    }

    /** No partial output, whenever the target ends. */
    @Test
    void targetThatDiesDuringStackLeavesNoPartialOutput() throws Exception {
        for (int i = 0; i < Scale.count(2, 50); i++) {
            try (Jvm jvm = Jvm.run("Blocked").start();
                    LaunchedMayfly mayfly = LaunchedMayfly.start("stack", Long.toString(jvm.pid()))) {
                mayfly.process().waitFor(Duration.ofMillis(250 + 100L * (i % 5)));
                Signals.send(jvm.pid(), "KILL");
                int status = mayfly.process().onExit().join().exitValue();
                String out = mayfly.stdout();
                if (status == 0) {
                    assertThat(out).contains("\"VM Thread\"");
                } else {
                    assertThat(status).as(mayfly.stderr()).isIn(1, 3);
                    assertThat(mayfly.stderr()).containsAnyOf("[target-gone]", "[zombie]", "[no-such-process]");
                    assertThat(out).isEmpty();
                }
            }
        }
    }
}
