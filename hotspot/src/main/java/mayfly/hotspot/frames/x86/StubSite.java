package mayfly.hotspot.frames.x86;

import mayfly.arch.x86.CallInstruction;
import mayfly.arch.x86.X86_64;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.frames.GeneratedCode;
import mayfly.hotspot.frames.Site;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.Step;
import org.jspecify.annotations.Nullable;

/**
 * A program counter in code that is neither a method nor the interpreter: stub routines, runtime stubs, adapters,
 * vtable and method handle stubs. They are at or near the leaf and have different frame layouts, so a caller is
 * accepted only if its return address can be verified.
 */
final class StubSite extends Site {
    private static final int KEPT_BY_JAVA = 1 << X86_64.RIP | 1 << X86_64.RSP | 1 << X86_64.RBP | 1 << X86_64.R15;
    private static final int KEPT_BY_NATIVE =
            KEPT_BY_JAVA | 1 << X86_64.RBX | 1 << X86_64.R12 | 1 << X86_64.R13 | 1 << X86_64.R14;
    /** The largest frame of a stub is that of SHA-512 with AVX2: some 90 words, aligned, without rbp. */
    private static final int MAX_SCAN_WORDS = 256;
    /** The nmethod entry barrier's stub pushes this between the return address and rbp. */
    private static final long BARRIER_COOKIE = -1;

    /** {@code pop rcx; jmp rcx}, and its remainder {@code jmp rcx} after the pop. */
    private static final int POP_JUMP = 0xe1ff59;

    private static final int JUMP = 0xe1ff;
    private static final int RETURN = 0xc3;
    private static final long MAX_HANDLER_FRAME = 1 << 16;

    private static final int POP_RAX_MOV_R13_RSP = 0xec8b_4c58;
    /** Upper bound on the size of an adapter's code. It moves at most 255 arguments, each with two instructions. */
    private static final int MAX_ADAPTER = 4096;

    private final GeneratedCode generated;
    private final Frame frame;
    private final StubDepth depth;

    /** @param frame the frame that is reported */
    StubSite(GeneratedCode generated, CodeBlob blob, boolean isReturn, Frame frame, StubDepth depth) {
        super(blob, isReturn);
        this.generated = generated;
        this.frame = frame;
        this.depth = depth;
    }

    @Override
    public Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault {
        sink.accept(frame);
        if (blob.kind != CodeBlob.Kind.ADAPTER && isCallerAbove(cursor, depth.pushed())) {
            return callerAbove(cursor, depth.pushed());
        }
        if (cursor.exact() && blob.kind == CodeBlob.Kind.RUNTIME_STUB && continuesInHandler(cursor)) {
            return Step.CALLER;
        }
        if (cursor.exact() && blob.kind != CodeBlob.Kind.ADAPTER && isCallerInRdx(cursor)) {
            return moved(
                    cursor,
                    cursor.registers().get(X86_64.RDX),
                    cursor.registers().sp());
        }
        return switch (blob.kind) {
            case VTABLE, METHOD_HANDLES ->
                cursor.exact() ? returnAt(cursor, cursor.registers().sp()) : scan(cursor);
            case ADAPTER -> adapter(cursor);
            case RUNTIME_STUB -> cursor.exact() ? topRuntimeStub(cursor) : sized(cursor);
            default -> cursor.exact() ? topRoutine(cursor) : routine(cursor);
        };
    }

    /**
     * C1's stubs for exceptions replace their return address with the handler's address. The calling method then
     * continues at that handler, which no call precedes. The stubs restore registers, including rbp, and leave by
     * {@code leave; ret}, or by {@code leave; pop rcx; jmp rcx} for an exception from a callee: see
     * generate_handle_exception in HotSpot's c1_Runtime1_x86.cpp.
     */
    private boolean continuesInHandler(FrameCursor cursor) throws MemoryFault {
        Registers registers = cursor.registers();
        int code = codeAt(cursor);
        long sp = registers.sp();
        if ((code & 0xff) == RETURN || (code & 0xff_ffff) == POP_JUMP) {
            return continuesAt(cursor, cursor.stackWord(sp), sp + 8, registers.fp());
        }
        if ((code & 0xffff) == JUMP) {
            return continuesAt(cursor, registers.get(X86_64.RCX), sp, registers.fp());
        }
        long fp = registers.fp();
        return registers.knows(X86_64.RBP)
                && fp - sp >= 0
                && fp - sp < MAX_HANDLER_FRAME
                && continuesAt(cursor, wordOrZero(cursor, fp + 8), fp + 16, wordOrZero(cursor, fp));
    }

