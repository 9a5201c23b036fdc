package mayfly.unwind;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import mayfly.arch.Architecture;
import mayfly.arch.CodeSource;
import mayfly.arch.Epilogue;
import mayfly.arch.InstructionSet;
import mayfly.arch.StackDepthAtPc;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;
import mayfly.profile.Frame;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.Step;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A CPU with two instructions, whose calls put the return address into a register. */
class StubCpuTest {
    private static final int SP = 0;
    private static final int FP = 1;
    private static final int PC = 2;
    private static final int LINK = 3;
    private static final int RESULT = 4;
    private static final int SAVED = 5;
    private static final byte CALL = 1;
    private static final byte RETURN = 2;

    /** A frame pointer points past the frame record. */
    private static final Architecture STUB = new Architecture("stub", 6, SP, FP, PC, LINK, RESULT,
            1 << SP | 1 << FP | 1 << PC | 1 << SAVED, new Architecture.FrameRecord(-16, -8, 0), 0, 4096,
            new TwoInstructions());

    private static final class TwoInstructions implements InstructionSet {
        @Override
        public int longestCall() {
            return 1;
        }

        @Override
        public boolean callEndsAt(byte[] code, int end) {
            return code[end - 1] == CALL;
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
            return new Return(code[0] == RETURN);
        }

        @Override
        public @Nullable StackDepthAtPc depthFromEntry(long pc, long entry, long end, CodeSource<?> source) {
            return null;
        }
    }

    private record Return(boolean leaves) implements Epilogue {
        @Override
        public boolean keeps(int register) {
            return leaves;
        }

        @Override
        public boolean returnsByLinkRegister() {
            return true;
        }

        @Override
        public long returnAddressOffset() {
            return 0;
        }

        @Override
        public long callersStackPointerOffset() {
            return 0;
        }
    }

    static final long BIAS = 0x5000_0000_0000L;
    static final long STACK = 0x7000_0000_0000L;
    /** Returns at 4. No call-frame information. */
    private static final int LEAF = 0x1000;
    /** Calls at 3. Has saved the link register and a register. */
    static final int MIDDLE = 0x1020;
    /** Calls at 3. No call-frame information; keeps a frame pointer. */
    private static final int OUTER = 0x1040;
    /** Calls at 3. Has no caller. */
    private static final int START = 0x1060;
    /** Calls at 3. By its call-frame information, the return address is in the link register. */
    private static final int DESCRIBED_LEAF = 0x1080;
    static final int FUNCTION_SIZE = 0x20;
    private static final int FILE_SIZE = 0x2000;

    static byte[] file() {
        ByteBuffer file = ByteBuffer.allocate(FILE_SIZE).order(ByteOrder.LITTLE_ENDIAN);
        // An ELF header; the machine is one that the module binary reads.
        file.putInt(0x464c_457f).put((byte) 2).put((byte) 1).put((byte) 1).position(16);
        file.putShort((short) 3).putShort((short) 62).putInt(1).putLong(0).putLong(64).putLong(0).putInt(0)
                .putShort((short) 64).putShort((short) 56).putShort((short) 2);
        file.position(64);
        // PT_LOAD of all, readable and executable; PT_GNU_EH_FRAME.
        file.putInt(1).putInt(5).putLong(0).putLong(0).putLong(0).putLong(FILE_SIZE).putLong(FILE_SIZE).putLong(4096);
        file.putInt(0x6474_e550).putInt(4).putLong(0x200).putLong(0x200).putLong(0).putLong(8).putLong(8).putLong(4);
        // .eh_frame_hdr without a search table.
        file.position(0x200);
        file.put((byte) 1).put((byte) 3).put((byte) 0xff).put((byte) 0xff).putInt(0x300);
        file.position(0x300);
        // A CIE: version 1, no augmentation, factors 1 and -8, return address in LINK; the CFA is at SP.
        file.putInt(16).putInt(0).put((byte) 1).put((byte) 0).put((byte) 1).put((byte) 0x78).put((byte) LINK)
                .put((byte) 0x0c).put((byte) SP).put((byte) 0).position(0x314);
        // DW_CFA_def_cfa SP, 32; DW_CFA_offset LINK, SAVED.
        entry(file, MIDDLE, 0x0c, SP, 32, 0x80 | LINK, 1, 0x80 | SAVED, 2);
        // DW_CFA_undefined LINK.
        entry(file, START, 0x07, LINK);
        entry(file, DESCRIBED_LEAF);
        for (int function : new int[] {LEAF, MIDDLE, OUTER, START, DESCRIBED_LEAF}) {
            file.put(function + 3, CALL);
            file.put(function + 4, RETURN);
        }
        return file.array();
    }

