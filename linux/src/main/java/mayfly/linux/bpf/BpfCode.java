package mayfly.linux.bpf;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Assembles BPF instructions; see the kernel's Documentation/bpf/standardization/instruction-set.rst. A call takes its
 * arguments in r1 to r5, returns in r0 and preserves r6 to r9; r10 is the frame pointer.
 */
public final class BpfCode {
    static final int R0 = 0;
    static final int R1 = 1;
    static final int R2 = 2;
    static final int R3 = 3;
    static final int R4 = 4;
    static final int R6 = 6;
    static final int R7 = 7;
    static final int R8 = 8;
    static final int R9 = 9;
    public static final int FP = 10;

    /** Source register of {@link #LOAD_WIDE} that marks its value as the descriptor of a map. */
    public static final int PSEUDO_MAP_FD = 1;

    /** Operation, source and class in one byte; 64 bits wide unless the name contains INT. */
    public static final int ADD = 0x07;

    static final int ADD_REGISTER = 0x0f;
    public static final int AND = 0x57;
    public static final int SUBTRACT = 0x1f;
    public static final int SET = 0xb7;
    public static final int MOVE = 0xbf;
    public static final int LOAD_WIDE = 0x18;
    public static final int LOAD_INT = 0x61;
    public static final int LOAD = 0x79;
    public static final int STORE = 0x7b;
    public static final int JUMP = 0x05;
    public static final int JUMP_EQUAL = 0x15;
    public static final int JUMP_NOT_EQUAL = 0x55;
    public static final int JUMP_BELOW = 0xa5;
    public static final int JUMP_BELOW_REGISTER = 0xad;
    /** Jumps when a budget of the kernel's for all loops is used up; since Linux 6.9. */
    static final int MAY_GOTO = 0xe5;

    public static final int CALL = 0x85;
    public static final int EXIT = 0x95;

    private record Jump(int at, String label) {}

    private final List<Long> code = new ArrayList<>();
    private final Map<String, Integer> labels = new HashMap<>();
    private final List<Jump> jumps = new ArrayList<>();

    BpfCode add(int register, int value) {
        return emit(ADD, register, 0, 0, value);
    }

    BpfCode addRegister(int register, int other) {
        return emit(ADD_REGISTER, register, other, 0, 0);
    }

    BpfCode and(int register, int value) {
        return emit(AND, register, 0, 0, value);
    }

    BpfCode subtract(int register, int other) {
        return emit(SUBTRACT, register, other, 0, 0);
    }

    BpfCode set(int register, int value) {
        return emit(SET, register, 0, 0, value);
    }

    BpfCode setLong(int register, long value) {
        return emit(LOAD_WIDE, register, 0, 0, (int) value).emit(0, 0, 0, 0, (int) (value >>> 32));
    }

    BpfCode setMap(int register, int descriptor) {
        return emit(LOAD_WIDE, register, PSEUDO_MAP_FD, 0, descriptor).emit(0, 0, 0, 0, 0);
    }

    BpfCode move(int to, int from) {
        return emit(MOVE, to, from, 0, 0);
    }

    BpfCode load(int to, int base, int offset) {
        return emit(LOAD, to, base, offset, 0);
    }

    BpfCode loadInt(int to, int base, int offset) {
        return emit(LOAD_INT, to, base, offset, 0);
    }

    BpfCode store(int base, int offset, int from) {
        return emit(STORE, base, from, offset, 0);
    }

    BpfCode call(int function) {
        return emit(CALL, 0, 0, 0, function);
    }

    BpfCode exit(int result) {
        return set(R0, result).emit(EXIT, 0, 0, 0, 0);
    }

    BpfCode jump(String label) {
        return jump(JUMP, 0, 0, label);
    }

    BpfCode jumpIfEqual(int register, int value, String label) {
        return jump(JUMP_EQUAL, register, value, label);
    }

    BpfCode jumpIfNotEqual(int register, int value, String label) {
        return jump(JUMP_NOT_EQUAL, register, value, label);
    }

    /** Jumps if below, unsigned. */
    BpfCode jumpIfBelow(int register, int value, String label) {
        return jump(JUMP_BELOW, register, value, label);
    }

    /** Jumps if below, unsigned. */
    BpfCode jumpIfBelowRegister(int register, int other, String label) {
        jumps.add(new Jump(code.size(), label));
        return emit(JUMP_BELOW_REGISTER, register, other, 0, 0);
    }

    /** Jumps when the kernel's budget for loops is used up. A loop that contains it is verified once. */
    BpfCode mayGoto(String label) {
        return jump(MAY_GOTO, 0, 0, label);
    }

    private BpfCode jump(int operation, int register, int value, String label) {
        jumps.add(new Jump(code.size(), label));
        return emit(operation, register, 0, 0, value);
    }

    /** Binds a label to the next instruction. */
    BpfCode label(String name) {
        labels.put(name, code.size());
        return this;
    }

    /** Appends a struct bpf_insn: u8 code, u8 dst:4 src:4, s16 off, s32 imm. */
    private BpfCode emit(int operation, int to, int from, int offset, int value) {
        code.add(operation | to << 8 | from << 12 | (offset & 0xffffL) << 16 | (long) value << 32);
        return this;
    }

    /** Returns the instructions with resolved jumps: an offset counts from the instruction after the jump. */
    long[] instructions() {
        long[] done = code.stream().mapToLong(Long::longValue).toArray();
        for (Jump jump : jumps) {
            Integer target = labels.get(jump.label);
            if (target == null) {
                throw new IllegalStateException("no label " + jump.label);
            }
            done[jump.at] |= (target - jump.at - 1 & 0xffffL) << 16;
        }
        return done;
    }
}