    private static int codeAt(FrameCursor cursor) {
        try {
            return cursor.memory().readInt(cursor.registers().pc());
        } catch (MemoryFault e) {
            return 0;
        }
    }

    private boolean continuesAt(FrameCursor cursor, long pc, long sp, long fp) {
        if (isCaller(cursor, pc) || !CallerCheck.isInMethod(generated, pc, sp, cursor)) {
            return false;
        }
        cursor.registers().set(X86_64.RBP, fp);
        cursor.registers().retain(KEPT_BY_JAVA);
        cursor.moveToInterrupted(pc, sp);
        return true;
    }

    private boolean isCallerAbove(FrameCursor cursor, int bytes) {
        return bytes >= 0
                && isCaller(cursor, wordOrZero(cursor, cursor.registers().sp() + bytes));
    }

    /**
     * Returns true if the caller is in rdx: stubs that find an exception's handler pop the return address to rdx before
     * the jump.
     */
    private boolean isCallerInRdx(FrameCursor cursor) {
        Registers registers = cursor.registers();
        return depth.pushed() == ExceptionBlob.IN_RDX
                && registers.knows(X86_64.RDX)
                && generated.isReturnAddress(registers.get(X86_64.RDX), cursor.time());
    }

    private Step callerAbove(FrameCursor cursor, int bytes) throws MemoryFault {
        long returnAt = cursor.registers().sp() + bytes;
        if (depth.pushesRbp()) {
            cursor.registers().set(X86_64.RBP, cursor.stackWord(returnAt - 8));
        }
        return caller(cursor, returnAt);
    }

    /** Steps out of a blob with a known frame size that is not the top frame. */
    private Step sized(FrameCursor cursor) throws MemoryFault {
        long returnAt = cursor.registers().sp() + 8L * blob.frameSize - 8;
        if (isCaller(cursor, cursor.stackWord(returnAt))) {
            cursor.registers().set(X86_64.RBP, cursor.stackWord(returnAt - 8));
            return caller(cursor, returnAt);
        }
        return generated.isFreedCode(cursor.stackWord(returnAt), cursor.time()) ? Step.STALE_CODE : routine(cursor);
    }

    private Step topRuntimeStub(FrameCursor cursor) throws MemoryFault {
        long sp = cursor.registers().sp();
        CompiledPrologue.State state =
                CompiledPrologue.atStubEntry(cursor.registers().pc(), blob, cursor.memory());
        if (state == CompiledPrologue.State.ENTERED && isCaller(cursor, cursor.stackWord(sp))) {
            return caller(cursor, sp);
        }
        if (state == CompiledPrologue.State.RBP_PUSHED && isCaller(cursor, cursor.stackWord(sp + 8))) {
            return popped(cursor, sp);
        }
        if (callsThisBlob(cursor, cursor.stackWord(sp))) {
            return caller(cursor, sp);
        }
        if (callsThisBlob(cursor, cursor.stackWord(sp + 8))) {
            return popped(cursor, sp);
        }
        long returnAt = sp + 8L * blob.frameSize - 8;
        if (isCaller(cursor, wordOrZero(cursor, returnAt))) {
            cursor.registers().set(X86_64.RBP, cursor.stackWord(returnAt - 8));
            return caller(cursor, returnAt);
        }
        return topRoutine(cursor);
    }

    /**
     * Steps out of a leaf routine: the return address is at sp, above one pushed word, above rbp, or above a few pushed
     * registers.
     */
    private Step topRoutine(FrameCursor cursor) throws MemoryFault {
        long sp = cursor.registers().sp();
        if (callsThisBlob(cursor, cursor.stackWord(sp))) {
            return caller(cursor, sp);
        }
        if (callsThisBlob(cursor, cursor.stackWord(sp + 8))) {
            return popped(cursor, sp);
        }
        Step framed = framed(cursor);
        if (framed != null) {
            return framed;
        }
        for (int i = 2; i < MAX_SCAN_WORDS; i++) {
            if (callsThisBlob(cursor, wordOrZero(cursor, sp + 8L * i))) {
                return popped(cursor, sp + 8L * (i - 1));
            }
        }
        // Native code calls some routines, such as VM_Version's detect_virt, whose cpuid a hypervisor emulates slowly.
        if (isCallerAbove(cursor, depth.assumed())) {
            return callerAbove(cursor, depth.assumed());
        }
        if (isCaller(cursor, cursor.stackWord(sp))) {
            return caller(cursor, sp);
        }
        if (isCaller(cursor, cursor.stackWord(sp + 8))) {
            return popped(cursor, sp);
        }
        // Code jumps to the exception blob with the throwing pc in rdx, and the blob jumps to the handler in the same
        // way.
        long rdx = cursor.registers().get(X86_64.RDX);
        if (generated.isReturnAddress(rdx, cursor.time())) {
            return moved(cursor, rdx, sp);
        }
        return generated.implausible(cursor.stackWord(sp), cursor.time(), blob);
    }

