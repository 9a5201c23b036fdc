package mayfly.hotspot.frames.x86;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.code.ForgedNmethod;
import mayfly.hotspot.code.MonitorSlot;
import mayfly.hotspot.code.MonitorSlot.Form;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.Unsigned5;
import org.junit.jupiter.api.Test;

/** The monitors that interpreted and compiled frames have entered. */
class EnteredMonitorsTest {
    private static final int CALL = 24;
    private static final int FP = (int) (ForgedStack.FP - ForgedStack.SP);
    private static final int METHOD = FP - 24;
    private static final int TOP = FP - 72;

    private static List<MonitorSlot> interpreted(ForgedVm vm, long top, long... words) throws Exception {
        ForgedStack stack = new ForgedStack(vm)
                .word(METHOD, vm.method("a/Locking", "run", "()V", 8))
                .word(TOP, top);
        for (int i = 0; i < words.length; i++) {
            stack.word(TOP - 8 * (words.length - i), words[i]);
        }
        return vm.open().code().monitors(stack.returningTo(vm.codelet(0), 0));
    }

    private static MonitorSlot entered(long object) {
        return new MonitorSlot(0, false, Form.REFERENCE, object);
    }

    @Test
    void monitorsOfAnInterpretedFrameAreThoseInItsSlotsTheLastFirst() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            long absolute = ForgedStack.SP + TOP - 48;
            assertThat(interpreted(vm, absolute, 1, 0xc0, 2, 0, 3, 0xa0))
                    .as("a slot without an object is free")
                    .containsExactly(entered(0xc0), entered(0xa0));
        }
        assertThat(interpreted(ForgedVm.jdk25(), (TOP - FP) / 8 - 4, 1, 0xb0, 2, 0xa0))
                .as("words from the frame pointer")
                .containsExactly(entered(0xb0), entered(0xa0));
        assertThat(interpreted(ForgedVm.jdk25(), (TOP - FP) / 8)).isEmpty();
    }

    @Test
    void interpretedFrameWithImplausibleSlotsIsRefused() {
        long end = ForgedStack.SP + TOP;
        for (long top : new long[] {0, end + 16, end - 8, end - (1 << 20), -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> interpreted(ForgedVm.jdk25(), top))
                    .as("0x%x", top)
                    .isInstanceOf(BadMetadata.class);
        }
    }

    @Test
    void monitorsOfACompiledFrameAreWhereItsDebugInformationSays() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            int excluded = vm.feature >= 20 ? 1 : 0;
            byte[] code = new byte[64];
            code[CALL - 5] = (byte) 0xe8;
            ForgedNmethod spec = new ForgedNmethod(vm.method("a/Locking", "run", "()V", 8)).instructions(code);
            byte[] monitors = Unsigned5.encode(4, excluded);
            for (int location : new int[] {2 | 4 << 5, 9 | 6 << 5, 2 | 0x10 | 10 << 5, 2 | 0x10 | 12 << 5}) {
                monitors = Unsigned5.join(
                        monitors,
                        Unsigned5.encode(0, excluded),
                        Unsigned5.encode(0, excluded),
                        Unsigned5.encode(location, excluded),
                        new byte[1]);
            }
            int at = spec.append(monitors);
            int scope = spec.append(Unsigned5.join(
                    Unsigned5.encode(0, excluded),
                    Unsigned5.encode(spec.metadata(spec.method), excluded),
                    Unsigned5.encode(1, excluded),
                    Unsigned5.encode(0, excluded),
                    Unsigned5.encode(0, excluded),
                    Unsigned5.encode(at, excluded)));
            long pc = vm.nmethod(spec.pc(CALL, scope)).codeBegin() + CALL;
            ForgedStack stack = new ForgedStack(vm).word(16, 0xa0).word(24, 0x1234_5678_0000_00b0L);
            assertThat(vm.open().code().monitors(stack.returningTo(pc, 0)))
                    .as("JDK %d", vm.feature)
                    .containsExactly(
                            new MonitorSlot(0, false, Form.UNKNOWN, 0),
                            entered(ForgedStack.FP),
                            new MonitorSlot(0, false, Form.NARROW, 0xb0),
                            entered(0xa0));
            assertThat(vm.open().code().monitors(stack.returningTo(pc + 8, 0)))
                    .as("no call returns there")
                    .isEmpty();
            assertThat(vm.open().code().monitors(stack.interruptedAt(pc, 0)))
                    .as("an interrupted instruction")
                    .isEmpty();
        }
    }
}
