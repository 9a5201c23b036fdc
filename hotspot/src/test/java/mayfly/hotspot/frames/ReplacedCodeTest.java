package mayfly.hotspot.frames;

import static org.assertj.core.api.Assertions.assertThat;

import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.code.ForgedNmethod;
import org.junit.jupiter.api.Test;

/** The owner of a return address of a sample taken between two confirmations, when one nmethod replaced another. */
class ReplacedCodeTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int RETURN = 24;

    /** Code with a call that returns to {@link #RETURN}. */
    private static byte[] calling() {
        byte[] code = new byte[64];
        code[RETURN - 5] = (byte) 0xe8;
        return code;
    }

    private static ForgedNmethod nmethod(ForgedVm vm, String name, int compileId) {
        return new ForgedNmethod(vm.method("a/" + name, "run", "()V", 8))
                .compileId(compileId)
                .instructions(calling());
    }

    private static ForgedNmethod recorded(ForgedVm vm, ForgedNmethod spec, int at) {
        int method = spec.metadata(spec.method);
        return spec.pc(at, spec.scope(vm.feature >= 20 ? 1 : 0, 0, method, 1));
    }

    /** A VM, and a return address in an nmethod that was replaced between second 1 and second 2. */
    private record Replaced(HotSpot hotSpot, long pc, Site before) {

        /** The second nmethod records a call that returns to the given offset. */
        static Replaced by(ForgedVm vm, int recorded) throws Exception {
            long block = vm.nextBlock();
            long pc = vm.nmethod(block, recorded(vm, nmethod(vm, "Before", 5), RETURN))
                            .codeBegin()
                    + RETURN;
            HotSpot hotSpot = vm.open();
            hotSpot.newEpoch(SECOND);
            Site before = hotSpot.code().returnSite(pc, SECOND);
            assertThat(before.isReturn).isTrue();
            assertThat(before.blob.identity).isEqualTo(5);
            vm.nmethod(block, recorded(vm, nmethod(vm, "After", 6), recorded));
            hotSpot.newEpoch(2 * SECOND);
            return new Replaced(hotSpot, pc, before);
        }
    }

    /** The new code has a call that is not recorded, such as a call of a stub: the call in the old code counts. */
    @Test
    void returnAddressBelongsToTheOldCodeIfOnlyTheOldCodeRecordsTheCall() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Replaced code = Replaced.by(vm, 40);
            assertThat(code.hotSpot.code().returnSite(code.pc, SECOND + 1)).isSameAs(code.before);
            assertThat(code.before.blob.superseded).isTrue();
            assertThat(code.hotSpot.code().returnSite(code.pc, 3 * SECOND).blob.identity)
                    .isEqualTo(6);
        }
    }

    /** If both record a call, the owner is ambiguous: the current nmethod counts. */
    @Test
    void returnAddressBelongsToNewCodeIfBothRecordTheCall() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Replaced code = Replaced.by(vm, RETURN);
            assertThat(code.hotSpot.code().returnSite(code.pc, SECOND + 1).blob.identity)
                    .isEqualTo(6);
        }
    }
}
