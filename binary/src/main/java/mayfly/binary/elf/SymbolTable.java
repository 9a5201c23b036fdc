package mayfly.binary.elf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import mayfly.binary.Cursor;
import org.jspecify.annotations.Nullable;

/** One table of symbols, .symtab or .dynsym, with its strings. See elf(5), Elf64_Sym. */
final class SymbolTable {
    static final int STT_OBJECT = 1;
    static final int STT_FUNC = 2;
    static final int STT_GNU_IFUNC = 10;
    static final int STB_LOCAL = 0;
    static final int STB_GLOBAL = 1;
    private static final int SHT_SYMTAB = 2;
    private static final int SHT_DYNSYM = 11;
    private static final int DT_NULL = 0;
    private static final int DT_STRTAB = 5;
    private static final int DT_SYMTAB = 6;
    private static final int DT_STRSZ = 10;
    // struct Elf64_Sym: st_name is the first word.
    private static final int ST_INFO = 4;
    private static final int ST_SHNDX = 6;
    private static final int ST_VALUE = 8;
    private static final int ST_SIZE = 16;
    private static final int ENTRY = 24;
    private static final int CHUNK = 512;
    private static final int MAX_NAME = 1 << 16;
    /** Upper bound on the number of symbols: 16 million. No file has this many. */
    private static final int MAX_COUNT = 1 << 24;

    /** Receives one defined symbol of the table. */
    @FunctionalInterface
    interface Visitor {
        void symbol(int index, int type, int bind, long value, long size);
    }

    private final MemorySegment entries;
    private final MemorySegment strings;
    private final int count;

    private SymbolTable(MemorySegment entries, MemorySegment strings) {
        this.entries = entries;
        this.strings = strings;
        this.count = (int) Math.min(entries.byteSize() / ENTRY, MAX_COUNT);
    }

    /** Returns all symbols known to the linker, .symtab, or null if they were removed. */
    static @Nullable SymbolTable full(ElfFile elf) {
        return ofType(elf, SHT_SYMTAB);
    }

    /** Returns the exported and imported symbols, .dynsym, or null if there are none. */
    static @Nullable SymbolTable exported(ElfFile elf) {
        return elf.sections().isEmpty() ? dynamic(elf) : ofType(elf, SHT_DYNSYM);
    }

    private static @Nullable SymbolTable ofType(ElfFile elf, int type) {
        ElfFile.Section entries = elf.sectionOfType(type);
        ElfFile.Section strings = entries == null ? null : elf.sectionAt(entries.link());
        return entries == null || strings == null
                ? null
                : new SymbolTable(
                        elf.bytes().asSlice(entries.offset(), entries.size()),
                        elf.bytes().asSlice(strings.offset(), strings.size()));
    }

    /** Returns the dynamic symbols of a file without section headers, found as the dynamic linker does. */
    private static @Nullable SymbolTable dynamic(ElfFile elf) {
        ElfFile.Segment dynamic = elf.dynamic();
        if (dynamic == null) {
            return null;
        }
        MemorySegment bytes = elf.bytes();
        long symtab = -1;
        long strtab = -1;
        long strsz = 0;
        for (long at = 0; at + 16 <= dynamic.fileSize(); at += 16) {
            long tag = bytes.get(Cursor.U64, dynamic.offset() + at);
            long value = bytes.get(Cursor.U64, dynamic.offset() + at + 8);
            if (tag == DT_NULL) {
                break;
            } else if (tag == DT_STRTAB) {
                strtab = elf.offsetOf(value);
            } else if (tag == DT_SYMTAB) {
                symtab = elf.offsetOf(value);
            } else if (tag == DT_STRSZ) {
                strsz = value;
            }
        }
        // The number of symbols is not stored, but linkers put the strings right after them.
        if (symtab < 0 || strtab <= symtab || strsz <= 0 || strsz > bytes.byteSize() - strtab) {
            return null;
        }
        return new SymbolTable(bytes.asSlice(symtab, strtab - symtab), bytes.asSlice(strtab, strsz));
    }

    int count() {
        return count;
    }

    /**
     * Visits the symbols that are defined in this file. If the file is truncated, visits only those that can be read.
     */
    void visitReadable(Visitor visitor) {
        try {
            visit(visitor);
        } catch (InternalError e) {
            // The file was truncated while it was mapped. The remaining symbols are skipped.
        }
    }

    /** Visits every symbol that is defined in this file. */
    void visit(Visitor visitor) {
        byte[] b = new byte[CHUNK * ENTRY];
        for (int first = 1; first < count; first += CHUNK) {
            int n = Math.min(CHUNK, count - first);
            MemorySegment.copy(entries, ValueLayout.JAVA_BYTE, (long) first * ENTRY, b, 0, n * ENTRY);
            for (int i = 0; i < n; i++) {
                int at = i * ENTRY;
                boolean defined = (b[at + ST_SHNDX] | b[at + ST_SHNDX + 1]) != 0;
                if (defined) {
                    int info = b[at + ST_INFO] & 0xff;
                    visitor.symbol(first + i, info & 15, info >> 4, word(b, at + ST_VALUE), word(b, at + ST_SIZE));
                }
            }
        }
    }

    private static long word(byte[] b, int at) {
        long v = 0;
        for (int i = 7; i >= 0; i--) {
            v = v << 8 | b[at + i] & 0xff;
        }
        return v;
    }

    long value(int index) {
        return entries.get(Cursor.U64, (long) index * ENTRY + ST_VALUE);
    }

    long size(int index) {
        return entries.get(Cursor.U64, (long) index * ENTRY + ST_SIZE);
    }

    /** Returns a symbol's name, or an empty string if the name is invalid. */
    String name(int index) {
        long from = entries.get(Cursor.U32, (long) index * ENTRY) & 0xffff_ffffL;
        long most = Math.min(strings.byteSize(), from + MAX_NAME);
        long end = from;
        while (end < most && strings.get(ValueLayout.JAVA_BYTE, end) != 0) {
            end++;
        }
        if (end >= most) {
            return "";
        }
        byte[] text = new byte[(int) (end - from)];
        MemorySegment.copy(strings, ValueLayout.JAVA_BYTE, from, text, 0, text.length);
        return new String(text, StandardCharsets.UTF_8);
    }

    boolean nameStartsWith(int index, byte[] prefix) {
        long from = entries.get(Cursor.U32, (long) index * ENTRY) & 0xffff_ffffL;
        if (from > strings.byteSize() - prefix.length) {
            return false;
        }
        for (int i = 0; i < prefix.length; i++) {
            if (strings.get(ValueLayout.JAVA_BYTE, from + i) != prefix[i]) {
                return false;
            }
        }
        return true;
    }
}
