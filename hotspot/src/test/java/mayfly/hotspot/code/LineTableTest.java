package mayfly.hotspot.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.Unsigned5;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineTableTest {

    /** Encodes as CompressedLineNumberWriteStream::write_pair does. */
    private static byte[] encode(List<int[]> pairs, int excluded) {
        byte[] out = {};
        int bci = 0;
        int line = 0;
        for (int[] pair : pairs) {
            int bciDelta = pair[0] - bci;
            int lineDelta = pair[1] - line;
            bci = pair[0];
            line = pair[1];
            boolean small = bciDelta >= 0 && bciDelta < 32 && lineDelta >= 0 && lineDelta < 8;
            int one = bciDelta << 3 | lineDelta;
            // 0xff is the escape, and 0 the end.
            out = small && one != 0xff && one != 0
                    ? Unsigned5.join(out, new byte[] {(byte) one})
                    : Unsigned5.join(
                            out,
                            new byte[] {(byte) 0xff},
                            Unsigned5.encodeSigned(bciDelta, excluded),
                            Unsigned5.encodeSigned(lineDelta, excluded));
        }
        return Arrays.copyOf(out, out.length + 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void randomLineTableIsReadAsWritten(int excluded) throws Exception {
        Random random = new Random(8);
        for (int i = 0; i < 300; i++) {
            List<int[]> pairs = new ArrayList<>();
            TreeMap<Integer, Integer> model = new TreeMap<>();
            for (int n = random.nextInt(60); n > 0; n--) {
                // In any order: javac writes the tables of loops and finally blocks that way.
                int bci = random.nextInt(i % 2 == 0 ? 200 : 65_535);
                int line = random.nextInt(i % 3 == 0 ? 50 : 65_535);
                pairs.add(new int[] {bci, line});
                model.put(bci, line);
            }
            byte[] bytes = Unsigned5.join(new byte[] {1, 2, 3}, encode(pairs, excluded), new byte[] {9, 9});
            LineTable table = LineTable.decode(bytes, 3, excluded);
            for (int bci = 0; bci < 250; bci++) {
                assertThat(table.line(bci))
                        .isEqualTo(
                                model.floorEntry(bci) == null
                                        ? -1
                                        : model.floorEntry(bci).getValue());
            }
        }
    }

    @Test
    void lineTableEscapesAreDecoded() throws Exception {
        // (0, 300) needs the escape; (31, 307) would be the byte 0xff and needs it too; (36, 309) is one byte.
        byte[] bytes = encode(List.of(new int[] {0, 300}, new int[] {31, 307}, new int[] {36, 309}), 1);
        assertThat(bytes).startsWith(0xff).endsWith(5 << 3 | 2, 0);
        LineTable table = LineTable.decode(bytes, 0, 1);
        assertThat(table.line(30)).isEqualTo(300);
        assertThat(table.line(31)).isEqualTo(307);
        assertThat(table.line(40)).isEqualTo(309);
    }

    @Test
    void emptyLineTableHasNoLines() {
        assertThat(LineTable.EMPTY.line(0)).isEqualTo(-1);
    }

    @Test
    void lineTableWithoutEndIsRefused() {
        byte[] endless = new byte[200_000];
        Arrays.fill(endless, (byte) 1);
        assertThatThrownBy(() -> LineTable.decode(endless, 0, 0))
                .isInstanceOf(BadMetadata.class)
                .hasMessageContaining("more than 65536 entries");
        assertThatThrownBy(() -> LineTable.decode(new byte[] {1, 1}, 0, 0)).isInstanceOf(BadMetadata.class);
        assertThatThrownBy(() -> LineTable.decode(new byte[] {(byte) 0xff, 1}, 0, 0))
                .isInstanceOf(BadMetadata.class);
    }
}
