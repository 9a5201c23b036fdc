package mayfly.hotspot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import mayfly.arch.x86.X86_64;
import mayfly.hotspot.code.ForgedNmethod;
import mayfly.hotspot.frames.SiteDecoder;
import mayfly.hotspot.frames.x86.X86Sites;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.hotspot.tables.UnsupportedVm.Reason;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.runtime.CodeRanges;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.Step;
import org.junit.jupiter.api.Test;

/** Another CPU needs a {@link SiteDecoder} and a row in a table. {@link StubSites} is a decoder to start from. */
class SiteDecodersTest {
    private static final List<SiteDecoder> ROWS = List.of(new X86Sites(), new StubSites());
    private static final long SP = 0x7c00_0000_1000L;
    private static final long INTERPRETER_FP = SP + 0x100;
    private static final long ENTRY_FP = SP + 0x200;
    private static final long OUTER_FP = SP + 0x300;
    private static final long NATIVE = 0x5000_0000_0010L;
    private static final int FRAME_WORDS = 4;
    private static final int FRAME_BYTES = 8 * FRAME_WORDS;
    private static final int FRAME_COMPLETE = 4;
    private static final int RETURN = 24;
    private static final int OTHER_RETURN = 56;
    private static final CodeRanges RANGES = new CodeRanges() {
        @Override
        public boolean isCode(long address) {
            return address == NATIVE;
        }

        @Override
        public boolean mayReturnTo(long address) {
            return address == NATIVE;
        }
    };

    private record Walked(List<Frame> frames, Step end, Registers registers) {
        List<String> labels() {
            return frames.stream().map(Frame::label).toList();
        }
    }

    /** A forged VM on the stub CPU, with the stack of one thread. */
    private static final class Target {
        private final ForgedVm vm;

        Target(ForgedVm vm) {
            this.vm = vm;
            vm.memory.map(SP, 4096);
        }

        ForgedNmethod nmethod(String name) {
            byte[] code = new byte[64];
            code[RETURN - 1] = StubCpu.CALL;
            code[OTHER_RETURN - 1] = StubCpu.CALL;
            ForgedNmethod spec = new ForgedNmethod(vm.method("a/" + name, "run", "()V", 8)).instructions(code);
            spec.frameWords = FRAME_WORDS;
            spec.frameComplete = FRAME_COMPLETE;
            return spec;
        }

        Target word(long address, long value) {
            vm.memory.putLong(address, value);
            return this;
        }

        /** Walks until a step does not find a caller in generated code. */
        Walked walk(long pc, long link, boolean exact) throws Exception {
            vm.writeTables();
            HotSpot hotSpot = HotSpot.open(
                    new RuntimeId(1),
                    SiteDecoders.of(StubCpu.ARCHITECTURE, ROWS),
                    vm.memory,
                    vm,
                    vm.layout(),
                    ForgedVm.LIBRARY);
            Registers registers = new Registers(StubCpu.ARCHITECTURE);
            registers.setPc(pc);
            registers.setSp(SP);
            registers.setFp(INTERPRETER_FP);
            registers.set(StubCpu.LINK, link);
            FrameCursor cursor = new FrameCursor(StubCpu.ARCHITECTURE, vm.memory, vm.memory, RANGES);
            cursor.start(registers, 0);
            if (!exact) {
                cursor.moveTo(pc, SP);
            }
            List<Frame> frames = new ArrayList<>();
            Step step = Step.CALLER;
            while (step == Step.CALLER && hotSpot.owns(cursor.registers().pc())) {
                step = hotSpot.step(cursor, frames::add);
            }
            return new Walked(frames, step, cursor.registers());
        }
    }

