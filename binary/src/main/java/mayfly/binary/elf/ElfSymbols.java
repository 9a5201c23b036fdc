package mayfly.binary.elf;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Stream;
import mayfly.binary.BadFormat;
import org.jspecify.annotations.Nullable;

/**
 * The functions of an ELF file by address, from .symtab and .dynsym together, and its data by name.
 *
 * <p>A function takes 16 bytes of memory. Names are read from the file on demand.
 */
public final class ElfSymbols {
    /** Upper bound on the preceding symbols that are examined to find one that contains an address. */
    private static final int MAX_NESTED = 16;

    /**
     * A symbol.
     *
     * @param address in the file's numbering
     * @param size in bytes, 0 if unknown
     * @param name the mangled name in the file
     */
    public record Symbol(long address, long size, String name) {}

    /**
     * The functions, sorted, one for each address.
     *
     * @param entries the symbol's index in its table; for the second table, the bitwise complement of the index, which
     *         is negative
     */
    private record Sorted(long[] addresses, int[] sizes, int[] entries) {
        static final Sorted NONE = new Sorted(new long[0], new int[0], new int[0]);
    }

    private final ElfFile elf;
    private final List<SymbolTable> tables;
    /** Null until a function is looked up by its address: sorting those of a libjvm takes some 40 ms. */
    private @Nullable Sorted sorted;

    private ElfSymbols(ElfFile elf, List<SymbolTable> tables) {
        this.elf = elf;
        this.tables = tables;
    }

    /**
     * Returns the symbols of a file.
     *
     * @param full the file that contains its .symtab: {@code elf} or a separate file
     */
    static ElfSymbols of(ElfFile elf, ElfFile full) throws BadFormat {
        try {
            List<SymbolTable> tables = Stream.of(SymbolTable.full(full), SymbolTable.exported(elf))
                    .filter(Objects::nonNull)
                    .toList();
            return new ElfSymbols(elf, tables);
        } catch (InternalError e) {
            throw new BadFormat(elf.name(), 0, "the file became shorter while it was read");
        }
    }

    /** Returns the functions; none if the file has become shorter. */
    private synchronized Sorted sorted() {
        if (sorted == null) {
            try {
                Functions functions = new Functions(elf, tables);
                for (int t = 0; t < tables.size(); t++) {
                    functions.addAll(t);
                }
                sorted = functions.sorted();
            } catch (InternalError e) {
                sorted = Sorted.NONE;
            }
        }
        return sorted;
    }

    /** The functions found so far, to be sorted. */
    private static final class Functions {
        /**
         * The base-2 logarithm of the upper bound on functions. Without this bound a file could exhaust the memory.
         * Further functions have no name. A libjvm has 60,000 functions.
         */
        private static final int INDEX_BITS = 20;

        private static final int MAX_COUNT = 1 << INDEX_BITS;

        private final List<SymbolTable> tables;
        private final long low;
        private final long high;
        private long[] addresses = new long[1024];
        private int[] sizes = new int[1024];
        private int[] entries = new int[1024];
        private byte[] binds = new byte[1024];
        private int n;

        Functions(ElfFile elf, List<SymbolTable> tables) {
            this.tables = tables;
            long from = Long.MAX_VALUE;
            long to = 0;
            for (ElfFile.Segment s : elf.segments()) {
                if (s.type() == ElfFile.PT_LOAD && s.executable()) {
                    from = Math.min(from, s.vaddr());
                    to = Math.max(to, s.vaddr() + s.memorySize());
                }
            }
            this.low = from;
            this.high = to - from > ElfFile.MAX_SPAN ? from : to;
        }

        void addAll(int table) {
            tables.get(table).visit((index, type, bind, value, size) -> {
                boolean function = type == SymbolTable.STT_FUNC || type == SymbolTable.STT_GNU_IFUNC;
                if (function && value >= low && value < high && n < MAX_COUNT) {
                    add(table == 0 ? index : ~index, bind, value, size);
                }
            });
        }

        private void add(int entry, int bind, long value, long size) {
            if (n == addresses.length) {
                addresses = Arrays.copyOf(addresses, 2 * n);
                sizes = Arrays.copyOf(sizes, 2 * n);
                entries = Arrays.copyOf(entries, 2 * n);
                binds = Arrays.copyOf(binds, 2 * n);
            }
            addresses[n] = value;
            sizes[n] = (int) Math.max(0, Math.min(size, Integer.MAX_VALUE));
            entries[n] = entry;
            binds[n++] = (byte) bind;
        }

