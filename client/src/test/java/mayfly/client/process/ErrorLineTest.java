package mayfly.client.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ErrorLineTest {
    @Test
    void lineWithAKeyIsFoundBetweenWarningsAndAdvice() {
        ErrorLine line = ErrorLine.in("""
            mayfly: /opt/m belongs to user id 7, who can change what root runs here [other-owner]
            mayfly: building, once; this takes about a minute
            mayfly: there is no process 9 [no-such-process]
              mayfly ps lists the JVMs
                in two lines
            something else
            """);
        assertThat(line)
                .isEqualTo(new ErrorLine(
                        "there is no process 9 [no-such-process]",
                        "no-such-process",
                        "mayfly ps lists the JVMs\nin two lines"));
    }

    @Test
    void lastLineIsTheMessageIfNoneHasAKey() {
        assertThat(ErrorLine.in("one\nmayfly: MAYFLY_JAVA_HOME is /x, which is no JDK 25 or later\n\n"))
                .isEqualTo(new ErrorLine("MAYFLY_JAVA_HOME is /x, which is no JDK 25 or later", "", ""));
        assertThat(ErrorLine.in("sh: 1: exec: /x: not found"))
                .isEqualTo(new ErrorLine("sh: 1: exec: /x: not found", "", ""));
        assertThat(ErrorLine.in("")).isEqualTo(new ErrorLine("", "", ""));
    }
}