    private Step routine(FrameCursor cursor) throws MemoryFault {
        Step framed = framed(cursor);
        return framed != null ? framed : scan(cursor);
    }

    /** Steps through a frame that rbp points to, if its contents are plausible. */
    private @Nullable Step framed(FrameCursor cursor) throws MemoryFault {
        Registers registers = cursor.registers();
        long fp = registers.fp();
        if (!registers.knows(X86_64.RBP) || fp < registers.sp() || fp - registers.sp() > 1 << 20) {
            return null;
        }
        long returnAddress = wordOrZero(cursor, fp + 8);
        long returnAt = fp + 8;
        if (returnAddress == BARRIER_COOKIE) {
            returnAt = fp + 16;
            returnAddress = wordOrZero(cursor, returnAt);
        }
        if (!isCaller(cursor, returnAddress)) {
            return null;
        }
        registers.set(X86_64.RBP, cursor.stackWord(fp));
        return caller(cursor, returnAt);
    }

    private Step scan(FrameCursor cursor) throws MemoryFault {
        long sp = cursor.registers().sp();
        for (int i = 0; i < MAX_SCAN_WORDS; i++) {
            if (callsThisBlob(cursor, wordOrZero(cursor, sp + 8L * i))) {
                return caller(cursor, sp + 8L * i);
            }
        }
        return generated.implausible(cursor.stackWord(sp), cursor.time(), blob);
    }

    /**
     * I2C and C2I adapters move arguments and jump: the return address is at sp, or for some instructions in rax. A C2I
     * adapter keeps the caller's stack pointer in r13 once it has begun to move arguments; before, r13 is arbitrary.
     */
    private Step adapter(FrameCursor cursor) throws MemoryFault {
        Registers registers = cursor.registers();
        long sp = registers.sp();
        long r13 = registers.get(X86_64.R13);
        boolean hasSender = registers.knows(X86_64.R13) && r13 >= sp && r13 < sp + (1 << 16) && (r13 & 7) == 0;
        if (!cursor.exact()) {
            return hasSender && isCaller(cursor, wordOrZero(cursor, r13)) ? caller(cursor, r13) : scan(cursor);
        }
        long room = hasSender ? room(cursor) : 0;
        if (room > 0 && (r13 == sp + room || r13 == sp + room + 8)) {
            boolean stored = r13 != sp + room || !storesRax(cursor);
            long returnAddress = stored ? cursor.stackWord(sp) : registers.get(X86_64.RAX);
            if (isCaller(cursor, returnAddress)) {
                return moved(cursor, returnAddress, r13);
            }
        }
        long rax = registers.get(X86_64.RAX);
        if (hasPoppedRax(cursor) && isCaller(cursor, rax)) {
            // After an I2C adapter, r13 is the interpreted caller's sp; for a compiled caller, r13 is arbitrary.
            return moved(cursor, rax, hasSender && generated.isInterpreter(rax) ? r13 : sp);
        }
        if (hasSender && wordOrZero(cursor, r13) == rax && isCaller(cursor, rax)) {
            return caller(cursor, r13); // the call site is being patched: the return address is still in its place
        }
        long atSp = cursor.stackWord(sp);
        if (isCaller(cursor, atSp)) {
            boolean moves = hasSender
                    && r13 > sp + 8
                    && !generated.isInterpreter(atSp)
                    && (wordOrZero(cursor, r13 - 8) == atSp
                            || !CallerCheck.hasCaller(generated, atSp, sp + 8, cursor)
                                    && CallerCheck.hasCaller(generated, atSp, r13, cursor));
            return moves ? moved(cursor, atSp, r13) : caller(cursor, sp);
        }
        if (isCaller(cursor, rax)) {
            return moved(cursor, rax, hasSender ? r13 : sp);
        }
        // At its entry, the barrier of a collector may save registers below the return address.
        if (isCallerAbove(cursor, depth.pushed())) {
            return callerAbove(cursor, depth.pushed());
        }
        // The VM has patched the call site, and rax has not been restored yet.
        return hasSender && isCaller(cursor, wordOrZero(cursor, r13)) ? caller(cursor, r13) : returnAt(cursor, sp);
    }

