package mayfly.linux.proc;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import mayfly.linux.sys.Cpu;
import org.jspecify.annotations.Nullable;

/** The functions of the kernel by address, from /proc/kallsyms, see proc_kallsyms(5). */
public final class KernelSymbols {
    private static final int MAX_FILE = 256 << 20;
    /** The part of the text that is read at once, and an upper bound on the length of a line. */
    private static final int PART = 1 << 16;

    /** Upper bound on the length of a function. */
    private static final long MAX_FUNCTION = 1 << 20;

    private static final long CODE = Cpu.ABI.kernelCode();
    private static final long CODE_SIZE = 1L << 31;
    private static final long LOW_HALF = 0xffff_ffffL;

    /** The names, each terminated by a line feed. */
    private final byte[] names;
    /**
     * Offset of the address from {@link #CODE} in the high half, position of the name in {@code names} in the low half;
     * sorted.
     */
    private final long[] entries;

    private KernelSymbols(byte[] names, long[] entries) {
        this.names = names;
        this.entries = entries;
    }

    /**
     * Reads the symbols, which takes some 100 ms; returns none if kernel.kptr_restrict or missing privileges hide the
     * addresses.
     */
    public static KernelSymbols read() {
        try (InputStream in = new FileInputStream("/proc/kallsyms")) {
            return parse(in);
        } catch (IOException e) {
            return none();
        }
    }

    /** Returns an empty set of symbols: no address has a name. */
    public static KernelSymbols none() {
        return new KernelSymbols(new byte[0], new long[0]);
    }

    /**
     * Parses lines of {@code ffffffff81000000 T name\t[module]}. Returns none if the first address is hidden. The text
     * is not kept as a whole: the heap would stay larger for the whole recording.
     *
     * @throws IOException if the text cannot be read, or exceeds its bounds
     */
    public static KernelSymbols parse(InputStream in) throws IOException {
        Parser parser = new Parser();
        byte[] text = new byte[PART];
        int filled = 0;
        long total = 0;
        for (int read = in.read(text); read >= 0; read = in.read(text, filled, text.length - filled)) {
            total += read;
            filled += read;
            int done = parser.lines(text, filled);
            if (parser.isHidden()) {
                return none();
            }
            if (done == 0 && filled == text.length || total > MAX_FILE) {
                throw new IOException("symbols of the kernel are out of bounds");
            }
            System.arraycopy(text, done, text, 0, filled - done);
            filled -= done;
        }
        parser.line(text, 0, filled);
        return parser.symbols();
    }

    /** The functions of the lines so far. */
    private static final class Parser {
        private byte[] names = new byte[1 << 20];
        private int kept;
        private long[] entries = new long[1 << 16];
        private int count;
        private boolean started;
        private boolean hidden;

        /** Returns true if the first line has the address 0: then all have. */
        boolean isHidden() {
            return hidden;
        }

        /** Parses complete lines, and returns the position after the last one. */
        int lines(byte[] text, int length) {
            int at = 0;
            for (int end = 0; end < length; end++) {
                if (text[end] == '\n') {
                    line(text, at, end);
                    at = end + 1;
                }
            }
            return at;
        }

        void line(byte[] text, int at, int end) {
            if (end - at <= 19) {
                return;
            }
            hidden |= !started && address(text, at) == 0;
            started = true;
            if ((text[at + 17] | 0x20) != 't') {
                return;
            }
            long address = address(text, at);
            if (!isCode(address)) {
                return;
            }
            int length = nameEnd(text, at + 19, end) - at - 19;
            if (count == entries.length) {
                entries = Arrays.copyOf(entries, count * 2);
            }
            if (names.length - kept <= length) {
                names = Arrays.copyOf(names, Math.max(2 * names.length, kept + length + 1));
            }
            entries[count++] = address - CODE << 32 | kept;
            System.arraycopy(text, at + 19, names, kept, length);
            kept += length;
            names[kept++] = '\n';
        }

        KernelSymbols symbols() {
            long[] sorted = Arrays.copyOf(entries, count);
            Arrays.sort(sorted);
            return new KernelSymbols(Arrays.copyOf(names, kept), sorted);
        }
    }

    private static int nameEnd(byte[] text, int from, int end) {
        int to = from;
        while (to < end && text[to] != '\t') {
            to++;
        }
        return to;
    }

    /** Parses an address; returns 0 if it is not a number. */
    private static long address(byte[] text, int at) {
        long address = 0;
        for (int i = 0; i < 16; i++) {
            int digit = Character.digit(text[at + i], 16);
            if (digit < 0) {
                return 0;
            }
            address = address << 4 | digit;
        }
        return address;
    }

    private static boolean isCode(long address) {
        return Long.compareUnsigned(address - CODE, CODE_SIZE) < 0;
    }

    public boolean isEmpty() {
        return entries.length == 0;
    }

    /** Returns the function that probably contains an address, judged by its start; null if there is none. */
    public @Nullable String find(long address) {
        if (!isCode(address)) {
            return null;
        }
        long offset = address - CODE;
        int found = Arrays.binarySearch(entries, offset << 32 | LOW_HALF);
        int floor = found >= 0 ? found : -found - 2;
        if (floor < 0 || offset - (entries[floor] >>> 32) > MAX_FUNCTION) {
            return null;
        }
        return name((int) entries[floor]);
    }

    private String name(int from) {
        int to = from;
        while (names[to] != '\n') {
            to++;
        }
        return new String(names, from, to - from, StandardCharsets.ISO_8859_1);
    }
}
