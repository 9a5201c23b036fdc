package mayfly.hotspot.frames;

import java.util.List;
import mayfly.arch.Architecture;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.Codelets;
import mayfly.hotspot.code.Nmethod;
import mayfly.hotspot.code.PcKind;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.MemoryFault;
import mayfly.profile.Frame;
import mayfly.runtime.FrameSink;
import mayfly.runtime.Step;

/**
 * Decodes the frames that HotSpot builds on one CPU. {@link GeneratedCode} chooses the method by the kind of the code,
 * which does not depend on the CPU. The site that the method returns finds the return address and the caller's
 * registers.
 *
 * <p>Implementations are stateless. They may allocate, because each program counter is decoded only once.
 *
 * <p>A parameter {@code code} has the queries and the memory that a decoder and its sites need.
 */
public interface SiteDecoder {

    /** Returns the CPU. */
    Architecture architecture();

    /** Returns HotSpot's own name of the CPU, as in its source files and symbols: {@code x86}. */
    String sourceName();

    /**
     * Returns the number of bits below the address in a reference of ZGC with two generations, for each of the four
     * remapped bits: HotSpot's ZPointerLoadShift.
     */
    List<Integer> referenceShifts();

    /**
     * Decodes a program counter in a compiled method.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    Site compiled(long pc, Nmethod nmethod, PcKind pcKind, GeneratedCode code) throws MemoryFault, BadMetadata;

    /**
     * Decodes a program counter in the wrapper of a native method, or in an intrinsic with the same structure.
     *
     * @param frames the frames to report
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    Site wrapper(long pc, Nmethod wrapper, PcKind pcKind, Frame[] frames, GeneratedCode code)
            throws MemoryFault, BadMetadata;

    /**
     * Decodes a program counter in the template interpreter.
     *
     * @param codelet the part of the interpreter that contains it
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    Site interpreted(long pc, CodeBlob blob, Codelets.Codelet codelet, PcKind pcKind, GeneratedCode code)
            throws MemoryFault, BadMetadata;

    /**
     * Creates the site of the return address of call_stub, through which the VM calls Java: its caller is native code.
     *
     * @param frame the frame to report
     */
    Site entry(CodeBlob blob, Frame frame, GeneratedCode code);

    /**
     * Creates the site of a return address at the boundary between the frames of a virtual thread and those of its
     * carrier: a ContinuationEntry lies at the stack pointer.
     *
     * @param frames the frames to report
     */
    Site continuation(CodeBlob blob, Frame[] frames, GeneratedCode code);

    /**
     * Decodes a program counter in any other code: stub routines, runtime stubs, adapters, vtable stubs.
     * It is a return address only if {@link GeneratedCode#isAfterCall} returns true.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    Site stub(long pc, CodeBlob blob, PcKind pcKind, GeneratedCode code) throws MemoryFault, BadMetadata;

    /**
     * Reports the frames of an unmounted virtual thread in one stack chunk, leaf first.
     *
     * @param time the time of the copy, CLOCK_MONOTONIC, ns
     * @return {@link Step#ROOT} at the end of the chunk, or the reason why a frame could not be passed
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    Step frozen(FrozenFrames chunk, GeneratedCode code, long time, FrameSink sink) throws MemoryFault, BadMetadata;
}
