/** ELF files: headers, symbols, build ids and debug links. */
@org.jspecify.annotations.NullMarked
package mayfly.binary.elf;
