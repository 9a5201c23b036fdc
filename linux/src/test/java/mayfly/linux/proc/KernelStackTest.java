package mayfly.linux.proc;

import static org.assertj.core.api.Assertions.assertThat;

import mayfly.linux.proc.KernelStack.Function;
import org.junit.jupiter.api.Test;

class KernelStackTest {
    @Test
    void functionsAreParsedInnermostFirst() {
        assertThat(KernelStack.parse("""
            [<0>] futex_do_wait+0x3d/0x70
            [<0>] __x64_sys_futex+0x12e/0x1f0
            [<0>] xfs_wait+0x8/0x20 [xfs]
            """))
                .containsExactly(
                        new Function("futex_do_wait", 0x3d),
                        new Function("__x64_sys_futex", 0x12e),
                        new Function("xfs_wait", 8));
    }

    @Test
    void malformedLinesAreLeftOut() {
        assertThat(KernelStack.parse("[<0>] \n[<0>] f+0xzz/0x1\n[<0>] f+0x1\nf+0x1/0x2\n[<0>] +0x1/0x2\n"))
                .isEmpty();
        assertThat(KernelStack.parse("")).isEmpty();
        assertThat(KernelStack.parse("[<0>] f+0x1/0x2\n".repeat(10_000))).hasSize(64);
    }
}
