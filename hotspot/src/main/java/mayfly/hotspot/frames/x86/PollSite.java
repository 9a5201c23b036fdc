package mayfly.hotspot.frames.x86;

import mayfly.arch.x86.X86_64;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.frames.GeneratedCode;
import mayfly.hotspot.frames.Site;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.Step;
import org.jspecify.annotations.Nullable;

/**
 * The start of the blob that handles a safepoint poll inside a compiled method. The signal handler stores the address
 * of the poll in JavaThread::_saved_exception_pc and continues the thread in the blob, so no call pushes a return
 * address. The blob makes room for one, saves all registers, and only then copies the address into that room:
 * {@code push rbx; push rbp; mov rbp, rsp}, ..., {@code mov rbx, [r15+offset]; mov [rbp+8], rbx}. See
 * SharedRuntime::generate_handler_blob in HotSpot's sharedRuntime_x86_64.cpp.
 */
final class PollSite extends Site {
    private static final String NAME = "SafepointBlob";
    private static final int PUSH_RBX_PUSH_RBP_MOV = 0x8b48_5553;
    private static final int LOAD = 0x9f8b49;
    private static final int STORE = 0x085d8948;
    /** The offset of the instruction that sets rbp, and its end. */
    private static final int SETS_RBP = 2;

    private static final int RBP_SET = 5;
    /** Upper bound on the code that saves the registers. With AVX-512 it has 1300 bytes. */
    private static final int MAX_SAVES = 4096;

    private static final int KEPT = 1 << X86_64.RIP | 1 << X86_64.RSP | 1 << X86_64.RBP | 1 << X86_64.R15;
    private static final int WORD = 8;

    private final GeneratedCode generated;
    private final Frame frame;
    private final int at;
    private final int savedPcOffset;
    /** The site to use if the saved address is not that of a method. */
    private final Site otherwise;

    private PollSite(GeneratedCode generated, Frame frame, int at, int savedPcOffset, Site otherwise) {
        super(otherwise.blob, otherwise.isReturn);
        this.generated = generated;
        this.frame = frame;
        this.at = at;
        this.savedPcOffset = savedPcOffset;
        this.otherwise = otherwise;
    }

    /**
     * Returns the site of an interrupted instruction before the one that stores the return address, or null.
     *
     * @param otherwise the site to use if the saved address is not that of a method
     */
    static @Nullable PollSite of(long pc, GeneratedCode generated, Frame frame, Site otherwise) {
        CodeBlob blob = otherwise.blob;
        if (blob.kind != CodeBlob.Kind.RUNTIME_STUB || !blob.name.equals(NAME)) {
            return null;
        }
        byte[] code = new byte[(int) Math.min(MAX_SAVES, blob.codeEnd - blob.codeBegin)];
        try {
            generated.memory().read(blob.codeBegin, code, 0, code.length);
        } catch (MemoryFault e) {
            return null;
        }
        int load = code.length > RBP_SET && intAt(code, 0) == PUSH_RBX_PUSH_RBP_MOV ? load(code) : -1;
        long at = pc - blob.codeBegin;
        return load < 0 || at > load + 7
                ? null
                : new PollSite(generated, frame, (int) at, intAt(code, load + 3), otherwise);
    }

    private static int load(byte[] code) {
        for (int i = RBP_SET; i + 11 <= code.length; i++) {
            if ((intAt(code, i) & 0xff_ffff) == LOAD && intAt(code, i + 7) == STORE) {
                return i;
            }
        }
        return -1;
    }

    private static int intAt(byte[] code, int at) {
        return code[at] & 0xff | (code[at + 1] & 0xff) << 8 | (code[at + 2] & 0xff) << 16 | code[at + 3] << 24;
    }

    @Override
    public Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault, BadMetadata {
        Registers registers = cursor.registers();
        long sp = at < RBP_SET ? registers.sp() + (long) Math.min(at, SETS_RBP) * WORD : registers.fp() + 2 * WORD;
        long pc = savedPc(cursor.memory(), registers);
        if (!cursor.exact() || pc == 0 || !CallerCheck.isInMethod(generated, pc, sp, cursor)) {
            return otherwise.step(cursor, sink);
        }
        sink.accept(frame);
        if (at >= SETS_RBP) {
            registers.set(X86_64.RBP, cursor.stackWord(sp - 2 * WORD));
        }
        registers.retain(KEPT);
        cursor.moveToInterrupted(pc, sp);
        return Step.CALLER;
    }

    private long savedPc(Memory memory, Registers registers) {
        try {
            return registers.knows(X86_64.R15) ? memory.readLong(registers.get(X86_64.R15) + savedPcOffset) : 0;
        } catch (MemoryFault e) {
            return 0;
        }
    }
}
