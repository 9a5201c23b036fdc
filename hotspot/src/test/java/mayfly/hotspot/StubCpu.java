package mayfly.hotspot;

import java.util.List;
import mayfly.arch.Architecture;
import mayfly.arch.CodeSource;
import mayfly.arch.Epilogue;
import mayfly.arch.Instruction;
import mayfly.arch.InstructionSet;
import mayfly.arch.StackDepthAtPc;
import org.jspecify.annotations.Nullable;

/**
 * A CPU with two instructions of one byte, whose calls store the return address in a register. It has fewer registers
 * than x86-64: rsp, rbp and the program counter of x86-64 do not exist, and their use fails.
 */
final class StubCpu implements InstructionSet {
    static final int RESULT = 0;
    static final int FP = 1;
    static final int LINK = 2;
    static final int SP = 3;
    static final int PC = 4;
    static final byte CALL = 1;
    static final byte RETURN = 2;
    private static final int REGISTERS = 5;
    private static final int MACHINE = 0x4d46;

    static final Architecture ARCHITECTURE = new Architecture(
            "stub",
            MACHINE,
            REGISTERS,
            SP,
            FP,
            PC,
            LINK,
            RESULT,
            List.of(RESULT),
            1L << SP | 1L << FP | 1L << PC,
            new Architecture.FrameRecord(-16, -8, 0),
            0,
            4096,
            new StubCpu());

    private StubCpu() {}

    @Override
    public int longestCall() {
        return 1;
    }

    @Override
    public int probeOffset(byte[] entry) {
        return Architecture.NONE;
    }

    @Override
    public boolean callEndsAt(byte[] code, int end) {
        return code[end - 1] == CALL;
    }

    @Override
    public int longestInstruction() {
        return 1;
    }

    @Override
    public Instruction instruction() {
        return new OneByte();
    }

    @Override
    public boolean routineEndsAt(byte[] code, int end) {
        return end > 0 && code[end - 1] == RETURN;
    }

    @Override
    public int systemCallLength() {
        return 1;
    }

    @Override
    public boolean isSystemCall(byte[] code, int at) {
        return false;
    }

    @Override
    public int epilogueWindow() {
        return 1;
    }

    @Override
    public Epilogue epilogue(byte[] code, long pc, long functionStart, long functionEnd) {
        return epilogueOfUndescribed(code, pc);
    }

    @Override
    public Epilogue epilogueOfUndescribed(byte[] code, long pc) {
        throw new UnsupportedOperationException("only native code has such epilogues");
    }

    @Override
    public @Nullable StackDepthAtPc depthFromEntry(long pc, long entry, long end, CodeSource<?> source) {
        return null;
    }

    private static final class OneByte implements Instruction {
        private byte opcode;

        @Override
        public boolean decode(byte[] code, int from, int end) {
            opcode = from < end ? code[from] : 0;
            return from < end;
        }

        @Override
        public int length() {
            return 1;
        }

        @Override
        public boolean isCall() {
            return opcode == CALL;
        }

        @Override
        public boolean isJump() {
            return false;
        }

        @Override
        public boolean isConditional() {
            return false;
        }

        @Override
        public boolean ends() {
            return opcode == RETURN;
        }

        @Override
        public long jumpDistance() {
            return 0;
        }
    }
}
