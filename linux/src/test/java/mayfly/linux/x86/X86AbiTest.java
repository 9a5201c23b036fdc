package mayfly.linux.x86;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;
import mayfly.linux.abi.Abi;
import mayfly.linux.abi.SystemCall;
import org.junit.jupiter.api.Test;

class X86AbiTest {
    private static final Abi ABI = X86Abi.ABI;
    private static final Integer[] ALL_REGISTERS =
            IntStream.range(0, X86_64.ARCHITECTURE.registers()).boxed().toArray(Integer[]::new);

    @Test
    void sampleContainsEveryRegisterOfTheCpuOnce() {
        assertThat(IntStream.of(ABI.sampled())).containsExactlyInAnyOrder(ALL_REGISTERS);
    }

    /** The bits of asm/perf_regs.h in ascending order: ax, bx and so on up to ip, then r8 to r15. */
    @Test
    void sampledRegistersAreInTheOrderOfTheBitsOfTheMask() {
        assertThat(ABI.perfMask()).isEqualTo(0xff01ffL);
        int[] sampled = ABI.sampled();
        assertThat(sampled).hasSize(Long.bitCount(ABI.perfMask()));
        assertThat(sampled[7]).isEqualTo(X86_64.RSP);
        assertThat(sampled[8]).isEqualTo(X86_64.RIP);
        assertThat(sampled[9]).isEqualTo(X86_64.R8);
        assertThat(sampled[16]).isEqualTo(X86_64.R15);
    }

    @Test
    void stoppedThreadHasEveryRegisterOfTheCpuOnce() {
        assertThat(ABI.userRegisters().stream().filter(each -> each != Architecture.NONE))
                .containsExactlyInAnyOrder(ALL_REGISTERS);
    }

    @Test
    void everySystemCallHasItsOwnNumber() {
        assertThat(ABI.systemCalls()).containsOnlyKeys(SystemCall.values());
        assertThat(ABI.systemCalls().values()).doesNotHaveDuplicates();
    }
}
