package mayfly.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import mayfly.client.MayflyException.Reason;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An installation whose command is a shell script, to test behaviour that needs a real process. */
@Tag("slow")
@Timeout(60)
class TimeLimitTest {
    @TempDir
    private Path folder;

    private Mayfly script(String script) throws IOException, MayflyException {
        Path command = Files.writeString(folder.resolve("mayfly"), "#!/bin/sh\n" + script + "\n");
        assertThat(command.toFile().setExecutable(true)).isTrue();
        return Mayfly.at(folder);
    }

    private static MayflyException failedStack(Mayfly mayfly, long pid) {
        return catchThrowableOfType(
                MayflyException.class, () -> mayfly.stack(pid).run());
    }

    @Test
    void commandThatDoesNotEndFailsAtItsTimeLimit() throws Exception {
        Mayfly mayfly = script("echo working >&2; exec sleep 50").timeLimit(Duration.ofMillis(500));
        MayflyException failure = failedStack(mayfly, ScriptedMayfly.PID);
        assertThat(failure.reason()).isEqualTo(Reason.TIME_LIMIT);
        assertThat(failure).hasMessage("mayfly stack did not end within PT0.5S");
        assertThat(failure.stderr()).isEqualTo("working\n");
    }

    @Test
    void endlessAnswerFailsAtItsSizeLimit() throws Exception {
        MayflyException failure = failedStack(script("exec yes"), ScriptedMayfly.PID);
        assertThat(failure.reason()).isEqualTo(Reason.ANSWER_TOO_LARGE);
        assertThat(failure).hasMessageContaining("67108864");
    }

    @Test
    void interruptedCallThrowsInterruptedException() throws Exception {
        Mayfly mayfly = script("exec sleep 50");
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> mayfly.ps()).isInstanceOf(InterruptedException.class);
    }

    @Test
    void commandForTheOwnProcessGetsItsArguments() throws Exception {
        long own = ProcessHandle.current().pid();
        MayflyException failure = failedStack(script("echo \"mayfly: $* [not-permitted]\" >&2; exit 4"), own);
        assertThat(failure.reason()).isEqualTo(Reason.NOT_PERMITTED);
        assertThat(failure).hasMessageStartingWith("stack --json --quiet -- " + own + " [not-permitted]");
    }
}
