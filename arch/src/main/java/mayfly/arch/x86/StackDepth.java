package mayfly.arch.x86;

import java.util.HashMap;
import java.util.Map;
import mayfly.arch.CodeSource;
import org.jspecify.annotations.Nullable;

/**
 * The distance of the stack pointer at an instruction below its value at the start of the decoded code. The distance
 * varies within a frame: code pushes registers around a call, allocates space in the slow path of a barrier, or copies
 * a short string to the stack. The tables of a managed runtime do not contain this distance, nor does call-frame
 * information that refers to a frame pointer. It is therefore computed from the instructions.
 *
 * <p>The instructions are decoded linearly from a location where the depth is known. In a compiled method this is a
 * call or trap with debug information, where the VM itself needs only the frame size to walk the frame. In a native
 * function it is the entry. The state at a branch also applies to its target. Code that follows a jump, and is not the
 * target of a decoded branch, is assumed to be at the depth of the complete frame: see {@link Start}.
 *
 * @param bytes the distance, or {@link #UNKNOWN}
 * @param savedIn the register that contains the frame's stack pointer minus {@code savedBytes}, -1 for none
 * @param savedAt the offset from the stack pointer to a pushed copy of that value, in bytes, -1 for none
 * @param savedBytes the distance of the saved stack pointer below the stack pointer at the start
 * @param assumedAt if this depth is assumed, the end of the jump before it, in bytes from the start; 0 if decoded paths
 *     from the start lead here
 */
public record StackDepth(int bytes, int savedIn, int savedAt, int savedBytes, int assumedAt) {
    /** The state at the start of the decoded code. */
    public enum Start {
        /**
         * The frame is complete at the start. The slow paths of a method, which follow its jumps, also have a complete
         * frame.
         */
        WHOLE_FRAME,
        /**
         * The start is the entry of a function, which then sets up its frame. Code after a jump is assumed to be at the
         * depth of the last call before it, because compilers generate calls only with a complete frame.
         */
        ENTRY
    }

    /** The depth after a join of paths with different depths, or after a move by an amount that is not in the code. */
    public static final int UNKNOWN = Integer.MIN_VALUE;
    /** The depth of a complete frame with nothing below it. */
    public static final StackDepth WHOLE = new StackDepth(0, -1, -1, 0, 0);

    /** Upper bound on the code that is decoded, in bytes. */
    private static final int MAX_CODE = 64 * 1024;
    /**
     * The number of bytes that are decoded after the instruction, to find the backward branches of loops that contain
     * it.
     */
    private static final int AHEAD = 512;

    private static final int MAX_BYTES = 1 << 20;
    private static final int WORD = 8;
    private static final int RBP = 5;

    /**
     * Returns the depth at an instruction that has not been executed yet.
     *
     * @param start an instruction at or before {@code pc}, at which the frame is complete and the depth is 0
     * @param end the end of the code
     * @return null if the instructions on the way do not determine it, or cannot be read
     */
    public static @Nullable StackDepth at(long pc, long start, long end, CodeSource<?> source) {
        return at(pc, start, end, Start.WHOLE_FRAME, source);
    }

    /**
     * Returns the depth at an instruction that has not been executed yet.
     *
     * @param start an instruction at or before {@code pc}, at which the depth is 0
     * @param end the end of the code
     * @param from the state at the start
     * @return null if the instructions on the way do not determine it, or cannot be read
     */
    public static @Nullable StackDepth at(long pc, long start, long end, Start from, CodeSource<?> source) {
        if (pc - start < 0 || pc - start > MAX_CODE) {
            return null;
        }
        byte[] code = read(start, (int) Math.min(pc - start + AHEAD, end - start), source);
        if (code == null) {
            code = read(start, (int) (pc - start), source);
        }
        if (code == null) {
            return null;
        }
        int to = (int) (pc - start);
        Map<Integer, StackDepth> branched = new HashMap<>();
        StackDepth depth = pass(code, to, from, branched);
        if (depth != null && (depth.isAssumed() || depth.bytes == UNKNOWN)) {
            pass(code, code.length, from, branched);
            depth = pass(code, to, from, branched);
        }
        return depth == null || !depth.isKnown() ? null : depth;
    }