        Sorted sorted() {
            long[] keys = new long[n];
            for (int i = 0; i < n; i++) {
                keys[i] = addresses[i] - low << INDEX_BITS | i;
            }
            Arrays.sort(keys);
            long[] a = new long[n];
            int[] s = new int[n];
            int[] e = new int[n];
            int distinct = 0;
            for (int k = 0; k < n; ) {
                int best = (int) keys[k] & (1 << INDEX_BITS) - 1;
                long address = addresses[best];
                for (k++; k < n; k++) {
                    int other = (int) keys[k] & (1 << INDEX_BITS) - 1;
                    if (addresses[other] != address) {
                        break;
                    }
                    if (better(other, best)) {
                        best = other;
                    }
                }
                a[distinct] = address;
                s[distinct] = sizes[best];
                e[distinct++] = entries[best];
            }
            return new Sorted(Arrays.copyOf(a, distinct), Arrays.copyOf(s, distinct), Arrays.copyOf(e, distinct));
        }

        private boolean better(int a, int b) {
            int byBind = rank(binds[a]) - rank(binds[b]);
            if (byBind != 0) {
                return byBind < 0;
            }
            return versioned(b) && !versioned(a);
        }

        private static int rank(int bind) {
            return switch (bind) {
                case SymbolTable.STB_GLOBAL -> 0;
                case SymbolTable.STB_LOCAL -> 1;
                default -> 2;
            };
        }

        private boolean versioned(int i) {
            return nameOf(tables, entries[i]).indexOf('@') >= 0;
        }
    }

    private static String nameOf(List<SymbolTable> tables, int entry) {
        return entry >= 0 ? tables.getFirst().name(entry) : tables.get(1).name(~entry);
    }

    /** Returns the number of functions, one for each address. */
    public int functionCount() {
        return sorted().addresses.length;
    }

    /** Returns the function at an index, in the order of addresses. */
    public Symbol function(int index) {
        Sorted functions = sorted();
        String name;
        try {
            name = nameOf(tables, functions.entries[index]);
        } catch (InternalError e) {
            name = "";
        }
        return new Symbol(functions.addresses[index], functions.sizes[index], name);
    }

    /** Returns the function that contains an address, or null if none is known there. */
    public @Nullable Symbol functionAt(long vaddr) {
        int i = indexAt(vaddr);
        return i < 0 ? null : function(i);
    }

    /**
     * Returns the index of the function that contains an address, or -1 if none is known there. A symbol without a size
     * extends to the next one.
     */
    public int indexAt(long vaddr) {
        Sorted functions = sorted();
        int i = Arrays.binarySearch(functions.addresses, vaddr);
        i = i >= 0 ? i : -i - 2;
        for (int back = 0; i >= 0 && back < MAX_NESTED; back++, i--) {
            long address = functions.addresses[i];
            int size = functions.sizes[i];
            if (size == 0 ? back == 0 && reaches(address, vaddr) : vaddr - address < size) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Returns true if a symbol extends to an address. A symbol without a size ends with its section, or if it has none,
     * its segment.
     */
    private boolean reaches(long symbol, long vaddr) {
        for (ElfFile.Section s : elf.sections()) {
            if (s.vaddr() != 0 && symbol - s.vaddr() >= 0 && symbol - s.vaddr() < s.size()) {
                return vaddr - s.vaddr() < s.size();
            }
        }
        return elf.loaded(symbol) == elf.loaded(vaddr);
    }

    /** Returns the address of a symbol of any kind by its exact, mangled name. Exported symbols are searched first. */
    public OptionalLong addressOf(String exactName) {
        byte[] wanted = (exactName + "\0").getBytes(StandardCharsets.UTF_8);
        for (SymbolTable table : tables.reversed()) {
            long[] found = {-1};
            table.visitReadable((index, type, bind, value, size) -> {
                if (found[0] < 0 && table.nameStartsWith(index, wanted)) {
                    found[0] = value;
                }
            });
            if (found[0] >= 0) {
                return OptionalLong.of(found[0]);
            }
        }
        return OptionalLong.empty();
    }

    /**
     * Returns the data symbols whose mangled name starts with a prefix: those in .symtab, or if .symtab was removed,
     * those in .dynsym.
     */
    public List<Symbol> objectsWithPrefix(String prefix) {
        byte[] wanted = prefix.getBytes(StandardCharsets.UTF_8);
        List<Symbol> found = new ArrayList<>();
        if (!tables.isEmpty()) {
            SymbolTable table = tables.getFirst();
            table.visitReadable((index, type, bind, value, size) -> {
                if (type == SymbolTable.STT_OBJECT && table.nameStartsWith(index, wanted)) {
                    found.add(new Symbol(value, size, table.name(index)));
                }
            });
        }
        return found;
    }
}
