package mayfly.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import mayfly.kit.ThreadPrint.PrintedFrame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThreadPrintTest {
    private static ThreadPrint recorded(int feature) throws IOException {
        try (InputStream in = ThreadPrintTest.class.getResourceAsStream("/thread-print-" + feature + ".txt")) {
            return ThreadPrint.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 25})
    void framesAreReadLeafFirst(int feature) throws IOException {
        var ladder = recorded(feature).named("ladder");

        assertThat(ladder.state()).isEqualTo("WAITING");
        assertThat(ladder.frames().getFirst())
                .isEqualTo(new PrintedFrame("jdk.internal.misc.Unsafe", "park", PrintedFrame.NATIVE_METHOD));
        assertThat(ladder.lines())
                .containsSubsequence(
                        "mayfly.targets.Ladder$Rung.e:44", "mayfly.targets.Ladder.d:38", "mayfly.targets.Ladder.a:26");
        assertThat(ladder.frames().getLast().name()).isEqualTo("java.lang.Thread.run");
    }

    @Test
    void hexadecimalThreadIdsOfJdk17AreRead() throws IOException {
        assertThat(recorded(17).named("ladder").tid()).isEqualTo(0x3e54);
    }

    @Test
    void decimalThreadIdsOfJdk25AreRead() throws IOException {
        assertThat(recorded(25).named("main").tid()).isEqualTo(15982);
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 25})
    void threadNumbersStatesAndReasonsAreRead(int feature) throws IOException {
        var ladder = recorded(feature).named("ladder");

        assertThat(ladder.daemon()).isTrue();
        assertThat(ladder.reason()).isEqualTo("(parking)");
        assertThat(recorded(feature).named("main"))
                .returns(false, ThreadPrint.PrintedThread::daemon)
                .returns(feature == 17 ? 1L : 3L, ThreadPrint.PrintedThread::number)
                .returns("RUNNABLE", ThreadPrint.PrintedThread::state)
                .returns("", ThreadPrint.PrintedThread::reason);
    }

    @Test
    void hiddenClassesAreDistinct() throws IOException {
        assertThat(recorded(17).named("ladder").frames())
                .contains(new PrintedFrame(
                        "mayfly.targets.Ladder$$Lambda$1/0x00007ff834000a08", "run", PrintedFrame.UNKNOWN_LINE));
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 25})
    void javaThreadsAreDistinguishedFromVmThreads(int feature) throws IOException {
        assertThat(recorded(feature).named("VM Thread").java()).isFalse();
        assertThat(recorded(feature).named("Signal Dispatcher").java()).isTrue();
        assertThat(recorded(feature).named("Signal Dispatcher").frames()).isEmpty();
    }
}
