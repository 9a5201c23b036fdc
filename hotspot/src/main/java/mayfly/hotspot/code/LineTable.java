package mayfly.hotspot.code;

import java.util.Arrays;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.CompressedBytes;

/**
 * The line numbers of one method, from its compressed table: see CompressedLineNumberReadStream in method.hpp.
 *
 * <p>The entries need not be sorted: the line of a bytecode is that of the entry with the largest index not above it.
 */
final class LineTable {
    static final LineTable EMPTY = new LineTable(new int[0]);
    private static final int ESCAPE = 0xff;
    private static final int MAX_ENTRIES = 65_536;

    /** Pairs of bytecode index and line. */
    private final int[] entries;

    private LineTable(int[] entries) {
        this.entries = entries;
    }

    /** Decodes a table that starts at {@code from} in the bytes. Bytes after its end are ignored. */
    static LineTable decode(byte[] bytes, int from, int excludedBytes) throws BadMetadata {
        CompressedBytes in = new CompressedBytes(bytes, from, excludedBytes);
        int[] entries = new int[32];
        int n = 0;
        int bci = 0;
        int line = 0;
        for (int b; (b = in.readByte()) != 0; n += 2) {
            if (b == ESCAPE) {
                bci += in.readSigned();
                line += in.readSigned();
            } else {
                bci += b >> 3;
                line += b & 7;
            }
            if (n >= 2 * MAX_ENTRIES) {
                throw new BadMetadata("a line table of more than " + MAX_ENTRIES + " entries");
            }
            if (n == entries.length) {
                entries = Arrays.copyOf(entries, n * 2);
            }
            entries[n] = bci;
            entries[n + 1] = line;
        }
        return new LineTable(Arrays.copyOf(entries, n));
    }

    /** Returns the line of a bytecode index, or -1 if the table has none. */
    int line(int bci) {
        int best = -1;
        int line = -1;
        for (int i = 0; i < entries.length; i += 2) {
            if (entries[i] <= bci && entries[i] >= best) {
                best = entries[i];
                line = entries[i + 1];
            }
        }
        return line;
    }
}
