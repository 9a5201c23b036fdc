package mayfly.record.wait;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import mayfly.linux.BlockedSyscall;
import mayfly.runtime.thread.ManagedThreadState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WaitReasonTest {
    @ParameterizedTest
    @CsvSource({
        "BLOCKED, FUTEX, lock",
        "WAITING, FUTEX, wait",
        "TIMED_WAITING, FUTEX, wait",
        "PARKED, FUTEX, park",
        "TIMED_PARKED, FUTEX, park",
        "SLEEPING, SLEEP, sleep",
        "IN_VM, FUTEX, runtime",
        "IN_VM, FILE, file",
        "IN_NATIVE, SOCKET, socket",
        "IN_NATIVE, FUTEX, futex",
        "IN_MANAGED_CODE, PAGE, page",
        "UNKNOWN, OTHER, other",
        ", FUTEX, futex",
        ", SLEEP, sleep",
    })
    void stateOfTheRuntimeDecidesWhereItIsOfAWaitAndTheSystemCallElsewhere(
            ManagedThreadState state, BlockedSyscall.Kind call, String word) {
        assertThat(WaitReason.of(state, call).word()).isEqualTo(word);
    }

    @Test
    void wordsAreDistinct() {
        assertThat(Arrays.stream(WaitReason.values()).map(WaitReason::word)).doesNotHaveDuplicates();
    }
}
