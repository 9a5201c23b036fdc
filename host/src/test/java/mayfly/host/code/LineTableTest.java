package mayfly.host.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import mayfly.api.code.LineNumber;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Line numbers in HotSpot's compressed form, written as the JVM writes them. */
class LineTableTest {

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    private static @Nullable List<String> decoded(int feature, int... values) {
        List<LineNumber> lines = LineTable.decode(bytes(values), feature);
        return lines == null
                ? null
                : lines.stream()
                        .map(each -> each.bytecodeIndex() + ":" + each.line())
                        .toList();
    }

    @Test
    void shortEntriesAreDifferencesInOneByte() {
        assertThat(decoded(17, 0x02, 5 << 3 | 1, 31 << 3 | 6, 0, 0x08)).containsExactly("0:2", "5:3", "36:9");
    }

    /** UNSIGNED5 of 2 * 100 and of 2 * 1 - 1, which is -1. Since JDK 20 each byte is greater by one. */
    @Test
    void longEntriesHaveTwoSignedNumbers() {
        assertThat(decoded(17, 0x07, 0xff, 200, 0, 1, 0)).containsExactly("0:7", "100:6");
        assertThat(decoded(25, 0x07, 0xff, 201, 1, 2, 0)).containsExactly("0:7", "100:6");
    }

    /** From 192 on (191 since JDK 20) a number has more than one byte. */
    @Test
    void numbersHaveUpToFiveBytes() {
        assertThat(decoded(17, 0xff, 0, 192, 1, 0)).containsExactly("0:128");
        assertThat(decoded(25, 0xff, 1, 193, 2, 0)).containsExactly("0:128");
    }

    @Test
    void tableWithoutItsEndIsRefused() {
        for (int[] cut : List.of(
                new int[] {},
                new int[] {0x0a},
                new int[] {0xff},
                new int[] {0xff, 2},
                new int[] {0xff, 2, 200},
                new int[] {0xff, 255, 255, 255, 255, 255})) {
            assertThat(decoded(25, cut)).as("%d bytes", cut.length).isNull();
        }
    }

    @Test
    void impossibleIndicesAndLinesAreRefused() {
        assertThat(decoded(17, 0xff, 1, 2, 0)).as("index -1").isNull();
        assertThat(decoded(17, 0xff, 2, 1, 0)).as("line -1").isNull();
        assertThat(decoded(17, 0xff, 255, 255, 255, 255, 2, 2, 0))
                .as("a large index")
                .isNull();
    }

    @Test
    void tableOfMoreThan65535EntriesIsRefused() {
        byte[] many = new byte[65_537];
        Arrays.fill(many, 0, 65_535, (byte) 1);
        List<LineNumber> lines = Objects.requireNonNull(LineTable.decode(many, 25));
        assertThat(lines).hasSize(65_535).last().isEqualTo(new LineNumber(0, 65_535));
        many[65_535] = 8;
        assertThat(LineTable.decode(many, 25)).isNull();
    }
}
