package mayfly.corpus.python;

/**
 * A code object.
 *
 * @param name its qualified name
 * @param file the file that it was compiled from
 * @param firstLine its first line
 * @param lines its table of line numbers, see Objects/locations.md in the sources of CPython
 */
record Code(String name, String file, int firstLine, byte[] lines) {
    private static final int UNIT = 2;
    private static final int ONE_LINE = 10;
    private static final int NO_COLUMNS = 13;
    private static final int LONG = 14;
    private static final int NONE = 15;

    /** Returns the line of the instruction at an offset in bytes, or -1 if the table does not contain it. */
    int line(long offset) {
        Table table = new Table(lines);
        int line = firstLine;
        for (long end = 0; table.hasNext(); ) {
            int head = table.next();
            int form = head >>> 3 & 15;
            line += lineDelta(form, table);
            end += (long) UNIT * ((head & 7) + 1);
            if (offset < end) {
                return offset < 0 || form == NONE ? -1 : line;
            }
        }
        return -1;
    }

    /** Reads the rest of an entry. Returns the difference between its line and that of the previous entry. */
    private static int lineDelta(int form, Table table) {
        switch (form) {
            case NONE -> {
                return 0;
            }
            case NO_COLUMNS -> {
                return table.nextSigned();
            }
            case LONG -> {
                int delta = table.nextSigned();
                for (int i = 0; i < 3; i++) {
                    table.nextNumber();
                }
                return delta;
            }
            default -> {
                table.next();
                if (form < ONE_LINE) {
                    return 0;
                }
                table.next();
                return form - ONE_LINE;
            }
        }
    }

    /** A position in the table. It reads zeros beyond the end. */
    private static final class Table {
        private final byte[] bytes;
        private int at;

        Table(byte[] bytes) {
            this.bytes = bytes;
        }

        boolean hasNext() {
            return at < bytes.length;
        }

        int next() {
            return hasNext() ? bytes[at++] & 0xff : 0;
        }

        int nextNumber() {
            int number = 0;
            int part = 0x40;
            for (int shift = 0; (part & 0x40) != 0 && shift < Integer.SIZE; shift += 6) {
                part = next();
                number |= (part & 0x3f) << shift;
            }
            return number;
        }

        int nextSigned() {
            int number = nextNumber();
            return (number & 1) != 0 ? -(number >>> 1) : number >>> 1;
        }
    }
}
