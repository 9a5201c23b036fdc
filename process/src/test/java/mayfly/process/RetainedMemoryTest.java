package mayfly.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

class RetainedMemoryTest {
    private static final int PAGE = 4096;
    private static final int PAGES = 64;
    private static final int UNMAPPED = 21;

    /** A memory of 64 pages, of which one is not mapped. Its content depends on the version. */
    private static final class Source implements Memory {
        private int version;
        private int reads;

        @Override
        public void read(long address, byte[] to, int offset, int length) throws MemoryFault {
            reads++;
            for (int i = 0; i < length; i++) {
                long at = address + i;
                if (at < 0 || at >= (long) PAGES * PAGE || at / PAGE == UNMAPPED) {
                    throw new MemoryFault(address, length);
                }
                to[offset + i] = byteAt(at);
            }
        }

        byte byteAt(long address) {
            return (byte) ((address * 0x9E3779B97F4A7C15L >>> 40) + version);
        }
    }

    private final Source source = new Source();

    @Test
    void readsEqualTheSource() throws Exception {
        RetainedMemory memory = new RetainedMemory(source, 1 << 20);
        Random random = new Random(1);
        for (int i = 0; i < 5_000; i++) {
            long address = random.nextInt(UNMAPPED * PAGE - 64);
            byte[] bytes = new byte[random.nextInt(64)];
            memory.read(address, bytes, 0, bytes.length);
            for (int at = 0; at < bytes.length; at++) {
                assertThat(bytes[at]).isEqualTo(source.byteAt(address + at));
            }
            assertThat(memory.readLong(address)).isEqualTo(source.readLong(address));
            assertThat(memory.readInt(address)).isEqualTo(source.readInt(address));
            assertThat(memory.readShort(address)).isEqualTo(source.readShort(address));
            assertThat(memory.readByte(address)).isEqualTo(source.readByte(address));
        }
    }

    @Test
    void longsThatCrossPagesEqualTheSource() throws Exception {
        RetainedMemory memory = new RetainedMemory(source, 1 << 20);
        for (long address : new long[] {8, PAGE - 16, 3 * PAGE - 3}) {
            long[] expected = new long[2 * PAGE / 8];
            long[] actual = new long[expected.length];
            source.readLongs(address, expected, expected.length);
            memory.readLongs(address, actual, actual.length);
            assertThat(actual).isEqualTo(expected);
        }
    }

    @Test
    void sealedMemoryHasWhatWasReadBefore() throws Exception {
        RetainedMemory memory = new RetainedMemory(source, 1 << 20);
        long before = memory.readLong(5 * PAGE);
        memory.retain(8 * PAGE + 100, 2 * PAGE);
        long last = source.readLong(10 * PAGE + 92);
        source.version++;
        memory.seal();
        int reads = source.reads;
        assertThat(memory.readLong(5 * PAGE)).isEqualTo(before);
        assertThat(memory.readLong(10 * PAGE + 92)).isEqualTo(last);
        assertThatThrownBy(() -> memory.readLong(40 * PAGE)).isInstanceOf(MemoryFault.class);
        assertThat(source.reads).isEqualTo(reads);
        assertThat(memory.isFull()).isFalse();
    }

    @Test
    void clearedMemoryIsCopiedAgain() throws Exception {
        RetainedMemory memory = new RetainedMemory(source, 1 << 20);
        memory.readLong(64);
        source.version++;
        memory.clear();
        assertThat(memory.readLong(64)).isEqualTo(source.readLong(64));
    }

    @Test
    void pagesBesideAnUnmappedOneAreRead() throws Exception {
        RetainedMemory memory = new RetainedMemory(source, 1 << 20);
        for (int page : new int[] {UNMAPPED - 1, UNMAPPED + 1}) {
            assertThat(memory.readLong((long) page * PAGE)).isEqualTo(source.readLong((long) page * PAGE));
        }
        assertThatThrownBy(() -> memory.readLong((long) UNMAPPED * PAGE)).isInstanceOf(MemoryFault.class);
        assertThat(memory.isFull()).isFalse();
    }

    @Test
    void readBeyondTheBoundFailsAndIsReported() throws Exception {
        RetainedMemory memory = new RetainedMemory(source, 8 * PAGE);
        memory.retain(0, 8 * PAGE);
        assertThat(memory.retainedBytes()).isEqualTo(8 * PAGE);
        assertThatThrownBy(() -> memory.readLong(30 * PAGE)).isInstanceOf(MemoryFault.class);
        assertThat(memory.isFull()).isTrue();
        assertThat(memory.readLong(7 * PAGE)).isEqualTo(source.readLong(7 * PAGE));
    }
}