    private static void entry(ByteBuffer file, int function, int... instructions) {
        int at = file.position();
        file.putInt(28).putInt(at + 4 - 0x300).putLong(function).putLong(FUNCTION_SIZE);
        for (int instruction : instructions) {
            file.put((byte) instruction);
        }
        file.position(at + 32);
    }

    record StubProcess(byte[] bytes, Map<Long, Long> stack) implements TargetProcess {
        @Override
        public Architecture architecture() {
            return STUB;
        }

        @Override
        public int pid() {
            return 1;
        }

        @Override
        public Memory memory() {
            return new Memory() {
                @Override
                public void read(long address, byte[] to, int offset, int length) throws MemoryFault {
                    throw new MemoryFault(address, length);
                }

                @Override
                public long readLong(long address) throws MemoryFault {
                    Long word = stack.get(address);
                    if (word == null) {
                        throw new MemoryFault(address, Long.BYTES);
                    }
                    return word;
                }
            };
        }

        @Override
        public List<Mapping> mappings() {
            return List.of(new Mapping(BIAS, BIAS + FILE_SIZE, true, false, true, 0, "00:01", 1, "/stub"));
        }

        @Override
        public List<TargetThread> threads() {
            return List.of();
        }

        @Override
        public MemorySegment file(Mapping mapping) {
            return MemorySegment.ofArray(bytes);
        }

        @Override
        public MemorySegment fileAt(String path) throws IOException {
            throw new IOException("no other file");
        }

        @Override
        public void close() {
        }
    }

    /** Returns the registers of a thread that is about to return from {@link #LEAF} to {@link #MIDDLE}. */
    static Registers atLeaf() {
        return registersAt(LEAF + 4);
    }

    private static Registers registersAt(int pc) {
        Registers registers = new Registers(STUB);
        registers.setPc(BIAS + pc);
        registers.setSp(STACK);
        registers.setFp(STACK + 64);
        registers.set(LINK, BIAS + MIDDLE + 4);
        registers.set(SAVED, 1);
        return registers;
    }

    private record Walked(List<Long> frames, Step end, Registers registers) {
    }

    /** Walks from a function that was called by {@link #MIDDLE}. */
    private static Walked walkFrom(int pc, Map<Long, Long> stack) throws Exception {
        NativeCode code = NativeCode.of(new StubProcess(file(), stack));
        Registers registers = registersAt(pc);
        Memory memory = new StubProcess(file(), stack).memory();
        FrameCursor cursor = new FrameCursor(STUB, memory, memory, code);
        cursor.start(registers, 0);
        NativeStepper stepper = new NativeStepper(code, address -> false);
        List<Long> frames = new ArrayList<>();
        Step step = Step.CALLER;
        while (step == Step.CALLER && frames.size() < 10) {
            step = stepper.step(cursor, frame -> frames.add(((Frame.Native) frame).address()));
        }
        return new Walked(frames, step, cursor.registers());
    }

    static Map<Long, Long> stack() {
        return Map.of(STACK + 24, BIAS + OUTER + 4, STACK + 16, 5L, STACK + 48, STACK + 128, STACK + 56, BIAS + START + 4);
    }

    @Test
    void walkFindsEachReturnAddressWhereTheCpuHasIt() throws Exception {
        Walked walked = walkFrom(LEAF + 4, stack());
        assertThat(walked.frames).containsExactly(LEAF + 4L, MIDDLE + 3L, OUTER + 3L, START + 3L);
        assertThat(walked.end).isEqualTo(Step.ROOT);
        assertThat(walked.registers.sp()).isEqualTo(STACK + 64);
        assertThat(walked.registers.fp()).isEqualTo(STACK + 128);
    }

    @Test
    void callFrameInformationMayLeaveTheReturnAddressInItsRegister() throws Exception {
        Walked walked = walkFrom(DESCRIBED_LEAF, stack());
        assertThat(walked.frames).containsExactly((long) DESCRIBED_LEAF, MIDDLE + 3L, OUTER + 3L, START + 3L);
        assertThat(walked.end).isEqualTo(Step.ROOT);
    }

    /** The call has overwritten the link register. */
    @Test
    void callerThatHasNotSavedItsReturnAddressEndsTheWalk() throws Exception {
        Walked walked = walkFrom(LEAF + 4, Map.of(STACK + 24, BIAS + DESCRIBED_LEAF + 4, STACK + 16, 5L));
        assertThat(walked.frames).containsExactly(LEAF + 4L, MIDDLE + 3L, DESCRIBED_LEAF + 3L);
        assertThat(walked.end).isEqualTo(Step.UNKNOWN_REGISTER);
        assertThat(walked.registers.get(SAVED)).isEqualTo(5);
    }
}
