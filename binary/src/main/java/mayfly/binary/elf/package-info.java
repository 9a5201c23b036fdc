/**
 * ELF files, see elf(5): headers, segments, sections, symbols, build ids and links to separate symbols.
 *
 * <p>The bytes of a file come in, or the image of one that is loaded, such as the vdso. Start reading at {@link
 * ElfFile#parse}. {@link ElfSymbols} finds functions by address and data by name; {@link SymbolTable} is one table of
 * the file. {@link DebugLink} names the file with the symbols of a stripped one, and {@link MiniDebugInfo} unpacks
 * those that a stripped file contains itself. The call-frame information is parsed in {@link mayfly.binary.dwarf}.
 *
 * <p>Addresses are virtual addresses of the file, as nm prints them, not addresses in a process. A header that points
 * outside the file makes only the part that it describes unavailable. The bytes are not trusted. The name of a symbol
 * is read only when it is needed.
 */
@org.jspecify.annotations.NullMarked
package mayfly.binary.elf;
