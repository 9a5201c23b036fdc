package mayfly.unwind;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import mayfly.arch.Architecture;
import mayfly.arch.CodeSource;
import mayfly.arch.Epilogue;
import mayfly.arch.Instruction;
import mayfly.arch.InstructionSet;
import mayfly.arch.StackDepthAtPc;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;
import mayfly.process.replay.ProcessSnapshot;
import mayfly.process.replay.RecordedProcess;
import mayfly.process.replay.RecordedWalk;
import mayfly.process.replay.SnapshotFormat;
import mayfly.profile.Frame;
import mayfly.runtime.AddressRange;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.Step;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Walks on a CPU with two instructions, whose calls store the return address in a register. It has more registers than
 * the supported CPUs, and different register numbers.
 */
class StubCpuTest {
    private static final int RESULT = 0;
    private static final int FP = 29;
    private static final int LINK = 30;
    private static final int SP = 31;
    private static final int PC = 32;
    private static final int SAVED = 39;
    private static final int REGISTERS = 40;
    private static final int MACHINE = 0x4d46;
    private static final int OTHER_MACHINE = 62;
    private static final byte CALL = 1;
    private static final byte RETURN = 2;

    /** A frame pointer points past the frame record. */
    private static final Architecture STUB = new Architecture(
            "stub",
            MACHINE,
            REGISTERS,
            SP,
            FP,
            PC,
            LINK,
            RESULT,
            List.of(RESULT),
            1L << SP | 1L << FP | 1L << PC | 1L << SAVED,
            new Architecture.FrameRecord(-16, -8, 0),
            0,
            4096,
            new TwoInstructions());

    private static final class TwoInstructions implements InstructionSet {
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
            throw new UnsupportedOperationException("only managed code is decoded by instruction");
        }

