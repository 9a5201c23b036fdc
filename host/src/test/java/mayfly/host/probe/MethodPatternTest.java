package mayfly.host.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MethodPatternTest {
    @ParameterizedTest
    @CsvSource({
        "p.C.run, p.C, run, ()V",
        "C.run, C, run, ()V",
        "p.*.run, p.q.C, run, ()V",
        "p.*.run, p.C$D, run, ()V",
        "*.*, C, run, ()V",
        "*.*, java.util.Map$Entry, <init>, ()V",
        "p.C.*, p.C, <clinit>, ()V",
        "p.C.<init>, p.C, <init>, (I)V",
        "p.C*.r*n, p.C, rn, ()V",
        "p.C*.r*n, p.CC, rnnrn, ()V",
        "*C**.*get*, p.C, forget, ()V",
        "p.C.run()V, p.C, run, ()V",
        "'p.C.run([[IJLp/q/D;[Z)[Ljava/lang/String;', p.C, run, '([[IJLp/q/D;[Z)[Ljava/lang/String;'",
        "p.Grüße.löse, p.Grüße, löse, ()V",
    })
    void patternMatchesTheMethod(String text, String className, String method, String descriptor) throws Exception {
        MethodPattern pattern = MethodPattern.parse(text);
        assertThat(pattern.matchesClass(className)).isTrue();
        assertThat(pattern.matchesMethod(method, descriptor)).isTrue();
        assertThat(pattern).hasToString(text);
    }

    @ParameterizedTest
    @CsvSource({
        "p.C.run, p.D, run, ()V",
        "p.C.run, p.C, runs, ()V",
        "p.C.run, p.C, ru, ()V",
        "p.C.run, pXC, run, ()V",
        "p.*.run, p, run, ()V",
        "p.C*D.run, p.CDx, run, ()V",
        "p.C.run()V, p.C, run, (I)V",
        "p.C.run()V, p.C, run, ()I",
        "C.run, p.C, run, ()V",
    })
    void patternDoesNotMatchTheMethod(String text, String className, String method, String descriptor)
            throws Exception {
        MethodPattern pattern = MethodPattern.parse(text);
        assertThat(pattern.matchesClass(className) && pattern.matchesMethod(method, descriptor))
                .isFalse();
    }

    private static void assertRefused(String text, String reason) {
        assertThatExceptionOfType(MalformedPattern.class)
                .isThrownBy(() -> MethodPattern.parse(text))
                .withMessageStartingWith("the pattern ")
                .withMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource({
        "'', empty",
        "run, names no class",
        "*, names no class",
        "()V, names no class",
        ".run, empty name",
        "p.C., empty name",
        "p..C.run, empty name",
        ".p.C.run, empty name",
        "p/C.run, written with dots",
        "p.C.run;, written with dots",
        "'p.[C.run', written with dots",
        "p.C.run)V, written with dots",
        "p C.run, blank or a control",
        "p.C.r\u0007un, blank or a control",
        "p.<C>.run, < or >",
        "p.C.<run>, < or >",
        "p.C.<*, < or >",
        "p.C.run(, no valid descriptor",
        "p.C.run(), no valid descriptor",
        "p.C.run(V)V, no valid descriptor",
        "p.C.run()VV, no valid descriptor",
        "p.C.run(I, no valid descriptor",
        "p.C.run(L;)V, no valid descriptor",
        "p.C.run(Lp/D)V, no valid descriptor",
        "p.C.run(Lp.D;)V, no valid descriptor",
        "p.C.run(L*;)V, no valid descriptor",
        "p.C.run()[, no valid descriptor",
        "p.C.run(*)V, no valid descriptor",
    })
    void textThatIsNoPatternIsRefusedWithTheReason(String text, String reason) {
        assertRefused(text, reason);
    }

    @Test
    void arrayOfTooManyDimensionsIsRefused() throws Exception {
        assertThat(MethodPattern.parse("C.run(" + "[".repeat(255) + "I)V").matchesClass("C"))
                .isTrue();
        assertRefused("C.run(" + "[".repeat(256) + "I)V", "no valid descriptor");
    }

    /** Without a bound, each further star would multiply the time. */
    @Test
    void patternIsBoundedAndManyStarsMatchInTime() throws Exception {
        assertRefused("C." + "a".repeat(MethodPattern.MAX_LENGTH), "more than 1000 characters");
        MethodPattern pattern = MethodPattern.parse("*a".repeat(400) + "b.run");
        Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> assertThat(pattern.matchesClass("a".repeat(60_000))).isFalse());
    }
}
