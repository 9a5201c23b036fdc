package mayfly.arch;

/**
 * How far the stack pointer is below its place at a function's entry.
 *
 * @param bytes how far, at least 0
 * @param savedIn the register, by its DWARF number, that holds the stack pointer as it was at some point before, which
 *         is how a frame pointer is made; {@link Architecture#NONE} if there is none
 * @param savedBytes how far below its place at the entry the stack pointer was at that point
 */
public record StackDepthAtPc(int bytes, int savedIn, int savedBytes) {
}
