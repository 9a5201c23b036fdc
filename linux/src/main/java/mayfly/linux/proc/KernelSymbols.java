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
        try {
            byte[] start = new byte[16];
            try (InputStream in = new FileInputStream("/proc/kallsyms")) {
                if (in.readNBytes(start, 0, 16) < 16 || address(start, 0) == 0) {
                    return none();
                }
            }
            return parse(ProcFile.bytes("/proc/kallsyms", MAX_FILE));
        } catch (IOException e) {
            return none();
        }
    }

    /** Returns an empty set of symbols: no address has a name. */
    public static KernelSymbols none() {
        return new KernelSymbols(new byte[0], new long[0]);
    }

    /**
     * Parses lines of {@code ffffffff81000000 T name\t[module]}, and stores the names of functions in the same array.
     */
    public static KernelSymbols parse(byte[] text) {
        long[] entries = new long[1 << 16];
        int count = 0;
        int kept = 0;
        for (int at = 0; at < text.length; ) {
            int end = at;
            while (end < text.length && text[end] != '\n') {
                end++;
            }
            if (end - at > 19 && (text[at + 17] | 0x20) == 't') {
                long address = address(text, at);
                if (isCode(address)) {
                    if (count == entries.length) {
                        entries = Arrays.copyOf(entries, count * 2);
                    }
                    entries[count++] = address - CODE << 32 | kept;
                    int length = nameEnd(text, at + 19, end) - at - 19;
                    System.arraycopy(text, at + 19, text, kept, length);
                    kept += length;
                    text[kept++] = '\n';
                }
            }
            at = end + 1;
        }
        long[] sorted = Arrays.copyOf(entries, count);
        Arrays.sort(sorted);
        return new KernelSymbols(Arrays.copyOf(text, kept), sorted);
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
