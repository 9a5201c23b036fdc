package mayfly.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PagedMemoryTest {
    private static final int PAGE = 4096;

    /**
     * A source with 4 KiB pages that contain noise: all pages below 32 KiB, and every second page below 64 MiB. Reads
     * of other pages fault.
     */
    private static final class Source implements Memory {
        int version;

        @Override
        public void read(long address, byte[] to, int offset, int length) throws MemoryFault {
            for (long at = address; at < address + length; at++) {
                if (!isMapped(at)) {
                    throw new MemoryFault(address, length);
                }
            }
            for (int i = 0; i < length; i++) {
                to[offset + i] = byteAt(address + i);
            }
        }

        static boolean isMapped(long address) {
            long page = address / PAGE;
            return address >= 0 && page < 16_384 && (page < 8 || page % 2 == 0);
        }

        byte byteAt(long address) {
            return (byte) ((address * 0x9E3779B97F4A7C15L + version >>> 32) & 0xff);
        }
    }

    @Test
    void cachedReadEqualsTheSource() throws Exception {
        Source source = new Source();
        PagedMemory paged = new PagedMemory(source);
        Random random = new Random(1);
        for (int i = 0; i < 30_000; i++) {
            int span = random.nextBoolean() ? 12 * PAGE : 9000 * PAGE;
            long address = random.nextInt(3) == 0
                    ? random.nextInt(span / PAGE) * (long) PAGE - random.nextInt(9)
                    : random.nextInt(span);
            int length = random.nextInt(20) == 0 ? random.nextInt(3 * PAGE) : random.nextInt(40);
            check(source, paged, address, length, "operation " + i);
            if (random.nextInt(3000) == 0) {
                source.version++;
                paged.forget();
            }
        }
    }

    private static void check(Source source, PagedMemory paged, long address, int length, String what)
            throws MemoryFault {
        int[] widths = {1, 2, 4, 8, length};
        for (int i = 0; i < widths.length; i++) {
            byte[] expected = new byte[widths[i]];
            boolean faults = false;
            try {
                source.read(address, expected, 0, expected.length);
            } catch (MemoryFault e) {
                faults = true;
            }
            int kind = i;
            if (faults) {
                assertThatThrownBy(() -> read(paged, address, kind, expected.length))
                        .as(what)
                        .isInstanceOf(MemoryFault.class);
            } else {
                assertThat(read(paged, address, kind, expected.length)).as(what).isEqualTo(expected);
            }
        }
    }

    private static byte[] read(PagedMemory paged, long address, int kind, int length) throws MemoryFault {
        if (kind == 4) {
            byte[] bytes = new byte[length + 3];
            paged.read(address, bytes, 2, length);
            return Arrays.copyOfRange(bytes, 2, 2 + length);
        }
        long value = switch (kind) {
            case 0 -> paged.readByte(address);
            case 1 -> paged.readShort(address);
            case 2 -> paged.readInt(address);
            default -> paged.readLong(address);
        };
        if (kind < 2) {
            assertThat(value >>> (8 << kind)).as("not sign-extended").isZero();
        }
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (value >>> 8 * i);
        }
        return bytes;
    }

    @Test
    void pageIsReadOnceUntilForget() throws Exception {
        Source source = new Source();
        PagedMemory paged = new PagedMemory(source);
        long first = paged.readLong(64);
        assertThat(paged.readLong(64)).isEqualTo(first);
        paged.readByte(4095);
        assertThat(paged.pageReads()).isEqualTo(1);
        source.version = 1;
        assertThat(paged.readLong(64)).isEqualTo(first);
        paged.forget();
        assertThat(paged.readByte(64)).isEqualTo(source.byteAt(64) & 0xff);
        assertThat(paged.pageReads()).isEqualTo(2);
    }

    /** Reads of more pages than the cache holds are correct, and reads of the highest addresses fault. */
    @Test
    void readsOfMorePagesThanTheCacheHoldsAreCorrect() throws Exception {
        Source source = new Source();
        PagedMemory paged = new PagedMemory(source);
        for (int round = 0; round < 2; round++) {
            for (long page = 0; page < 16_384; page += 2) {
                assertThat(paged.readByte(page * PAGE + 5)).isEqualTo(source.byteAt(page * PAGE + 5) & 0xff);
            }
        }
        assertThat(paged.pageReads()).isBetween(8192L, 16_384L);
        for (long address : new long[] {-1, -8, -4096, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> paged.readLong(address)).isInstanceOf(MemoryFault.class);
        }
    }

    @Test
    void aFaultNamesItsAddress() {
        assertThatThrownBy(() -> new Source().readInt(9 * PAGE + 16))
                .isInstanceOf(MemoryFault.class)
                .hasMessage("cannot read 4 bytes at 0x9010");
    }
}
