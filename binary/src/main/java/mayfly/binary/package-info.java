/**
 * Parsers from bytes to tables: {@code elf} reads ELF files and their symbols, {@code dwarf} the call-frame
 * information, and {@code demangle} the names of C++ and Rust.
 *
 * <p>A range of bytes comes in, and tables go out; no class opens a file or reads a process, so the parsers are tested
 * from bytes on any machine, and fuzzed. This package has the two classes that the others share: {@link Cursor} reads a
 * named range forward, and {@link BadFormat} reports the position and the problem. Start reading at {@link Cursor},
 * then at {@link mayfly.binary.elf.ElfFile}.
 *
 * <p>The bytes are not trusted. Each read is checked against the range, each loop is bounded, and a length is compared
 * with the bytes that exist before memory is allocated for it. Malformed bytes cause a {@link BadFormat}, or the part
 * that they describe is left out; a name that cannot be demangled is returned unchanged.
 */
@org.jspecify.annotations.NullMarked
package mayfly.binary;
