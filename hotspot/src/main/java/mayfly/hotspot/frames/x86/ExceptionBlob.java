package mayfly.hotspot.frames.x86;

import mayfly.hotspot.code.CodeBlob;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * The C2 blob that finds the handler of an exception. A compiled method jumps to it, with the program counter of the
 * throwing call in rdx: {@code push rdx; sub rsp, 8}, a call of the VM, {@code add rsp, 8; pop rdx}, and further
 * instructions up to a jump to the handler. Before the push and after the pop, no word on the stack points to the
 * caller. See OptoRuntime::generate_exception_blob in HotSpot's runtime_x86_64.cpp.
 */
final class ExceptionBlob {
    /** The return address is in rdx: it has been popped, or has not been pushed yet. */
    static final int IN_RDX = -8;
    /** The code has an unexpected form, or cannot be read. */
    static final int UNKNOWN = -1;

    private static final String NAME = "ExceptionBlob";
    private static final int PUSH_RDX = 0x52;
    private static final int POP_RDX = 0x5a;
    private static final int LOWER_BY_WORD = 0x08ec8348;
    private static final int RAISE_BY_WORD = 0x08c48348;
    private static final int MAX_CODE = 1024;

    private ExceptionBlob() {}

    static boolean is(CodeBlob blob) {
        return blob.kind == CodeBlob.Kind.RUNTIME_STUB && blob.name.equals(NAME);
    }

    /** Returns the distance of the return address above the stack pointer, or {@link #IN_RDX}, or {@link #UNKNOWN}. */
    static int returnAddressAt(long pc, CodeBlob blob, Memory memory) {
        try {
            return read(pc, blob, memory);
        } catch (MemoryFault e) {
            return UNKNOWN;
        }
    }

    private static int read(long pc, CodeBlob blob, Memory memory) throws MemoryFault {
        long begin = blob.codeBegin;
        if (memory.readByte(begin) != PUSH_RDX || memory.readInt(begin + 1) != LOWER_BY_WORD) {
            return UNKNOWN;
        }
        long raise = begin + 5;
        while (memory.readInt(raise) != RAISE_BY_WORD || memory.readByte(raise + 4) != POP_RDX) {
            if (++raise - begin > MAX_CODE || raise + 5 > blob.codeEnd) {
                return UNKNOWN;
            }
        }
        if (pc == begin || pc > raise + 4) {
            return IN_RDX;
        }
        return pc == begin + 1 || pc == raise + 4 ? 0 : 8;
    }
}
