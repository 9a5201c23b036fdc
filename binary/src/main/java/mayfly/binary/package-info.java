/** Bytes to tables: ELF files, DWARF call-frame information, symbols and their names. Gets bytes, never paths. */
@org.jspecify.annotations.NullMarked
package mayfly.binary;
