package mayfly.arch.x86;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoutineEndTest {

    @ParameterizedTest
    @CsvSource({
        "53 c3 90 90, 4, true",
        "53 c3 66 0f 1f 44 00 00, 8, true",
        "53 c3 f4, 3, true",
        "53 c3, 2, true", // at the end of the code
        "53 c3 53, 2, false", // a return, or the last byte of another instruction
        "53 90 90, 3, false",
        "90 90, 2, false",
        "c3 90 53, 3, false",
        "53, 0, false",
    })
    void routineEndsWithAReturnAndPadding(String hex, int end, boolean expected) {
        byte[] code = HexFormat.of().parseHex(hex.replace(" ", ""));
        assertThat(RoutineEnd.at(code, end)).isEqualTo(expected);
    }
}
