package mayfly.linux.bpf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Objects;
import mayfly.linux.LiveProcess;
import mayfly.linux.bpf.BpfFilter.Loops;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The kernel's verifier accepts each form of the program. */
@Tag("privileged")
class BpfFilterTest {
    private static final int STACK_BYTES = 32 << 10;
    /** A rate at which as many pages may be saved as at any other. */
    private static final long PERIOD = 100_000_000;

    @ParameterizedTest
    @EnumSource
    void programThatSavesStacksIsVerified(Loops loops) throws Exception {
        try (LiveProcess own = LiveProcess.open((int) ProcessHandle.current().pid())) {
            StackRing ring = StackRing.create(PERIOD);
            assumeTrue(ring != null, "BPF is not permitted here");
            try (StackRing opened = Objects.requireNonNull(ring);
                    BpfFilter filter = BpfFilter.load(own, STACK_BYTES, PERIOD, opened, loops)) {
                assumeTrue(filter != null || loops != Loops.VERIFIED_ONCE, "the kernel, before 6.9, has no such loop");
                assertThat(filter).isNotNull();
            }
        }
    }
}
