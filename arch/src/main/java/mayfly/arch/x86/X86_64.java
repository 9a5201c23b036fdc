package mayfly.arch.x86;

import java.util.List;
import mayfly.arch.Architecture;
import mayfly.arch.CodeSource;
import mayfly.arch.Epilogue;
import mayfly.arch.Instruction;
import mayfly.arch.InstructionSet;
import mayfly.arch.StackDepthAtPc;
import org.jspecify.annotations.Nullable;

/**
 * x86-64 with the calling convention of the System V ABI, AMD64 supplement ("psABI").
 *
 * <p>Registers are identified by their DWARF numbers: psABI, figure 3.36. Number 16, the column of the return address,
 * is the program counter.
 */
public final class X86_64 {
    public static final int RAX = 0;
    public static final int RDX = 1;
    public static final int RCX = 2;
    public static final int RBX = 3;
    public static final int RSI = 4;
    public static final int RDI = 5;
    public static final int RBP = 6;
    public static final int RSP = 7;
    public static final int R8 = 8;
    public static final int R9 = 9;
    public static final int R10 = 10;
    public static final int R12 = 12;
    public static final int R13 = 13;
    public static final int R14 = 14;
    public static final int R15 = 15;
    public static final int RIP = 16;

    /** The registers that a function preserves: psABI, figure 3.4. */
    private static final long CALLEE_SAVED =
            1L << RBX | 1L << RBP | 1L << RSP | 1L << R12 | 1L << R13 | 1L << R14 | 1L << R15 | 1L << RIP;
    /** The frame record after {@code push rbp; mov rbp, rsp} at the entry: psABI, figure 3.3. */
    private static final Architecture.FrameRecord FRAME_RECORD = new Architecture.FrameRecord(0, 8, 16);
    /** The size of the red zone in bytes: psABI, 3.2.2. */
    private static final int RED_ZONE = 128;
    /** psABI, 3.3.1: the page size of every system for this CPU. */
    private static final int PAGE_SIZE = 4096;

    /** EM_X86_64, see elf.h. */
    private static final int ELF_MACHINE = 62;

    private static final int REGISTERS = 17;

    /** The description of the CPU. */
    public static final Architecture ARCHITECTURE = new Architecture(
            "x86_64",
            ELF_MACHINE,
            REGISTERS,
            RSP,
            RBP,
            RIP,
            Architecture.NONE,
            RAX,
            List.of(RDI, RSI, RDX, RCX, R8, R9),
            CALLEE_SAVED,
            FRAME_RECORD,
            RED_ZONE,
            PAGE_SIZE,
            new Instructions());

    private X86_64() {}

    private static final class Instructions implements InstructionSet {
        /** Intel SDM volume 2, SYSCALL: 0F 05. */
        private static final int SYSCALL_LENGTH = 2;

        @Override
        public int longestCall() {
            return CallInstruction.MAX_LENGTH;
        }

        @Override
        public boolean callEndsAt(byte[] code, int end) {
            return CallInstruction.endsAt(code, end);
        }

        @Override
        public int longestInstruction() {
            return X86Instruction.MAX_LENGTH;
        }

        @Override
        public Instruction instruction() {
            return new X86Instruction();
        }

        @Override
        public boolean routineEndsAt(byte[] code, int end) {
            return RoutineEnd.at(code, end);
        }

        @Override
        public int systemCallLength() {
            return SYSCALL_LENGTH;
        }

        @Override
        public boolean isSystemCall(byte[] code, int at) {
            return at + SYSCALL_LENGTH <= code.length && code[at] == 0x0f && code[at + 1] == 0x05;
        }

        @Override
        public int probeOffset(byte[] entry) {
            int at = ProbePlace.afterMark(entry);
            return ProbePlace.isEmulated(entry, at) ? at : Architecture.NONE;
        }

        @Override
        public int epilogueWindow() {
            return X86Epilogue.WINDOW;
        }

        @Override
        public Epilogue epilogue(byte[] code, long pc, long functionStart, long functionEnd) {
            return new X86Epilogue(code, code.length, pc, functionStart, functionEnd);
        }

        @Override
        public Epilogue epilogueOfUndescribed(byte[] code, long pc) {
            return X86Epilogue.ofUndescribed(code, code.length, pc);
        }

        @Override
        public @Nullable StackDepthAtPc depthFromEntry(long pc, long entry, long end, CodeSource<?> source) {
            StackDepth depth = StackDepth.at(pc, entry, end, StackDepth.Start.ENTRY, source);
            if (depth == null || depth.bytes() == StackDepth.UNKNOWN || depth.bytes() < 0) {
                return null;
            }
            int savedIn = depth.savedIn() < 0 ? Architecture.NONE : X86Instruction.dwarf(depth.savedIn());
            return new StackDepthAtPc(depth.bytes(), savedIn, depth.savedBytes());
        }
    }
}