    /** Returns true if this depth is assumed, because no decoded path leads to the instruction. */
    public boolean isAssumed() {
        return assumedAt > 0;
    }

    private boolean isKnown() {
        return bytes != UNKNOWN || savedIn >= 0 || savedAt >= 0;
    }

    private StackDepth assumedBehind(int jump) {
        return new StackDepth(bytes, savedIn, savedAt, savedBytes, jump);
    }

    private static byte @Nullable [] read(long from, int length, CodeSource<?> source) {
        byte[] code = new byte[Math.max(0, length)];
        try {
            source.read(from, code, 0, code.length);
            return code;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            return null; // the exception of the source: the code is incomplete
        }
    }

    /**
     * Decodes from the start to a position.
     *
     * @param branched the states at branches, by their targets; this method adds to it
     * @return null if an instruction is unknown
     */
    private static @Nullable StackDepth pass(byte[] code, int to, Start from, Map<Integer, StackDepth> branched) {
        X86Instruction instruction = new X86Instruction();
        StackDepth depth = WHOLE;
        StackDepth whole = WHOLE;
        int at = 0;
        while (at < to) {
            if (!instruction.decode(code, at, code.length)) {
                return null;
            }
            at += instruction.length();
            depth = depth.after(instruction);
            if (depth == null) {
                return null;
            }
            if (from == Start.ENTRY && isCall(instruction) && depth.isKnown()) {
                whole = depth;
            }
            long target = at + instruction.immediate();
            if (isBranch(instruction) && target > 0 && target <= code.length) {
                branched.merge((int) target, depth, StackDepth::meets);
            }
            StackDepth here = branched.get(at);
            if (instruction.ends()) {
                depth = here == null ? whole.assumedBehind(at) : here;
            } else if (here != null) {
                depth = here.meets(depth);
            }
        }
        return at == to ? depth : null;
    }

    /** Returns this depth relative to a start that is {@code offset} bytes lower. */
    public StackDepth below(int offset) {
        int from = bytes == UNKNOWN ? UNKNOWN : bytes - offset;
        return new StackDepth(from, savedIn, savedAt, savedBytes - offset, assumedAt);
    }

    /** Returns the state at the join of two paths. */
    private StackDepth meets(StackDepth other) {
        if (assumedAt != other.assumedAt) {
            return assumedAt < other.assumedAt ? this : other; // the later assumption was wrong
        }
        boolean sameSaved = savedBytes == other.savedBytes;
        return new StackDepth(
                bytes == other.bytes ? bytes : UNKNOWN,
                sameSaved && savedIn == other.savedIn ? savedIn : -1,
                sameSaved && savedAt == other.savedAt ? savedAt : -1,
                savedBytes,
                assumedAt);
    }

    private @Nullable StackDepth after(X86Instruction i) {
        if (i.isVector()) {
            return this;
        }
        return switch (i.opcode()) {
            case 0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57 -> pushed(i.opcodeRegister());
            case 0x58, 0x59, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f -> popped(i.opcodeRegister());
            case 0x68, 0x6a, 0x9c -> lowered(WORD);
            case 0x8f, 0x9d -> lowered(-WORD);
            case 0xff -> i.extension() == 6 ? lowered(WORD) : this;
            // A call whose target is the next instruction pushes that instruction's address, which stays on the stack.
            case 0xe8 -> i.immediate() == 0 ? lowered(WORD) : this;
            case 0x81, 0x83 -> i.isToRegister() && i.operandRegister() == X86Instruction.RSP ? computed(i) : this;
            case 0x89 -> i.isToRegister() ? moved(i.register(), i.operandRegister()) : this;
            case 0x8b -> i.isToRegister() ? moved(i.operandRegister(), i.register()) : written(i.register());
            case 0x8d -> loaded(i);
            case 0x29 -> i.isToRegister() ? subtracted(i.operandRegister()) : this;
            case 0x01, 0x09, 0x21, 0x31, 0x87 -> i.isToRegister() ? written(i.operandRegister()) : this;
            case 0x03, 0x0b, 0x23, 0x2b, 0x33, 0x63 -> written(i.register());
            // LEAVE; ENTER is not used.
            case 0xc9 -> savedIn == RBP ? restored().lowered(-WORD) : null;
            case 0xc8 -> null;
            default -> this;
        };
    }

