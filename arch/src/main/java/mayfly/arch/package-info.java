/**
 * One CPU as data and code.
 *
 * <p>{@link mayfly.arch.Architecture} contains the properties of a CPU that a stack walk needs: its registers by their
 * DWARF numbers, the location of the return address, the callee-saved registers, and its {@link
 * mayfly.arch.InstructionSet}, which decodes calls and epilogues. Other modules use these properties and do not assume
 * a CPU. Support for another CPU is another package here, beside {@code x86}.
 */
@org.jspecify.annotations.NullMarked
package mayfly.arch;
