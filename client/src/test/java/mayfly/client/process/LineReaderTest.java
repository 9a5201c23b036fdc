package mayfly.client.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Children that are shell scripts. */
@Tag("slow")
@Timeout(60)
class LineReaderTest {
    @TempDir
    private Path folder;

    private static LineReader start(String script) throws IOException {
        return LineReader.start(Starter.PROGRAMS, List.of("/bin/sh", "-c", script));
    }

    private static Deadline in(Duration limit) {
        return Deadline.in(Optional.of(limit));
    }

    private static Deadline never() {
        return Deadline.in(Optional.empty());
    }

    @Test
    void linesAreReadWhileTheProgramRuns() throws Exception {
        Path go = folder.resolve("go");
        try (LineReader reader = start("echo one; echo; printf 'half '; while [ ! -e " + go
                + " ]; do sleep 0.01; done; echo line; echo why >&2; printf rest; exit 3")) {
            assertThat(reader.next(never())).hasValue("one");
            assertThat(reader.next(never())).hasValue("");
            assertThat(reader.next(in(Duration.ofMillis(50)))).isEmpty();
            assertThat(reader.exitCode()).isEmpty();
            Files.createFile(go);
            assertThat(reader.next(never())).hasValue("half line");
            assertThat(reader.next(never())).hasValue("rest");
            assertThat(reader.next(never())).isEmpty();
            assertThat(reader.exitCode()).hasValue(3);
            assertThat(reader.err()).isEqualTo("why\n");
        }
    }

    @Test
    void lineWithoutEndIsDividedAtItsLimit() throws Exception {
        try (LineReader reader = start("tr '\\0' x </dev/zero")) {
            assertThat(reader.next(never()))
                    .hasValueSatisfying(line -> assertThat(line).hasSize(LineReader.MAX_LINE));
        }
    }

    @Test
    void closeEndsTheProgram() throws Exception {
        LineReader reader = start("echo $$; exec sleep 1000");
        String pid = reader.next(never()).orElseThrow();
        reader.close();
        assertThat(ProcessHandle.of(Long.parseLong(pid))).isEmpty();
    }

    @Test
    void interruptedWaitLeavesTheProgramRunning() throws Exception {
        Path go = folder.resolve("go");
        try (LineReader reader = start("while [ ! -e " + go + " ]; do sleep 0.01; done; echo on")) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> reader.next(never())).isInstanceOf(InterruptedException.class);
            Files.createFile(go);
            assertThat(reader.next(never())).hasValue("on");
        }
    }
}
