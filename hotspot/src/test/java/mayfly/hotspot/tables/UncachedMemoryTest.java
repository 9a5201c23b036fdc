package mayfly.hotspot.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.PagedMemory;
import org.junit.jupiter.api.Test;

class UncachedMemoryTest {
    private final ForgedMemory forged = new ForgedMemory();
    private final ForgedMemory.Region region = forged.map(0x10000, 4096);

    @Test
    void uncachedReadReturnsTheCurrentContents() throws Exception {
        PagedMemory paged = new PagedMemory(forged);
        Memory uncached = new UncachedMemory(paged);
        forged.putInt(0x10004, 1);
        assertThat(paged.readInt(0x10004)).isEqualTo(1);
        forged.putInt(0x10004, 2);
        assertThat(paged.readInt(0x10004)).isEqualTo(1);
        assertThat(uncached.readInt(0x10004)).isEqualTo(2);
    }

    @Test
    void anyRangeUpToTheEndOfAMappingIsRead() throws Exception {
        Memory uncached = new UncachedMemory(forged);
        for (int i = 0; i < 4096; i++) {
            forged.putByte(region.base + i, i * 7);
        }
        for (int offset = 0; offset < 9; offset++) {
            for (int length = 0; length < 30; length++) {
                byte[] read = new byte[length];
                byte[] expected = new byte[length];
                long address = region.end() - 40 + offset;
                uncached.read(address, read, 0, length);
                forged.read(address, expected, 0, length);
                assertThat(read).isEqualTo(expected);
            }
        }
        assertThat(uncached.readByte(region.end() - 1)).isEqualTo(4095 * 7 & 0xff);
        assertThatThrownBy(() -> uncached.readInt(region.end() - 2)).isInstanceOf(MemoryFault.class);
    }
}
