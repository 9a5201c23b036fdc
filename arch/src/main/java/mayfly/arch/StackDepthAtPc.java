package mayfly.arch;

/**
 * The distance of the stack pointer below its value at a function's entry.
 *
 * @param bytes the distance, at least 0
 * @param savedIn the register, by its DWARF number, that holds an earlier stack pointer, such as a frame pointer;
 *     {@link Architecture#NONE} if there is none
 * @param savedBytes the distance of that earlier stack pointer below its value at the entry
 */
public record StackDepthAtPc(int bytes, int savedIn, int savedBytes) {}
