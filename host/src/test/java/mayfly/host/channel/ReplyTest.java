package mayfly.host.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Answers to a client. */
class ReplyTest {
    private static final int LONG = 20 << 20;

    private static String words(byte[] frame) {
        return new String(frame, StandardCharsets.UTF_8);
    }

    /** Counts its conversions to text, each of which contains its complete message. */
    private static final class Printed extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private int texts;

        Printed(String message) {
            super(message);
        }

        @Override
        public String toString() {
            texts++;
            return super.toString();
        }
    }

    @Test
    void longMessageOfAnExceptionIsNotCopied() {
        Printed thrown = new Printed("begins" + "x".repeat(LONG));
        byte[] alone = Reply.thrown(thrown);
        byte[] asCause = Reply.thrown(new IllegalStateException("short", thrown));
        assertThat(thrown.texts).isZero();
        assertThat(words(alone)).contains("Printed: begins", "at ", "longMessageOfAnExceptionIsNotCopied");
        assertThat(words(asCause))
                .contains("java.lang.IllegalStateException: short", "longMessageOfAnExceptionIsNotCopied");
    }

    @Test
    void shortExceptionMessageHasStackTraceAndCause() {
        byte[] frame = Reply.thrown(new IllegalStateException("outer", new IllegalArgumentException("inner")));
        assertThat(words(frame))
                .contains(
                        "java.lang.IllegalStateException: outer",
                        "Caused by: java.lang.IllegalArgumentException: inner");
    }

    /** Two exceptions that are each other's cause are printed without an endless loop. */
    @Test
    void circularCausesArePrintedOnce() {
        Exception first = new Exception("first");
        Exception second = new Exception("second", first);
        first.initCause(second);
        assertThat(words(Reply.thrown(second))).contains("java.lang.Exception: second");
    }
}
