package mayfly.arch.x86;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import mayfly.arch.Architecture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProbePlaceTest {
    @ParameterizedTest
    @CsvSource({
        "55 48 89 e5 41 57 41 56, 0",
        "41 57 41 56 55 48 89 e5, 0",
        "90 55 48 89 e5 41 57 41, 0",
        "f3 0f 1e fa 55 48 89 e5, 4",
        "f3 0f 1e fa 41 57 41 56, 4",
    })
    void placeIsTheFirstInstructionAfterTheMarkIfItIsEmulated(String code, int offset) {
        assertThat(offset(code)).isEqualTo(offset);
    }

    @ParameterizedTest
    @CsvSource({
        "48 83 ec 18 48 89 e5 41",
        "0f 1f 44 00 00 55 48 89",
        "f3 0f 1e fa 48 83 ec 18",
        "f3 0f 1e fa 0f 1f 44 00",
        "cc 48 89 e5 41 57 41 56",
        "41 90 41 56 55 48 89 e5",
        "e9 00 00 00 00 55 48 89",
        "f3 0f 1e",
        "41",
    })
    void functionWithAnotherFirstInstructionHasNoPlace(String code) {
        assertThat(offset(code)).isEqualTo(Architecture.NONE);
    }

    private static int offset(String code) {
        return X86_64.ARCHITECTURE
                .instructions()
                .probeOffset(HexFormat.ofDelimiter(" ").parseHex(code));
    }
}
