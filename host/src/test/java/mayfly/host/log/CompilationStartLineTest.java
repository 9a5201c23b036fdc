package mayfly.host.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import mayfly.api.event.CompilationStart;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines as JDK 17 and 25 have logged them. */
class CompilationStartLineTest {
    @Test
    void methodHasItsNumberClassAndTier() {
        assertThat(CompilationStartLine.parse("   5       3       T::f (18 bytes)"))
                .isEqualTo(new CompilationStart(5, "T", "f", 3, OptionalInt.empty()));
        assertThat(CompilationStartLine.parse("12345   !   4       java.lang.Object::<init> (1 bytes)"))
                .isEqualTo(new CompilationStart(12345, "java.lang.Object", "<init>", 4, OptionalInt.empty()));
        assertThat(CompilationStartLine.parse("   7  s!b  1       a.B::c (d) (1 bytes)"))
                .isEqualTo(new CompilationStart(7, "a.B", "c (d)", 1, OptionalInt.empty()));
    }

    @Test
    void loopHasItsBytecodeIndex() {
        assertThat(CompilationStartLine.parse(" 298 %     3       Busy::hot @ 4 (26 bytes)"))
                .isEqualTo(new CompilationStart(298, "Busy", "hot", 3, OptionalInt.of(4)));
    }

    @Test
    void methodOfAJvmWithoutTiersHasTheHighestTier() {
        assertThat(CompilationStartLine.parse("   3             T::f (25 bytes)"))
                .isEqualTo(new CompilationStart(3, "T", "f", 4, OptionalInt.empty()));
        assertThat(CompilationStartLine.parse("1331    b        java.lang.invoke.MethodHandle::<clinit> (45 bytes)"))
                .isEqualTo(new CompilationStart(
                        1331, "java.lang.invoke.MethodHandle", "<clinit>", 4, OptionalInt.empty()));
        assertThat(CompilationStartLine.parse("   2 %           T::f @ 4 (25 bytes)"))
                .isEqualTo(new CompilationStart(2, "T", "f", 4, OptionalInt.of(4)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "   5       3       T::f (18 bytes)   made not entrant",
                "  12       4       T::hot (31 bytes)   made not entrant: uncommon trap",
                "   4     n 0       jdk.internal.misc.Unsafe::getReferenceVolatile (native)   ",
                "  16     n 0       java.lang.invoke.MethodHandle::linkToStatic(L)V (native)   (static)",
            })
    void lineAboutPresentCodeIsNoStart(String line) {
        assertThat(CompilationStartLine.isStart(line)).isFalse();
        assertThat(CompilationStartLine.parse(line)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " bytes)",
                " (1 bytes)",
                "   5 (1 bytes)",
                "   5       3 (1 bytes)",
                "   5       3       (1 bytes)",
                "   5       3       T::f(1 bytes)",
                "   5       3       f (1 bytes)",
                "   5       3       ::f (1 bytes)",
                "   5       3       T:: (1 bytes)",
                "   5       0       T::f (1 bytes)",
                "   5       5       T::f (1 bytes)",
                "   5       x       T::f (1 bytes)",
                "   x       3       T::f (1 bytes)",
                "99999999999999999999       3       T::f (1 bytes)",
                "   5             f (1 bytes)",
                "   5             T:: (1 bytes)",
                "   5             (1 bytes)",
                "   5 %           T::f (1 bytes)",
                "   5 %     3       T::f (1 bytes)",
                "   5 %     3       T::f @  (1 bytes)",
                "   5 %     3       T::f @ x (1 bytes)",
                "   5 %     3       T::f @ 65536 (1 bytes)",
                "   5 %     3       @ 1 (1 bytes)",
            })
    void otherLineIsNoStart(String line) {
        assertThat(CompilationStartLine.parse(line)).isNull();
    }
}
