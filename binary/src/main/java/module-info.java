/**
 * Parses bytes into tables: ELF files, DWARF call-frame information, symbols and their names. The input is bytes, never
 * paths.
 */
module mayfly.binary {
    requires static org.jspecify;
    requires org.tukaani.xz;

    exports mayfly.binary;
    exports mayfly.binary.demangle;
    exports mayfly.binary.dwarf;
    exports mayfly.binary.elf;
}
