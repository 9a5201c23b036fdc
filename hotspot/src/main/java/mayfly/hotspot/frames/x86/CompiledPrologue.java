package mayfly.hotspot.frames.x86;

import mayfly.arch.x86.StackDepth;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.Nmethod;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import org.jspecify.annotations.Nullable;

/**
 * Determines the state of a compiled method's frame at an instruction, from the instructions that C1 and C2 use to
 * build and remove it: see MacroAssembler::verified_entry and C1_MacroAssembler::build_frame in the VM's x86 sources.
 */
final class CompiledPrologue {

    /** The part of the frame that exists. */
    enum State {
        /** The complete frame. */
        COMPLETE,
        /** Only the return address, at sp. */
        ENTERED,
        /** The return address at sp + 8, the caller's rbp at sp. */
        RBP_PUSHED,
        /** The frame is allocated, but the caller's rbp is still in the register. */
        RBP_NOT_SAVED
    }

    private static final int MAX_PROLOGUE = 64;
    private static final int WORD = 8;

    private CompiledPrologue() {}

    /**
     * Returns the state of a frame of the given size at a depth. If the stack pointer is above the frame, the method
     * has begun to remove it.
     */
    static State of(StackDepth depth, int frameWords) {
        int bytes = depth.bytes();
        int left = frameWords * WORD + bytes;
        if (bytes >= 0 || bytes == StackDepth.UNKNOWN) {
            return State.COMPLETE;
        }
        return switch (left) {
            case WORD -> State.ENTERED;
            case 2 * WORD -> State.RBP_PUSHED;
            default -> State.COMPLETE;
        };
    }

    /** Returns the state at a program counter whose instruction has not been executed. */
    static State at(long pc, Nmethod nmethod, Memory memory) throws MemoryFault {
        if (pc < nmethod.verifiedEntry && nmethod.osrEntry == 0) {
            return State.ENTERED;
        }
        if (pc >= nmethod.verifiedEntry
                && pc < nmethod.codeBegin + nmethod.frameComplete
                && pc < nmethod.verifiedEntry + MAX_PROLOGUE) {
            return known(afterEntry(nmethod.verifiedEntry, pc, memory));
        }
        if (nmethod.osrEntry != 0 && pc >= nmethod.osrEntry && pc < nmethod.osrEntry + MAX_PROLOGUE) {
            State state = known(afterEntry(nmethod.osrEntry, pc, memory));
            if (state != State.COMPLETE) {
                return state;
            }
        }
        return atExit(pc, nmethod, memory);
    }

    /** Returns the state at the start of a stub that builds its frame as compiled code does, or null if it does not. */
    static @Nullable State atStubEntry(long pc, CodeBlob blob, Memory memory) throws MemoryFault {
        return pc < blob.codeBegin || pc >= blob.codeBegin + MAX_PROLOGUE
                ? null
                : afterEntry(blob.codeBegin, pc, memory).decided();
    }

    /** The state after the instructions from an entry on, and whether all of them belong to a known prologue. */
    private record Decoded(State state, boolean whole) {
        @Nullable
        State decided() {
            return whole ? state : null;
        }
    }

    /**
     * Returns the decoded state, even if the decoding ended at an unknown instruction: the checks before the frame is
     * built, such as a class initialisation barrier, do not change the state.
     */
    private static State known(Decoded decoded) {
        return decoded.state;
    }

    /**
     * Decodes from an entry up to the pc. The first instruction that belongs to no known prologue ends the decoding.
     */
    private static Decoded afterEntry(long entry, long pc, Memory memory) throws MemoryFault {
        byte[] code = new byte[MAX_PROLOGUE + 16];
        memory.read(entry, code, 0, code.length);
        int to = (int) (pc - entry);
        State state = State.ENTERED;
        int at = 0;
        while (at < to) {
            int length;
            if (at == 0 && matches(code, 0, 0xe9) && (code[6] == 0 || code[6] == -1)) {
                // The method was made not entrant: a jump overwrote the first 5 of 7 bytes. The last of the 7 bytes is
                // 0 in a frame size, and 0xff in the displacement −n of a stack bang.
                length = 7;
                state = code[6] == 0 ? State.RBP_NOT_SAVED : state;
            } else if (matches(code, at, 0x55)) { // push rbp
                length = 1;
                state = State.RBP_PUSHED;
            } else if (matches(code, at, 0x48, 0x83, 0xec)) { // sub rsp, imm8
                length = 4;
                state = state == State.RBP_PUSHED ? State.COMPLETE : State.RBP_NOT_SAVED;
            } else if (matches(code, at, 0x48, 0x81, 0xec)) { // sub rsp, imm32
                length = 7;
                state = state == State.RBP_PUSHED ? State.COMPLETE : State.RBP_NOT_SAVED;
            } else if (matches(code, at, 0x48, 0x89, 0x6c, 0x24)) { // mov [rsp + disp8], rbp
                length = 5;
                state = State.COMPLETE;
            } else if (matches(code, at, 0x48, 0x89, 0xac, 0x24)) { // mov [rsp + disp32], rbp
                length = 8;
                state = State.COMPLETE;
            } else if (matches(code, at, 0x89, 0x84, 0x24)) { // mov [rsp - disp32], eax: stack bang
                length = 7;
            } else if (matches(code, at, 0x48, 0x8b, 0xec) || matches(code, at, 0x48, 0x89, 0xe5)) { // mov rbp, rsp
                length = 3;
            } else if ((length = nop(code, at)) == 0) {
                return new Decoded(state, false);
            }
            at += length;
            if (state == State.COMPLETE) {
                return new Decoded(state, true);
            }
        }
        return new Decoded(state, true);
    }

