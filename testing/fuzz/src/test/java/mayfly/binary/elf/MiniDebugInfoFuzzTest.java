package mayfly.binary.elf;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Any bytes as .gnu_debugdata decompress to a bounded number of bytes, or are refused with an IOException.
 */
class MiniDebugInfoFuzzTest {
    @FuzzTest
    void decompress(byte[] section) {
        try {
            assertThat(MiniDebugInfo.decompressed(MemorySegment.ofArray(section)).length)
                    .isLessThanOrEqualTo(MiniDebugInfo.MAX_SIZE + 1);
        } catch (IOException e) {
            assertThat(e).isInstanceOf(IOException.class);
        }
    }
}
