/**
 * One CPU as data and code, from bytes. {@link mayfly.arch.Architecture} has what a stack walk needs of a CPU: its
 * registers by their DWARF numbers, where the return address is, which registers a callee preserves; and its
 * {@link mayfly.arch.InstructionSet}, which decodes calls and epilogues. The other rooms ask it instead of assuming a
 * CPU. A further CPU is a further package here, beside {@code x86}.
 */
@org.jspecify.annotations.NullMarked
package mayfly.arch;
