/**
 * The interface of a CPU: its properties, and a decoder of its instructions.
 *
 * <p>{@link mayfly.arch.Architecture} contains the properties of a CPU that a stack walk needs: its registers by their
 * DWARF numbers, the location of the return address, the callee-saved registers, and its {@link
 * mayfly.arch.InstructionSet}, which decodes calls, branches and epilogues. Other modules use these properties and do
 * not assume a CPU. Each supported CPU has a package beside {@code x86}.
 */
@org.jspecify.annotations.NullMarked
package mayfly.arch;
