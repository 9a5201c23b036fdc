package mayfly.binary.dwarf;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import mayfly.binary.BadFormat;
import mayfly.binary.Cursor;
import org.jspecify.annotations.Nullable;

/** An index from an address to the FDE that may cover it. */
public sealed interface EhFrameIndex {

    /**
     * Returns the position in .eh_frame of the last FDE that starts at or before the address, or -1 if there is none.
     *
     * @throws BadFormat if the index is malformed
     */
    long find(long vaddr) throws BadFormat;

    /**
     * The sorted table in .eh_frame_hdr, LSB Core 5 section 10.6.2, in the only form that linkers write: pairs of
     * 32-bit offsets from the address of the header.
     */
    record Header(MemorySegment table, long count, long headerVaddr, long frameVaddr) implements EhFrameIndex {
        @Override
        public long find(long vaddr) {
            long low = 0;
            long high = count;
            while (low < high) {
                long middle = (low + high) >>> 1;
                if (headerVaddr + table.get(Cursor.U32, middle * 8) <= vaddr) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low == 0 ? -1 : headerVaddr + table.get(Cursor.U32, (low - 1) * 8 + 4) - frameVaddr;
        }
    }

    /** An index built from all FDEs, for a file without such a table. */
    record Listed(long[] starts, long[] positions) implements EhFrameIndex {
        @Override
        public long find(long vaddr) {
            int i = Arrays.binarySearch(starts, vaddr);
            i = i >= 0 ? i : -i - 2;
            return i < 0 ? -1 : positions[i];
        }
    }

    /**
     * Returns the header's table, or null if it has none, or one in another form.
     *
     * @throws BadFormat if the header is malformed or cut off
     */
    static @Nullable Header header(Cursor in, MemorySegment bytes, long vaddr, long frameVaddr) throws BadFormat {
        in.skip(1);
        int frameEncoding = in.u8();
        int countEncoding = in.u8();
        int tableEncoding = in.u8();
        if (countEncoding == PointerEncoding.OMIT || tableEncoding != PointerEncoding.DATAREL_SDATA4) {
            return null;
        }
        PointerEncoding.read(in, frameEncoding, vaddr, vaddr);
        long count = PointerEncoding.read(in, countEncoding, vaddr, vaddr);
        if (count <= 0 || count > in.remaining() / 8) {
            throw in.bad("table of " + count + " entries in " + in.remaining() + " bytes");
        }
        return new Header(bytes.asSlice(in.position(), count * 8), count, vaddr, frameVaddr);
    }

    /** Upper bound on the listed FDEs. Linkers omit the table only in small files; a hostile file may be large. */
    int MAX_LISTED = 1 << 18;

    /** Reads all FDEs up to the first malformed entry. */
    static Listed list(EhFrame frames) {
        long[] starts = new long[1024];
        long[] positions = new long[1024];
        int n = 0;
        try {
            for (long at = 0; at >= 0 && at < frames.size() && n < MAX_LISTED; ) {
                long next = frames.next(at);
                if (next >= 0 && frames.isFde(at)) {
                    if (n == starts.length) {
                        starts = Arrays.copyOf(starts, 2 * n);
                        positions = Arrays.copyOf(positions, 2 * n);
                    }
                    starts[n] = frames.fde(at).start();
                    positions[n++] = at;
                }
                at = next;
            }
        } catch (BadFormat e) {
            // The index contains the entries before the malformed one.
        }
        return sorted(Arrays.copyOf(starts, n), positions);
    }

    private static Listed sorted(long[] starts, long[] positions) {
        Integer[] order = new Integer[starts.length];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, (a, b) -> Long.compare(starts[a], starts[b]));
        long[] s = new long[starts.length];
        long[] p = new long[starts.length];
        for (int i = 0; i < s.length; i++) {
            s[i] = starts[order[i]];
            p[i] = positions[order[i]];
        }
        return new Listed(s, p);
    }
}
