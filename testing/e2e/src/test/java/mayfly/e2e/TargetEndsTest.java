package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import mayfly.kit.Command;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.sampler.Collector;
import mayfly.sampler.RecordingOptions;
import mayfly.sampler.RecordingSession;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The target ends, or becomes another program, in the middle of a recording: what was seen until then is written. */
class TargetEndsTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"system-wide", "per-thread", "ptrace"})
    void theTargetDies(String collector) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").start(); LaunchedMayfly mayfly = record(jvm, collector)) {
            assertThat(Command.run(LIMIT, "kill", "-KILL", Long.toString(jvm.pid())).exitCode()).isZero();
            assertWritten(mayfly, "ended with the target");
        }
    }

    /** Told when sampling goes on: what happens before its first sample is another matter. */
    @ParameterizedTest
    @EnumSource(names = {"SYSTEM_WIDE", "PER_THREAD"})
    void theTargetBecomesAnotherProgram(Collector collector) throws Exception {
        Path classes = Path.of(Execs.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        var options = new RecordingOptions(99, LIMIT, collector, false);
        AtomicBoolean sent = new AtomicBoolean();
        try (Jvm jvm = Jvm.run(Execs.class).classPath(classes.toString())
                .with("--enable-native-access=ALL-UNNAMED").start();
                RecordingSession session = RecordingSession.open((int) jvm.pid(), options,
                        folder.resolve("x.mayfly"))) {
            session.run((samples, elapsed, lost) -> {
                if (!sent.getAndSet(true)) {
                    jvm.send("exec");
                }
            });
            assertThat(session.ledger().notes()).anyMatch(note -> note.contains("became another program"));
            assertThat(session.ledger().durationNanos()).isLessThan(LIMIT.toNanos());
            assertThat(jvm.isAlive()).isTrue();
        }
    }

    private LaunchedMayfly record(Jvm jvm, String collector) {
        LaunchedMayfly mayfly = LaunchedMayfly.start("record", "--collector", collector, "-d", "1m", "-o",
                folder.resolve("out.html").toString(), Long.toString(jvm.pid()));
        mayfly.awaitStderr("sampling process", LIMIT);
        return mayfly;
    }

    private void assertWritten(LaunchedMayfly mayfly, String words) throws Exception {
        assertThat(mayfly.process().waitFor(LIMIT)).as("it ends by itself: " + mayfly.stderr()).isTrue();
        assertThat(mayfly.process().exitValue()).as(mayfly.stderr()).isZero();
        assertThat(mayfly.stderr()).contains(words).doesNotContain("\tat ", "Exception");
        assertThat(Said.files(folder)).containsExactly(folder.resolve("out.html"));
    }
}
