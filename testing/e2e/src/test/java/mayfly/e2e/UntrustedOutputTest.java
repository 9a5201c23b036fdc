package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import mayfly.kit.Command;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Text of a profiler, printed on a terminal: it cannot control the terminal. */
class UntrustedOutputTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    /** Runs the command that follows on a pseudo-terminal, see script(1). */
    private static final List<String> ON_A_TERMINAL =
            List.of("bash", "-c", "SHELL=/bin/bash exec script -qec \"${*@Q}\" /dev/null", "bash");

    private static final String HOSTILE = "a\u001b]0;owned\u0007b";
    private static final String ESCAPED = "a\\u001b]0;owned\\u0007b";

    @TempDir
    private Path folder;

    @BeforeEach
    void requireScript() {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "no script");
    }

    @Test
    void answerOfAProfilerIsEscapedOnATerminal() throws Exception {
        try (Jvm jvm = Jvm.run("Idle").start()) {
            Attached attached = Attached.withoutJvmti(jvm, folder);
            Command sent = LaunchedMayfly.runUnder(
                    ON_A_TERMINAL, LIMIT, folder, "send", Long.toString(jvm.pid()), "echo " + HOSTILE);
            assertThat(sent.stdout()).as(sent.evidence()).contains(ESCAPED).doesNotContain("\u001b]0", "\u0007");
            attached.detach();
        }
    }

    @Test
    void emissionOfAProfilerIsEscapedOnATerminal() throws Exception {
        try (Jvm jvm = Jvm.run("Idle").start()) {
            Attached attached = Attached.withoutJvmti(jvm, folder);
            assertThat(attached.ask("emit " + HOSTILE)).isEqualTo("OK");
            try (LaunchedMayfly follower =
                    LaunchedMayfly.startUnder(ON_A_TERMINAL, "status", Long.toString(jvm.pid()), "--follow")) {
                assertThat(follower.awaitStdout("owned", LIMIT)).contains(ESCAPED);
                attached.detach();
                assertThat(follower.process().waitFor(LIMIT))
                        .as("it ends with the profiler")
                        .isTrue();
                assertThat(follower.stdout()).doesNotContain("\u001b]0", "\u0007");
            }
        }
    }
}
