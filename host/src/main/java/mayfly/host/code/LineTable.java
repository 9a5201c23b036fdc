package mayfly.host.code;

import java.util.ArrayList;
import java.util.List;
import mayfly.api.code.LineNumber;
import org.jspecify.annotations.Nullable;

/**
 * The line numbers of a method in HotSpot's compressed form: see CompressedLineNumberReadStream in method.hpp. An entry
 * is the difference from the entry before it: one byte, or an escape and two numbers in the encoding UNSIGNED5, which
 * does not use the byte 0 since JDK 20 (unsigned5.hpp).
 */
public final class LineTable {
    /** JVMS 4.7.12: the length of the table, the indices and the lines have 16 bits. */
    private static final int MAX = 65_535;

    private static final int END = 0;
    private static final int ESCAPE = 0xff;
    private static final int LINE_BITS = 3;
    private static final int HIGH_BITS = 6;
    private static final int MAX_BYTES = 5;
    private static final int WITHOUT_ZERO_SINCE = 20;

    private final byte[] bytes;
    private final int excluded;
    private int at;

    private LineTable(byte[] bytes, int excluded) {
        this.bytes = bytes;
        this.excluded = excluded;
    }

    /**
     * Returns the entries of a table, in its order; null if the bytes are not a table.
     *
     * @param bytes the table, and anything after it
     * @param feature the feature version of the JVM's Java
     */
    public static @Nullable List<LineNumber> decode(byte[] bytes, int feature) {
        return new LineTable(bytes, feature >= WITHOUT_ZERO_SINCE ? 1 : 0).entries();
    }

    private @Nullable List<LineNumber> entries() {
        List<LineNumber> entries = new ArrayList<>();
        int index = 0;
        int line = 0;
        for (int next = next(); next != END; next = next()) {
            if (next == ESCAPE) {
                index += signed();
                line += signed();
            } else {
                index += next >> LINE_BITS;
                line += next & (1 << LINE_BITS) - 1;
            }
            if (next < 0 || at > bytes.length || index < 0 || index > MAX || line < 0 || line > MAX) {
                return null;
            }
            if (entries.size() == MAX) {
                return null;
            }
            entries.add(new LineNumber(index, line));
        }
        return entries;
    }

    /** Returns the next byte; -1 after the end. */
    private int next() {
        return at < bytes.length ? bytes[at++] & 0xff : -1;
    }

    /** Returns the next number; after the end of the bytes, {@link #at} is greater than their number. */
    private int signed() {
        int low = 256 - (1 << HIGH_BITS) - excluded;
        int sum = 0;
        for (int i = 0; i < MAX_BYTES; i++) {
            int next = next() - excluded;
            if (next < 0) {
                at = bytes.length + 1;
                return 0;
            }
            sum += next << HIGH_BITS * i;
            if (next < low) {
                break;
            }
        }
        return sum >>> 1 ^ -(sum & 1);
    }
}
