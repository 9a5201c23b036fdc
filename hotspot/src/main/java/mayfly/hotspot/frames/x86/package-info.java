/**
 * The frames of HotSpot on x86-64: one stepper for each kind of frame, and decoders of the instructions at which a
 * frame is not complete. The package of another CPU supplies the same.
 *
 * <p>{@link mayfly.hotspot.frames.x86.X86Sites} implements {@link mayfly.hotspot.frames.SiteDecoder} and is a row of
 * the table in {@code mayfly.hotspot.SiteDecoders}. It creates a site for each of these kinds of code; a site finds the
 * return address, the caller's stack pointer, and those registers that the caller's own step needs, and declares all
 * others unknown:
 * <ul>
 * <li>a compiled method, {@code CompiledSite}: with a complete frame the frame size of its blob is sufficient. An
 *     interrupted thread may be in the prologue, in the epilogue, or in the middle of a change of the stack pointer;
 *     {@code CompiledPrologue} and {@code StraightExit} decode these instructions.
 * <li>the wrapper of a native method, also {@code CompiledSite}, which begins and ends in another way.
 * <li>the interpreter, {@code InterpreterSite}: the locations of the Method, of the bytecode pointer and of the
 *     sender's stack pointer in a frame, and the registers that contain them. {@code InterpreterExit} and {@code
 *     ExceptionExit} decode the instructions after a frame has been removed.
 * <li>the return from call_stub to the VM, {@code EntrySite}: the native frames above need every callee-saved register,
 *     so its step restores all of them.
 * <li>the boundary between a virtual thread and its carrier, {@code ContinuationSite}.
 * <li>stubs and adapters, {@code StubSite}: most have no described frame, so the site searches for the return address,
 *     and accepts it only if a call precedes it.
 * </ul>
 *
 * <p>The layouts come from HotSpot's sources for the CPU: frame, sharedRuntime, stubGenerator, templateInterpreter and
 * the macro assemblers of its compilers.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.frames.x86;
