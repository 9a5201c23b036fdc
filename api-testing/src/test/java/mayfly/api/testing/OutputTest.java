package mayfly.api.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OutputTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(30);

    private static Output of(String text) {
        return Output.of(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "output");
    }

    @Test
    void lineIsFoundAmongThoseThatNoEarlierCallHasLookedAt() throws Exception {
        Output output = of("one\ntwo\nthree\ntwo again\nrest");
        assertThat(output.await("tw", LONG)).hasValue("two");
        assertThat(output.await("tw", LONG)).hasValue("two again");
        assertThat(output.await("one", LONG)).isEmpty();
        output.awaitEnd(LONG);
        assertThat(output.text()).isEqualTo("one\ntwo\nthree\ntwo again\nrest");
    }

    @Test
    void waitEndsAtItsLimitOrWithTheLine() throws Exception {
        try (var program = new PipedOutputStream();
                var in = new PipedInputStream(program)) {
            Output output = Output.of(in, "output");
            assertThat(output.await("ready", SHORT)).isEmpty();
            program.write("ready\n".getBytes(StandardCharsets.UTF_8));
            program.flush();
            assertThat(output.await("ready", LONG)).hasValue("ready");
        }
    }

    @Test
    void onlyTheLastLinesAreKept() throws Exception {
        Output output = of("line\n".repeat(2 * Output.UNSEEN) + "last\n");
        output.awaitEnd(LONG);
        assertThat(output.text().lines()).hasSize(Output.KEPT).last().isEqualTo("last");
        assertThat(output.await("last", LONG)).hasValue("last");
    }

    @Test
    void longLineIsDivided() throws Exception {
        Output output = of("x".repeat(Output.MAX_LINE + 1));
        assertThat(output.await("x", LONG))
                .hasValueSatisfying(line -> assertThat(line).hasSize(Output.MAX_LINE));
        assertThat(output.await("x", LONG)).hasValue("x");
    }

    @Test
    void failureOfThePipeIsTheLastLine() throws Exception {
        Output output = Output.of(
                new InputStream() {
                    @Override
                    public int read() throws IOException {
                        throw new IOException("broken");
                    }
                },
                "output");
        assertThat(output.await("broken", LONG)).hasValue("(the output cannot be read: broken)");
    }
}