        @Override
        public boolean routineEndsAt(byte[] code, int end) {
            throw new UnsupportedOperationException("only managed code has routines without symbols");
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
    /** Returns at offset 4. No call-frame information. */
    private static final int LEAF = 0x1000;
    /** Calls at offset 3. Has saved the link register and another register. */
    static final int MIDDLE = 0x1020;
    /** Calls at offset 3. No call-frame information; keeps a frame pointer. */
    static final int OUTER = 0x1040;
    /** Calls at offset 3. Has no caller. */
    private static final int START = 0x1060;
    /** Calls at offset 3. Its call-frame information declares the return address to be in the link register. */
    private static final int DESCRIBED_LEAF = 0x1080;
    /** As {@link #MIDDLE}, but its frame address is the result of an expression. */
    private static final int EXPRESSED = 0x10a0;

    static final int FUNCTION_SIZE = 0x20;
    private static final int FILE_SIZE = 0x2000;

    static byte[] file() {
        return file(MACHINE);
    }

    private static byte[] file(int machine) {
        ByteBuffer file = ByteBuffer.allocate(FILE_SIZE).order(ByteOrder.LITTLE_ENDIAN);
        // An ELF header.
        file.putInt(0x464c_457f).put((byte) 2).put((byte) 1).put((byte) 1).position(16);
        file.putShort((short) 3)
                .putShort((short) machine)
                .putInt(1)
                .putLong(0)
                .putLong(64)
                .putLong(0)
                .putInt(0)
                .putShort((short) 64)
                .putShort((short) 56)
                .putShort((short) 2);
        file.position(64);
        // PT_LOAD of all, readable and executable; PT_GNU_EH_FRAME.
        file.putInt(1)
                .putInt(5)
                .putLong(0)
                .putLong(0)
                .putLong(0)
                .putLong(FILE_SIZE)
                .putLong(FILE_SIZE)
                .putLong(4096);
        file.putInt(0x6474_e550)
                .putInt(4)
                .putLong(0x200)
                .putLong(0x200)
                .putLong(0)
                .putLong(8)
                .putLong(8)
                .putLong(4);
        // .eh_frame_hdr without a search table.
        file.position(0x200);
        file.put((byte) 1).put((byte) 3).put((byte) 0xff).put((byte) 0xff).putInt(0x300);
        file.position(0x300);
        // A CIE: version 1, no augmentation, factors 1 and -8, return address in LINK; the CFA is at SP.
        file.putInt(16)
                .putInt(0)
                .put((byte) 1)
                .put((byte) 0)
                .put((byte) 1)
                .put((byte) 0x78)
                .put((byte) LINK)
                .put((byte) 0x0c)
                .put((byte) SP)
                .put((byte) 0)
                .position(0x314);
        // DW_CFA_def_cfa SP, 32; DW_CFA_offset LINK, SAVED.
        entry(file, MIDDLE, 0x0c, SP, 32, 0x80 | LINK, 1, 0x80 | SAVED, 2);
        // DW_CFA_undefined LINK.
        entry(file, START, 0x07, LINK);
        entry(file, DESCRIBED_LEAF);
        // DW_CFA_def_cfa_expression: DW_OP_breg31 32; DW_CFA_offset LINK, SAVED.
        entry(file, EXPRESSED, 0x0f, 2, 0x70 + SP, 32, 0x80 | LINK, 1, 0x80 | SAVED, 2);
        for (int function : new int[] {LEAF, MIDDLE, OUTER, START, DESCRIBED_LEAF, EXPRESSED}) {
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
        public void close() {}
    }

    /** Returns the registers of a thread that is about to return from {@link #LEAF} to {@link #MIDDLE}. */
    static Registers atLeaf() {
        return registersAt(LEAF + 4, MIDDLE);
    }

    /** Returns the registers of a thread in a function that was called by another one. */
    private static Registers registersAt(int pc, int caller) {
        Registers registers = new Registers(STUB);
        registers.setPc(BIAS + pc);
        registers.setSp(STACK);
        registers.setFp(STACK + 64);
        registers.set(LINK, BIAS + caller + 4);
        registers.set(SAVED, 1);
        return registers;
    }

    private record Walked(List<Long> frames, Step end, Registers registers) {}

    /** Walks from a function that was called by {@link #MIDDLE}. */
    private static Walked walkFrom(int pc, Map<Long, Long> stack) throws Exception {
        return walk(registersAt(pc, MIDDLE), stack);
    }

    private static Walked walk(Registers registers, Map<Long, Long> stack) throws Exception {
        NativeCode code = NativeCode.of(new StubProcess(file(), stack));
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
        return Map.of(
                STACK + 24, BIAS + OUTER + 4, STACK + 16, 5L, STACK + 48, STACK + 128, STACK + 56, BIAS + START + 4);
    }

    @Test
    void walkFindsReturnAddressesInTheLinkRegisterAndOnTheStack() throws Exception {
        Walked walked = walkFrom(LEAF + 4, stack());
        assertThat(walked.frames).containsExactly(LEAF + 4L, MIDDLE + 3L, OUTER + 3L, START + 3L);
        assertThat(walked.end).isEqualTo(Step.ROOT);
        assertThat(walked.registers.sp()).isEqualTo(STACK + 64);
        assertThat(walked.registers.fp()).isEqualTo(STACK + 128);
    }

    @Test
    void functionIsFoundByItsCallFrameInformation() throws Exception {
        NativeModule module =
                NativeCode.of(new StubProcess(file(), stack())).modules().getFirst();
        assertThat(module.functionAt(BIAS + MIDDLE + 4))
                .isEqualTo(new AddressRange(BIAS + MIDDLE, BIAS + MIDDLE + FUNCTION_SIZE));
        assertThat(module.functionAt(BIAS + OUTER)).isNull();
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

    @Test
    void rowHasARuleForEachRegisterOfTheCpu() throws Exception {
        Walked walked = walkFrom(LEAF + 4, Map.of(STACK + 24, BIAS + DESCRIBED_LEAF + 4, STACK + 16, 5L));
        assertThat(walked.frames).endsWith(DESCRIBED_LEAF + 3L);
        assertThat(walked.registers.knows(SAVED)).isTrue();
        assertThat(walked.registers.get(SAVED)).isEqualTo(5);
    }

    @Test
    void expressionMayReferToEveryRegisterOfTheCpu() throws Exception {
        Walked walked = walk(registersAt(LEAF + 4, EXPRESSED), stack());
        assertThat(walked.frames).containsExactly(LEAF + 4L, EXPRESSED + 3L, OUTER + 3L, START + 3L);
        assertThat(walked.end).isEqualTo(Step.ROOT);
        assertThat(walked.registers.get(SAVED)).isEqualTo(5);
    }

    @Test
    void fileForAnotherCpuIsNotRead() throws Exception {
        NativeModule module = NativeCode.of(new StubProcess(file(OTHER_MACHINE), stack()))
                .modules()
                .getFirst();
        assertThat(module.elf()).isNull();
        assertThat(module.problem()).contains("not an executable or library for this CPU", "machine 62, not 19782");
        assertThat(NativeCode.of(new StubProcess(file(), stack()))
                        .modules()
                        .getFirst()
                        .elf())
                .isNotNull();
    }

    @Test
    void recordedProcessHasTheRegistersOfItsCpu() throws Exception {
        var snapshot = new ProcessSnapshot(STUB);
        snapshot.walk(
                new RecordedWalk(new TargetThread(1, "main", 'R', 0, 0, 0), atLeaf(), 1, 2, STACK, new long[] {3}));
        RecordedProcess read = RecordedProcess.read(STUB, SnapshotFormat.write(snapshot));
        assertThat(read.architecture()).isSameAs(STUB);
        Registers registers = Objects.requireNonNull(read.snapshot().walk()).registers();
        for (int register = 0; register < REGISTERS; register++) {
            assertThat(registers.knows(register)).isEqualTo(atLeaf().knows(register));
            assertThat(registers.get(register)).isEqualTo(atLeaf().get(register));
        }
    }
}
