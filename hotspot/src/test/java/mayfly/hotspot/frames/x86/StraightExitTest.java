package mayfly.hotspot.frames.x86;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StraightExitTest {

    private static int returnAt(String hex) {
        return StraightExit.returnAt(HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    /**
     * Continuation.doYield of JDK 25, from the point where it has taken the stack pointer from the continuation's
     * entry.
     */
    @ParameterizedTest
    @CsvSource({
        "'49 89 9f 18 06 00 00 48 8b 5c 24 28 49 89 9f 20 06 00 00 48 83 c4 40 5d c3', 72",
        "'48 83 c4 40 5d c3', 72",
        "'5d c3', 8",
        "c3, 0",
    })
    void straightLineExitHasItsReturnAddressAboveItsPops(String hex, int expected) {
        assertThat(returnAt(hex)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "'58 c3', rbp is not restored",
        "'5d 58 c3', rbp is not what lies below the return address",
        "'74 02 5d c3', a branch",
        "'e8 00 00 00 00 5d c3', a call",
        "'48 8b a7 00 01 00 00 5d c3', the stack pointer is loaded",
        "'48 89 c4 5d c3', the stack pointer is set",
        "'48 83 ec 10 5d c3', the stack pointer is lowered",
        "'48 83 c4 40 5d', its end is not there",
        "'', nothing",
    })
    void otherCodeHasNoStraightLineExit(String hex, String why) {
        assertThat(returnAt(hex)).as(why).isEqualTo(-1);
    }
}
