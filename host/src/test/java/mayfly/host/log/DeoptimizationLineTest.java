package mayfly.host.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import mayfly.api.event.Deoptimization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines as JDK 25 has logged them. */
class DeoptimizationLineTest {
    private static final String END = " pc=0x00007f19abec7bcc relative_pc=0x000000000000004c";

    @Test
    void trapHasItsPlaceReasonAndAction() {
        assertThat(DeoptimizationLine.parse(
                        "cid=   8     level=4 T.f(ILjava/lang/Object;)I trap_bci=1 class_check maybe_recompile" + END))
                .isEqualTo(new Deoptimization(
                        8,
                        "T",
                        "f",
                        "(ILjava/lang/Object;)I",
                        1,
                        4,
                        OptionalInt.empty(),
                        "class_check",
                        "maybe_recompile"));
        assertThat(DeoptimizationLine.parse(
                        "cid=12345     level=4 a.b.C x.<init>()V trap_bci=65535 unstable_if reinterpret" + END))
                .as("a class with a blank in its name")
                .isEqualTo(new Deoptimization(
                        12345,
                        "a.b.C x",
                        "<init>",
                        "()V",
                        65535,
                        4,
                        OptionalInt.empty(),
                        "unstable_if",
                        "reinterpret"));
    }

    @Test
    void trapInALoopHasTheLoop() {
        assertThat(DeoptimizationLine.parse(
                        "cid=  11 osr level=4 T.hot(J)J trap_bci=7 osr_bci=5 profile_predicate none" + END))
                .isEqualTo(new Deoptimization(
                        11, "T", "hot", "(J)J", 7, 4, OptionalInt.of(5), "profile_predicate", "none"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "cid=",
                "cid= trap_bci=",
                "cid=   8     level=4 T.f()I class_check none pc=0x1",
                "cid=   8     level=4 T.f()I trap_bci=1 class_check none",
                "cid=   8     level=4 T.f()I trap_bci=1 class_check pc=0x1",
                "cid=   8     level=4 T.f()I trap_bci=1 class_check none more pc=0x1",
                "cid=   8     level=4 T.f()I trap_bci=x class_check none pc=0x1",
                "cid=   8     level=4 T.f()I trap_bci=65536 class_check none pc=0x1",
                "cid=   8 osr level=4 T.f()I trap_bci=1 osr_bci=x class_check none pc=0x1",
                "cid=   8     level=5 T.f()I trap_bci=1 class_check none pc=0x1",
                "cid=   8     level= T.f()I trap_bci=1 class_check none pc=0x1",
                "cid=   x     level=4 T.f()I trap_bci=1 class_check none pc=0x1",
                "cid=99999999999999999999 level=4 T.f()I trap_bci=1 class_check none pc=0x1",
                "cid=   8     level=4 f()I trap_bci=1 class_check none pc=0x1",
                "cid=   8     level=4 T.()I trap_bci=1 class_check none pc=0x1",
                "cid=   8     level=4 T.f trap_bci=1 class_check none pc=0x1",
                "cid=   8     level=4 trap_bci=1 class_check none pc=0x1",
                " cid=   8     level=4 T.f()I trap_bci=1 class_check none pc=0x1",
            })
    void otherLineIsNoDeoptimization(String line) {
        assertThat(DeoptimizationLine.parse(line)).isNull();
    }
}
