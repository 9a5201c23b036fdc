package mayfly.hotspot.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompressedBytesTest {
    private static final int[] EDGES = {
        0,
        1,
        190,
        191,
        192,
        193,
        254,
        255,
        256,
        12_479,
        12_480,
        0xffff,
        1 << 24,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        -1,
        -192
    };

    /** Both encodings: all byte values since JDK 1.4, and without the zero byte since JDK 20. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void compressedNumbersAreReadAsHotSpotWritesThem(int excluded) throws Exception {
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            int n = i < EDGES.length ? EDGES[i] : random.nextInt() >>> random.nextInt(32);
            byte[] bytes = Unsigned5.join(Unsigned5.encode(n, excluded), Unsigned5.encodeSigned(-n, excluded));
            CompressedBytes in = new CompressedBytes(bytes, 0, excluded);
            assertThat(in.readUnsigned()).isEqualTo(n);
            assertThat(in.readSigned()).isEqualTo(-n);
            assertThat(in.position()).isEqualTo(bytes.length);
            if (excluded == 1) {
                assertThat(bytes).doesNotContain(0);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void readBeyondTheEndIsRefused(int excluded) {
        for (int at : new int[] {-1, 3, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertBad(new CompressedBytes(new byte[3], at, excluded));
        }
        assertBad(new CompressedBytes(new byte[] {(byte) 0xc8, (byte) 0xc8}, 0, excluded));
    }

    /** A number has at most five bytes, whatever their values. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void compressedNumberHasAtMostFiveBytes(int excluded) throws Exception {
        byte[] bytes = new byte[16];
        java.util.Arrays.fill(bytes, (byte) 0xff);
        CompressedBytes in = new CompressedBytes(bytes, 0, excluded);
        in.readUnsigned();
        assertThat(in.position()).isEqualTo(5);
    }

    private static void assertBad(CompressedBytes in) {
        assertThatThrownBy(in::readUnsigned)
                .isInstanceOf(BadMetadata.class)
                .hasMessageContaining("compressed data ends");
    }
}
