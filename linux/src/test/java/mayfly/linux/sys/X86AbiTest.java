package mayfly.linux.sys;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import mayfly.arch.x86.X86_64;
import org.junit.jupiter.api.Test;

class X86AbiTest {

    @Test
    void sampleContainsEveryRegisterOfTheCpuOnce() {
        assertThat(IntStream.range(0, X86Abi.perfRegisters()).map(X86Abi::perfRegister)).containsExactlyInAnyOrder(
                IntStream.range(0, X86Abi.ARCHITECTURE.registers()).boxed().toArray(Integer[]::new));
    }

    /** The bits of asm/perf_regs.h in ascending order: ax, bx and so on up to ip, then r8 to r15. */
    @Test
    void sampledRegistersAreInTheOrderOfTheBitsOfTheMask() {
        assertThat(X86Abi.PERF_MASK).isEqualTo(0xff01ffL);
        assertThat(Long.bitCount(X86Abi.PERF_MASK)).isEqualTo(X86Abi.perfRegisters());
        assertThat(X86Abi.perfRegister(7)).isEqualTo(X86_64.RSP);
        assertThat(X86Abi.perfRegister(8)).isEqualTo(X86_64.RIP);
        assertThat(X86Abi.perfRegister(9)).isEqualTo(X86_64.R8);
        assertThat(X86Abi.perfRegister(16)).isEqualTo(X86_64.R15);
    }

    @Test
    void stoppedThreadHasEveryRegisterOfTheCpuOnce() {
        assertThat(IntStream.range(0, X86Abi.userRegisters()).map(X86Abi::userRegister).filter(each -> each >= 0))
                .containsExactlyInAnyOrder(
                        IntStream.range(0, X86Abi.ARCHITECTURE.registers()).boxed().toArray(Integer[]::new));
    }
}