    @Test
    void walkGoesThroughEveryKindOfFrameOfAnotherCpu() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Target target = new Target(vm);
            ForgedNmethod spec = target.nmethod("Caller");
            int excluded = vm.feature >= 20 ? 1 : 0;
            int outer = spec.scope(excluded, 0, spec.metadata(spec.method), 5);
            int inlined = spec.metadata(vm.method("a/Inlined", "get", "()V", 8));
            spec.pc(RETURN, spec.scope(excluded, outer, inlined, 3));
            long caller = vm.nmethod(spec).codeBegin() + RETURN;
            ForgedNmethod wrapper = target.nmethod("Wrapper");
            wrapper.isNative = true;
            long wrapped = vm.nmethod(wrapper).codeBegin() + RETURN;
            long leaf = vm.stubs.codeBegin() + 256;
            vm.variable("_ZN12StubRoutines4stub5_leafE", leaf);
            target.word(SP + FRAME_BYTES - 16, INTERPRETER_FP)
                    .word(SP + FRAME_BYTES - 8, wrapped)
                    .word(SP + 2 * FRAME_BYTES - 16, INTERPRETER_FP)
                    .word(SP + 2 * FRAME_BYTES - 8, vm.codelet(2) + 8)
                    .word(INTERPRETER_FP + StubSites.METHOD, vm.method("b/Interpreted", "go", "()V", 8))
                    .word(INTERPRETER_FP + StubSites.SENDER_SP, INTERPRETER_FP + 24)
                    .word(INTERPRETER_FP - 16, ENTRY_FP)
                    .word(INTERPRETER_FP - 8, vm.stubs.codeBegin() + 64)
                    .word(ENTRY_FP - 16, OUTER_FP)
                    .word(ENTRY_FP - 8, NATIVE);
            Walked walked = target.walk(leaf + 8, caller, true);
            assertThat(walked.labels())
                    .containsExactly(
                            "leaf", "a.Inlined.get", "a.Caller.run", "a.Wrapper.run", "b.Interpreted.go", "call_stub");
            assertThat(walked.end).isEqualTo(Step.CALLER);
            assertThat(walked.registers.pc()).isEqualTo(NATIVE);
            assertThat(walked.registers.sp()).isEqualTo(ENTRY_FP);
            assertThat(walked.registers.fp()).isEqualTo(OUTER_FP);
            assertThat(walked.registers.knows(StubCpu.LINK)).isFalse();
        }
    }

    /** A method that has not built its frame yet has left the return address in the link register. */
    @Test
    void returnAddressInTheLinkRegisterIsFoundAtTheLeaf() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Target target = new Target(vm);
            long caller = vm.nmethod(target.nmethod("Caller").compileId(2)).codeBegin() + RETURN;
            long entered = vm.nmethod(target.nmethod("Entered").compileId(3)).codeBegin() + FRAME_COMPLETE - 1;
            target.word(SP + FRAME_BYTES - 16, OUTER_FP).word(SP + FRAME_BYTES - 8, NATIVE);
            Walked walked = target.walk(entered, caller, true);
            assertThat(walked.labels()).containsExactly("a.Entered.run", "a.Caller.run");
            assertThat(walked.registers.pc()).isEqualTo(NATIVE);
            assertThat(walked.registers.sp()).isEqualTo(SP + FRAME_BYTES);
        }
    }

    /** {@code e8} is a call of x86-64, and no instruction of the stub CPU. */
    @Test
    void addressNotPrecededByACallOfItsCpuIsImplausible() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Target target = new Target(vm);
            ForgedNmethod spec = target.nmethod("Caller");
            spec.instructions[RETURN - 1] = 0;
            spec.instructions[RETURN - 5] = (byte) 0xe8;
            long caller = vm.nmethod(spec).codeBegin();
            long leaf = vm.stubs.codeBegin() + 256;
            assertThat(target.walk(leaf, caller + RETURN, true).end).isEqualTo(Step.IMPLAUSIBLE_RETURN_ADDRESS);
        }
    }

    @Test
    void scopeAtTheLeafIsFoundByTheInstructionsOfTheTargetsCpu() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Target target = new Target(vm);
            ForgedNmethod spec = target.nmethod("Leaf");
            int excluded = vm.feature >= 20 ? 1 : 0;
            int method = spec.metadata(spec.method);
            spec.pc(RETURN, spec.scope(excluded, 0, method, 5)).pc(OTHER_RETURN, spec.scope(excluded, 0, method, 7));
            spec.oopMaps = new int[] {RETURN, OTHER_RETURN};
            long code = vm.nmethod(spec).codeBegin();
            target.word(SP + FRAME_BYTES - 16, OUTER_FP).word(SP + FRAME_BYTES - 8, NATIVE);
            assertThat(leaf(target, code + RETURN - 1)).isEqualTo("5 CERTAIN");
            assertThat(leaf(target, code + RETURN + 2)).as("after the call").isEqualTo("5 ENCLOSING");
            assertThat(leaf(target, code + OTHER_RETURN - 1)).isEqualTo("7 CERTAIN");
            assertThat(leaf(target, code + OTHER_RETURN - 4))
                    .as("before the other call")
                    .isEqualTo("7 ENCLOSING");
        }
    }

    private static String leaf(Target target, long pc) throws Exception {
        Frame.Managed leaf = (Frame.Managed) target.walk(pc, 0, true).frames.getFirst();
        return leaf.position() + " " + leaf.certainty();
    }

    @Test
    void deoptimizedFrameContinuesAtItsSavedProgramCounter() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Target target = new Target(vm);
            ForgedNmethod spec = target.nmethod("Deoptimized");
            spec.deoptHandler = 60;
            spec.origPcOffset = 8;
            long code = vm.nmethod(spec).codeBegin();
            target.word(SP + 8, code + RETURN)
                    .word(SP + FRAME_BYTES - 16, OUTER_FP)
                    .word(SP + FRAME_BYTES - 8, NATIVE);
            Walked walked = target.walk(code + spec.deoptHandler, 0, false);
            assertThat(walked.labels()).containsExactly("a.Deoptimized.run");
            assertThat(walked.registers.pc()).isEqualTo(NATIVE);
            assertThat(target.word(SP + 8, code + spec.deoptHandler).walk(code + spec.deoptHandler, 0, false).end)
                    .as("its own handler")
                    .isEqualTo(Step.BAD_METADATA);
        }
    }

    @Test
    void virtualThreadEndsAtItsContinuationEntry() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        Target target = new Target(vm);
        long barrier = vm.stubs.codeBegin() + 256;
        vm.variable("_ZN12StubRoutines19_cont_returnBarrierE", barrier);
        long carrier = vm.nmethod(target.nmethod("Carrier")).codeBegin() + RETURN;
        long end = SP + 64 + 16;
        target.word(end - 16, ENTRY_FP)
                .word(end - 8, carrier)
                .word(end + FRAME_BYTES - 16, OUTER_FP)
                .word(end + FRAME_BYTES - 8, NATIVE);
        Walked walked = target.walk(barrier, 0, false);
        assertThat(walked.labels()).containsExactly("a.Carrier.run");
        assertThat(walked.registers.sp()).isEqualTo(end + FRAME_BYTES);
    }

    @Test
    void vmOnACpuWithoutARowIsRefused() {
        ForgedVm vm = ForgedVm.jdk25();
        vm.writeTables();
        assertThatThrownBy(() -> HotSpot.open(new RuntimeId(1), StubCpu.ARCHITECTURE, vm.memory, vm, ForgedVm.LIBRARY))
                .isInstanceOfSatisfying(
                        UnsupportedVm.class, e -> assertThat(e.reason()).isEqualTo(Reason.OTHER_CPU))
                .hasMessage("frames on stub are not supported; supported CPUs: x86_64");
    }

    @Test
    void eachRowIsFoundByItsCpu() throws Exception {
        assertThat(SiteDecoders.of(X86_64.ARCHITECTURE)).isInstanceOf(X86Sites.class);
        assertThat(SiteDecoders.of(X86_64.ARCHITECTURE, ROWS)).isInstanceOf(X86Sites.class);
        assertThat(SiteDecoders.of(StubCpu.ARCHITECTURE, ROWS)).isInstanceOf(StubSites.class);
    }
}
