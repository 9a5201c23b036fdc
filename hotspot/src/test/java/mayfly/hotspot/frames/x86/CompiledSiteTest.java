package mayfly.hotspot.frames.x86;

import static org.assertj.core.api.Assertions.assertThat;

import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.code.ForgedNmethod;
import mayfly.runtime.Step;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The outcome of a step out of a compiled method if the word in place of the return address is not a return address.
 */
class CompiledSiteTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int CALL = 24;
    private static final int FRAME_WORDS = 4;
    private static final int RETURN_ADDRESS_AT = FRAME_WORDS * 8 - 8;

    /** A caller's blob, and a method that has called and whose frame is complete. */
    private record Called(ForgedStack stack, ForgedVm.Blob caller, long pc) {

        /**
         * With a scope at the call, the scope determines the location of the return address; otherwise only the frame
         * size does.
         */
        static Called of(ForgedVm vm, boolean recorded) {
            byte[] code = new byte[64];
            code[CALL - 5] = (byte) 0xe8;
            ForgedNmethod spec = new ForgedNmethod(vm.method("a/Callee", "run", "()V", 8)).instructions(code);
            spec.frameWords = FRAME_WORDS;
            spec.frameComplete = -1;
            if (recorded) {
                spec.pc(CALL, spec.scope(vm.feature >= 20 ? 1 : 0, 0, spec.metadata(spec.method), 1));
            }
            ForgedVm.Blob caller = vm.nmethod(new ForgedNmethod(vm.method("a/Caller", "run", "()V", 8))
                    .compileId(7)
                    .instructions(code));
            return new Called(new ForgedStack(vm), caller, vm.nmethod(spec).codeBegin() + CALL);
        }

        Step step(HotSpot hotSpot, long returnAddress) {
            return hotSpot.step(stack.word(RETURN_ADDRESS_AT, returnAddress).returningTo(pc, 2 * SECOND), frame -> {});
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void addressAfterACallIsTheCaller(boolean recorded) throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Called called = Called.of(vm, recorded);
            assertThat(called.step(vm.open(), called.caller.codeBegin() + CALL)).isEqualTo(Step.CALLER);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void addressInCurrentCodeWithoutACallBeforeIsImplausible(boolean recorded) throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Called called = Called.of(vm, recorded);
            assertThat(called.step(vm.open(), called.caller.codeBegin() + CALL + 1))
                    .isEqualTo(Step.IMPLAUSIBLE_RETURN_ADDRESS);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void addressInCodeThatWasFreedIsStale(boolean recorded) throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Called called = Called.of(vm, recorded);
            vm.free(called.caller);
            assertThat(called.step(vm.open(), called.caller.codeBegin() + CALL)).isEqualTo(Step.STALE_CODE);
        }
    }

    /** Between the sample and the walk, other code replaced the sampled code. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void addressInCodeThatWasReplacedSinceIsStale(boolean recorded) throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            long block = vm.nextBlock();
            Called called = Called.of(vm, recorded);
            HotSpot hotSpot = vm.open();
            hotSpot.newEpoch(SECOND);
            assertThat(called.step(hotSpot, called.caller.codeBegin() + CALL)).isEqualTo(Step.CALLER);
            vm.nmethod(block, new ForgedNmethod(vm.method("a/Other", "run", "()V", 8)).compileId(8));
            hotSpot.newEpoch(3 * SECOND);
            assertThat(called.step(hotSpot, called.caller.codeBegin() + CALL + 1))
                    .isEqualTo(Step.STALE_CODE);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void addressOutsideOfAllCodeIsImplausible(boolean recorded) throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Called called = Called.of(vm, recorded);
            assertThat(called.step(vm.open(), 4711)).isEqualTo(Step.IMPLAUSIBLE_RETURN_ADDRESS);
        }
    }
}
