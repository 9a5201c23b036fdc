package mayfly.hotspot.code;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;
import org.jspecify.annotations.Nullable;

/**
 * Names of stub routines: the VM keeps each one's entry in a static field {@code StubRoutines::_name}, whose symbol an
 * unstripped libjvm has. A routine without a field of its own must not get its neighbour's name, so a name reaches only
 * up to the next gap that ends one routine and aligns the next.
 */
public final class StubNames {
    /** Longer ones first: a member of StubRoutines::x86 is none of StubRoutines. */
    private static final List<String> PREFIXES = List.of("_ZN12StubRoutines3x86", "_ZN12StubRoutines",
            "_ZN3x8612StubRoutines");
    /**
     * Since JDK 26 the second entries of array copies have fields of their own too. They lie in the middle of a
     * routine, behind its {@code push rbp}, where one must not be taken to begin.
     */
    private static final String SECOND_ENTRY = "_nopush";
    private static final int ENTRY_ALIGNMENT = 32;
    private static final int MAX_ROUTINE = 64 * 1024;

    private record Entry(long address, String name) {
    }

    /** Of several names of one entry the last is taken: the shortest, so that it is the same for every build. */
    private static final Comparator<Entry> ORDER = Comparator.comparingLong(Entry::address)
            .thenComparing(entry -> entry.name.length(), Comparator.reverseOrder()).thenComparing(Entry::name);

    private final Entry[] entries;
    private final Memory memory;

    public StubNames(ModuleSymbols symbols, CodeCache cache, Memory memory) {
        this.memory = memory;
        this.entries = PREFIXES.stream()
                .flatMap(prefix -> symbols.objectsWithPrefix(prefix).stream())
                .map(symbol -> new Entry(read(memory, symbol.address()), routine(symbol.name())))
                .filter(entry -> cache.reserves(entry.address) && !entry.name.isEmpty()
                        && !entry.name.endsWith(SECOND_ENTRY))
                .distinct()
                .sorted(ORDER)
                .toArray(Entry[]::new);
    }

    private static long read(Memory memory, long address) {
        try {
            return memory.readLong(address);
        } catch (MemoryFault e) {
            return 0;
        }
    }

    /** {@code _ZN12StubRoutines17_jbyte_arraycopyE} → {@code jbyte_arraycopy}; empty if it is no plain member. */
    static String routine(String mangled) {
        String rest = mangled;
        for (String prefix : PREFIXES) {
            if (rest.startsWith(prefix)) {
                rest = rest.substring(prefix.length());
                break;
            }
        }
        int digits = 0;
        while (digits < rest.length() && Character.isDigit(rest.charAt(digits))) {
            digits++;
        }
        if (digits == 0 || digits > 4 || !rest.endsWith("E")) {
            return "";
        }
        int length = Integer.parseInt(rest.substring(0, digits));
        String name = rest.substring(digits, rest.length() - 1);
        return name.length() != length ? "" : name.startsWith("_") ? name.substring(1) : name;
    }

    /** The entry of the routine with this name, 0 if it is not known. */
    public long entry(String name) {
        for (Entry entry : entries) {
            if (entry.name.equals(name)) {
                return entry.address;
            }
        }
        return 0;
    }

    /** The name of the routine that holds an address; the blob's own name if that is not known. */
    public String at(long pc, CodeBlob blob) {
        Entry entry = holding(pc, blob);
        return entry == null ? blob.name : entry.name;
    }

    /** The entry of the routine that holds an address, 0 if that is not known. */
    public long entryOf(long pc, CodeBlob blob) {
        Entry entry = holding(pc, blob);
        return entry == null ? 0 : entry.address;
    }

    private @Nullable Entry holding(long pc, CodeBlob blob) {
        int low = 0;
        int high = entries.length;
        while (low < high) {
            int mid = low + high >>> 1;
            if (entries[mid].address <= pc) {
                low = mid + 1;
            } else {
                high = mid;
            }
        }
        if (low == 0 || !blob.contains(entries[low - 1].address) || hasGap(entries[low - 1].address, pc)) {
            return null;
        }
        return entries[low - 1];
    }

    private boolean hasGap(long from, long to) {
        if (to - from > MAX_ROUTINE) {
            return true;
        }
        byte[] code = new byte[(int) (to - from)];
        try {
            memory.read(from, code, 0, code.length);
        } catch (MemoryFault e) {
            return true;
        }
        for (long at = from + ENTRY_ALIGNMENT & -ENTRY_ALIGNMENT; at <= to; at += ENTRY_ALIGNMENT) {
            if (endsRoutine(code, (int) (at - from))) {
                return true;
            }
        }
        return false;
    }

    /** Whether a return and then nothing but padding comes before the offset. */
    private static boolean endsRoutine(byte[] code, int to) {
        int at = to;
        while (at > 0 && isPadding(code, at)) {
            at--;
        }
        return at > 0 && (code[at - 1] & 0xff) == 0xc3 && (at < to || to == code.length);
    }

    /** The bytes of which the assembler's multi-byte nops are made. */
    private static boolean isPadding(byte[] code, int end) {
        return switch (code[end - 1] & 0xff) {
            case 0x90, 0x66, 0x0f, 0x1f, 0x00, 0x40, 0x44, 0x80, 0x84, 0xf4 -> true;
            default -> false;
        };
    }

    @Override
    public String toString() {
        return Arrays.toString(entries);
    }
}