    /** LEA. */
    private @Nullable StackDepth loaded(X86Instruction i) {
        if (i.register() != X86Instruction.RSP) {
            return written(i.register());
        }
        if (i.isAtRsp()) {
            return lowered(-i.displacement());
        }
        return savedIn >= 0 && i.base() == savedIn ? atSaved().lowered(-i.displacement()) : null;
    }

    private @Nullable StackDepth subtracted(int register) {
        return register == X86Instruction.RSP ? unknown() : written(register);
    }

    private @Nullable StackDepth lowered(long by) {
        if (bytes != UNKNOWN && (bytes + by > MAX_BYTES || bytes + by < -MAX_BYTES)) {
            return null;
        }
        int at = savedAt < 0 ? -1 : (int) Math.max(-1, savedAt + by);
        return new StackDepth(bytes == UNKNOWN ? UNKNOWN : (int) (bytes + by), savedIn, at, savedBytes, assumedAt);
    }

    private @Nullable StackDepth pushed(int register) {
        StackDepth lower = lowered(WORD);
        return lower == null || register != savedIn || savedIn < 0
                ? lower
                : new StackDepth(lower.bytes, savedIn, 0, savedBytes, assumedAt);
    }

    private @Nullable StackDepth popped(int register) {
        if (register == X86Instruction.RSP) {
            return savedAt == 0 ? restored() : null;
        }
        StackDepth higher = lowered(-WORD);
        return higher == null ? null : higher.written(register);
    }

    /** Handles ADD, SUB, AND and CMP with a constant. */
    private @Nullable StackDepth computed(X86Instruction i) {
        return switch (i.extension()) {
            case 0 -> lowered(-i.immediate());
            case 5 -> lowered(i.immediate());
            case 4 -> unknown();
            case 7 -> this;
            default -> null;
        };
    }

    private @Nullable StackDepth moved(int from, int to) {
        if (to == X86Instruction.RSP) {
            // A move from another register restores the stack pointer after it was aligned for a call.
            return from == savedIn ? restored() : unknown();
        }
        // The first saved stack pointer is restored later. Later copies are addresses of data on the stack.
        boolean saves = from == X86Instruction.RSP
                && to < X86Instruction.LEGACY_REGISTERS
                && bytes != UNKNOWN
                && savedIn < 0
                && savedAt < 0;
        return saves ? new StackDepth(bytes, to, -1, bytes, assumedAt) : written(to);
    }

    private @Nullable StackDepth written(int register) {
        if (register == X86Instruction.RSP) {
            return null;
        }
        return register == savedIn ? new StackDepth(bytes, -1, savedAt, savedBytes, assumedAt) : this;
    }

    /**
     * Returns this depth after the stack pointer was lowered by an amount that is not in the code: for alignment, or
     * for alloca(3). HotSpot's code that reports an error aligns the stack pointer, and lies between a branch and its
     * target; the state at the target is that of the branch.
     */
    private StackDepth unknown() {
        return new StackDepth(UNKNOWN, savedIn, -1, savedBytes, assumedAt);
    }

    /** Returns the depth at the saved stack pointer, which remains saved. */
    private StackDepth atSaved() {
        return new StackDepth(savedBytes, savedIn, savedAt, savedBytes, assumedAt);
    }

    private StackDepth restored() {
        return new StackDepth(savedBytes, -1, -1, 0, assumedAt);
    }

    private static boolean isCall(X86Instruction i) {
        return !i.isVector() && (i.opcode() == 0xe8 && i.immediate() != 0 || i.opcode() == 0xff && i.extension() == 2);
    }

    private static boolean isBranch(X86Instruction i) {
        int opcode = i.opcode();
        return !i.isVector()
                && (opcode >= 0x70 && opcode <= 0x7f
                        || opcode >= 0xe0 && opcode <= 0xe3
                        || opcode == 0xe9
                        || opcode == 0xeb
                        || opcode >= 0x0f80 && opcode <= 0x0f8f);
    }
}