    /**
     * Returns the space that a C2I adapter has allocated for the arguments, in bytes; 0 if it has not done so yet. See
     * gen_c2i_adapter: the caller's sp goes to r13, the return address to rax; {@code sub rsp, n}; the return address
     * goes back to the stack.
     */
    private long room(FrameCursor cursor) {
        long pc = cursor.registers().pc();
        byte[] code = new byte[Math.clamp(pc - blob.codeBegin, 0, MAX_ADAPTER)];
        try {
            cursor.memory().read(pc - code.length, code, 0, code.length);
        } catch (MemoryFault e) {
            return 0;
        }
        for (int at = code.length - 4; at >= 3; at--) {
            if ((code[at] & 0xff) == 0x48 && (code[at + 2] & 0xff) == 0xec) {
                int operation = code[at + 1] & 0xff;
                if (operation == 0x83) {
                    return code[at + 3];
                }
                if (operation == 0x81 && at + 7 <= code.length) {
                    return code[at + 3] & 0xff | (code[at + 4] & 0xff) << 8;
                }
            }
        }
        return 0;
    }

    /**
     * Returns true between {@code pop rax; mov r13, rsp} of a C2I adapter and the next change of sp: the word at sp
     * belongs to the caller.
     */
    private boolean hasPoppedRax(FrameCursor cursor) {
        long pc = cursor.registers().pc();
        try {
            return pc - blob.codeBegin >= 4
                    && (cursor.memory().readInt(pc - 1) == POP_RAX_MOV_R13_RSP
                            || cursor.memory().readInt(pc - 4) == POP_RAX_MOV_R13_RSP);
        } catch (MemoryFault e) {
            return false;
        }
    }

    /** Returns true for {@code push rax} or {@code mov [rsp], rax}. */
    private static boolean storesRax(FrameCursor cursor) throws MemoryFault {
        long pc = cursor.registers().pc();
        return cursor.memory().readByte(pc) == 0x50 || cursor.memory().readInt(pc) == 0x240489_48;
    }

    private Step returnAt(FrameCursor cursor, long at) throws MemoryFault {
        long returnAddress = cursor.stackWord(at);
        return isCaller(cursor, returnAddress)
                ? caller(cursor, at)
                : generated.implausible(returnAddress, cursor.time(), blob);
    }

    /**
     * Steps to the caller if one word lies below the return address. If rbp points at that word, it is the caller's
     * rbp.
     */
    private Step popped(FrameCursor cursor, long at) throws MemoryFault {
        if (cursor.registers().fp() == at) {
            cursor.registers().set(X86_64.RBP, cursor.stackWord(at));
        }
        return caller(cursor, at + 8);
    }

    private Step caller(FrameCursor cursor, long returnAt) throws MemoryFault {
        return moved(cursor, cursor.stackWord(returnAt), returnAt + 8);
    }

    private Step moved(FrameCursor cursor, long returnAddress, long sp) {
        cursor.registers().retain(generated.owns(returnAddress) ? KEPT_BY_JAVA : KEPT_BY_NATIVE);
        cursor.moveTo(returnAddress, sp);
        return Step.CALLER;
    }

    /**
     * Returns true if a word can be a return address of this code. Only Java code calls runtime stubs; native code
     * calls the other kinds too.
     */
    private boolean isCaller(FrameCursor cursor, long returnAddress) {
        return generated.owns(returnAddress)
                ? generated.isReturnAddress(returnAddress, cursor.time())
                : blob.kind != CodeBlob.Kind.RUNTIME_STUB && cursor.code().mayReturnTo(returnAddress);
    }

    /**
     * Returns true if a call that ends at the return address targets this routine: the strongest evidence for a return
     * address.
     */
    private boolean callsThisBlob(FrameCursor cursor, long returnAddress) {
        if (!generated.owns(returnAddress)) {
            return false;
        }
        Memory memory = cursor.memory();
        try {
            long target = CallInstruction.target(returnAddress, memory);
            return target != 0
                    && blob.contains(target)
                    && generated.isSameRoutine(frame, target, blob)
                    && generated.isReturnAddress(returnAddress, cursor.time());
        } catch (MemoryFault e) {
            return false;
        }
    }

    private static long wordOrZero(FrameCursor cursor, long address) {
        try {
            return cursor.stackWord(address);
        } catch (MemoryFault e) {
            return 0;
        }
    }
}
