package mayfly.hotspot.code;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import mayfly.arch.InstructionSet;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;
import org.jspecify.annotations.Nullable;

/**
 * Names of stub routines. The VM stores the entry of each routine in a static field {@code StubRoutines::_name}, whose
 * symbol an unstripped libjvm has. A routine without its own field must not get its neighbour's name, so a name extends
 * only to the next padding that separates one routine from the next.
 */
public final class StubNames {
    private static final String CLASS = "12StubRoutines";
    /**
     * The suffix of second entries of array copies, which have their own fields since JDK 26. They lie in the middle of
     * a routine, after its {@code push rbp}, and must not count as the start of a routine.
     */
    private static final String SECOND_ENTRY = "_nopush";

    private static final int ENTRY_ALIGNMENT = 32;
    private static final int MAX_ROUTINE = 64 * 1024;

    private record Entry(long address, String name) {}

    /**
     * Orders the shortest of several names of one entry last. The last name is used, so that the result is the same for
     * every build.
     */
    private static final Comparator<Entry> ORDER = Comparator.comparingLong(Entry::address)
            .thenComparing(entry -> entry.name.length(), Comparator.reverseOrder())
            .thenComparing(Entry::name);

    private final Entry[] entries;
    private final Memory memory;
    private final InstructionSet instructions;

    /**
     * Reads the entries of all stub routines.
     *
     * @param cpu HotSpot's name of the target's CPU: {@code x86}
     * @param instructions the instructions of that CPU
     */
    public StubNames(ModuleSymbols symbols, CodeCache cache, Memory memory, String cpu, InstructionSet instructions) {
        this.memory = memory;
        this.instructions = instructions;
        List<String> prefixes = prefixes(cpu);
        this.entries = prefixes.stream()
                .flatMap(prefix -> symbols.objectsWithPrefix(prefix).stream())
                .map(symbol -> new Entry(read(memory, symbol.address()), routine(symbol.name(), prefixes)))
                .filter(entry ->
                        cache.reserves(entry.address) && !entry.name.isEmpty() && !entry.name.endsWith(SECOND_ENTRY))
                .distinct()
                .sorted(ORDER)
                .toArray(Entry[]::new);
    }

    /**
     * Returns the prefixes of the symbols of StubRoutines and of its part for a CPU. Longer ones come first: a member
     * of StubRoutines::x86 is not a member of StubRoutines.
     */
    static List<String> prefixes(String cpu) {
        String part = cpu.length() + cpu;
        return List.of("_ZN" + CLASS + part, "_ZN" + CLASS, "_ZN" + part + CLASS);
    }

    private static long read(Memory memory, long address) {
        try {
            return memory.readLong(address);
        } catch (MemoryFault e) {
            return 0;
        }
    }

    /**
     * Converts {@code _ZN12StubRoutines17_jbyte_arraycopyE} to {@code jbyte_arraycopy}. Returns an empty string if the
     * name is not a plain member.
     */
    static String routine(String mangled, List<String> prefixes) {
        String rest = mangled;
        for (String prefix : prefixes) {
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
        if (name.length() != length) {
            return "";
        }
        return name.startsWith("_") ? name.substring(1) : name;
    }

    /** Returns the entry of the routine with this name, or 0 if it is unknown. */
    public long entry(String name) {
        for (Entry entry : entries) {
            if (entry.name.equals(name)) {
                return entry.address;
            }
        }
        return 0;
    }

    /** Returns the name of the routine that contains an address, or the name of the blob if the routine is unknown. */
    public String at(long pc, CodeBlob blob) {
        Entry entry = holding(pc, blob);
        return entry == null ? blob.name : entry.name;
    }

    /** Returns the entry of the routine that contains an address, or 0 if it is unknown. */
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
            if (instructions.routineEndsAt(code, (int) (at - from))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return Arrays.toString(entries);
    }
}
