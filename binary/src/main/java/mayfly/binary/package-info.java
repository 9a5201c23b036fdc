/**
 * Parses bytes into tables: ELF files, DWARF call-frame information, symbols and their names. The input is bytes, never
 * paths.
 */
@org.jspecify.annotations.NullMarked
package mayfly.binary;
