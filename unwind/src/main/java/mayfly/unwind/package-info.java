/**
 * Walks a stack from a copy of it, and steps over native frames by the call-frame information of their ELF files.
 *
 * <p>A {@link StackSnapshot} comes in: the registers of one thread, and a copy of its stack from the same moment. A
 * {@link StackVisitor} receives the frames, leaf first, and a {@link WalkResult} has the outcome. Start reading at
 * {@link Walker}: for each frame it finds the owner of the code, which is a runtime or the {@link NativeStepper}, and
 * lets it step to the caller. {@link NativeCode} finds the module of an address. {@link Symbolizer} adds the names of
 * native functions later, because a walk reads no symbol tables.
 *
 * <p>Every walk ends, and has exactly one outcome. If a walk reached the root with memory that was read after the
 * sample, it is unproven: {@link SampledStack} reads the copy first, and ends the walk if it finds that the stack has
 * changed meanwhile.
 */
@org.jspecify.annotations.NullMarked
package mayfly.unwind;