    /**
     * Epilogue: add rsp, n; pop rbp; [vzeroupper]; cmp rsp, [r15 + poll]; ja stub; ret. The stub: lea or mov of a pc to
     * r10; mov [r15 + saved pc], r10; jmp. The stub's jump leaves the method; the slow path of a barrier also stores
     * r10 but returns to the method.
     */
    private static State atExit(long pc, Nmethod nmethod, Memory memory) throws MemoryFault {
        byte[] code = new byte[16];
        memory.read(pc, code, 0, code.length);
        byte[] before = new byte[8];
        memory.read(pc - 8, before, 0, 8);
        if (matches(code, 0, 0x5d) && (isAddRsp(before) || isExit(code, 1))) {
            return State.RBP_PUSHED;
        }
        boolean poppedRbp = before[7] == 0x5d && before[6] != 0x41; // 41 5d is pop r13
        if (isExit(code, 0) && (poppedRbp || isPollCompare(before, code))) {
            return State.ENTERED;
        }
        boolean returnPollStub = matches(code, 0, 0x4c, 0x8d, 0x15) && matches(code, 7, 0x4d, 0x89, 0x97)
                || matches(code, 0, 0x49, 0xba) && matches(code, 10, 0x4d, 0x89, 0x97)
                || matches(code, 0, 0x4d, 0x89, 0x97) && leaves(pc, code, 7, nmethod)
                || (before[1] & 0xff) == 0x4d
                        && (before[2] & 0xff) == 0x89
                        && (before[3] & 0xff) == 0x97
                        && leaves(pc, code, 0, nmethod);
        return returnPollStub ? State.ENTERED : State.COMPLETE;
    }

    /**
     * Returns true if the pc is in the stub of a statically bound call to the interpreter: mov rbx, Method*; jmp. The
     * call itself leads to the stub, so the return address is at sp. See CompiledDirectCall::emit_to_interp_stub.
     */
    static boolean isStaticCallStub(long pc, Nmethod nmethod, Memory memory) throws MemoryFault {
        byte[] code = new byte[16];
        memory.read(pc, code, 0, code.length);
        return matches(code, 0, 0x48, 0xbb) && leaves(pc, code, 10, nmethod)
                || leaves(pc, code, 0, nmethod) && memory.readShort(pc - 10) == 0xbb48;
    }

    /** Returns true if there is a jmp rel32 at this position that leaves the method. */
    private static boolean leaves(long pc, byte[] code, int at, Nmethod nmethod) {
        if (!matches(code, at, 0xe9)) {
            return false;
        }
        int displacement =
                (code[at + 1] & 0xff) | (code[at + 2] & 0xff) << 8 | (code[at + 3] & 0xff) << 16 | code[at + 4] << 24;
        return !nmethod.contains(pc + at + 5 + displacement);
    }

    private static boolean isAddRsp(byte[] before) {
        return (before[4] & 0xff) == 0x48 && (before[5] & 0xff) == 0x83 && (before[6] & 0xff) == 0xc4
                || (before[1] & 0xff) == 0x48 && (before[2] & 0xff) == 0x81 && (before[3] & 0xff) == 0xc4;
    }

    /** Returns true if the following instructions leave the method without changing the stack pointer. */
    private static boolean isExit(byte[] code, int at) {
        return matches(code, at, 0xc3)
                || matches(code, at, 0xc5, 0xf8, 0x77)
                || matches(code, at, 0x49, 0x3b, 0xa7)
                || matches(code, at, 0x49, 0x3b, 0x67)
                || matches(code, at, 0x0f, 0x87) && matches(code, at + 6, 0xc3)
                || matches(code, at, 0xe9)
                || matches(code, at, 0x41, 0xff)
                || matches(code, at, 0xff, 0xe0);
    }

    /** Returns true if the next instruction is ret, or the previous one is vzeroupper, the poll's compare or its ja. */
    private static boolean isPollCompare(byte[] before, byte[] code) {
        boolean compare = (before[1] & 0xff) == 0x49 && (before[2] & 0xff) == 0x3b && (before[3] & 0xff) == 0xa7
                || (before[4] & 0xff) == 0x49 && (before[5] & 0xff) == 0x3b && (before[6] & 0xff) == 0x67
                || (before[2] & 0xff) == 0x0f && (before[3] & 0xff) == 0x87;
        return matches(code, 0, 0xc3)
                || (before[5] & 0xff) == 0xc5 && (before[6] & 0xff) == 0xf8 && before[7] == 0x77
                || compare;
    }

    private static int nop(byte[] code, int at) {
        if (matches(code, at, 0x90)) {
            return 1;
        }
        if (matches(code, at, 0x66, 0x90)) {
            return 2;
        }
        int prefix = 0;
        while (matches(code, at + prefix, 0x66)) {
            prefix++;
        }
        if (!matches(code, at + prefix, 0x0f, 0x1f)) {
            return 0;
        }
        int modRm = code[at + prefix + 2] & 0xff;
        int displacement = switch (modRm >> 6) {
            case 1 -> 1;
            case 2 -> 4;
            default -> 0;
        };
        return prefix + 3 + ((modRm & 7) == 4 ? 1 : 0) + displacement;
    }

    private static boolean matches(byte[] code, int at, int... bytes) {
        if (at + bytes.length > code.length) {
            return false;
        }
        for (int i = 0; i < bytes.length; i++) {
            if ((code[at + i] & 0xff) != bytes[i]) {
                return false;
            }
        }
        return true;
    }
}
