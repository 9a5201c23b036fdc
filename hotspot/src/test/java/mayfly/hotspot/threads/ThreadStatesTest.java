package mayfly.hotspot.threads;

import static org.assertj.core.api.Assertions.assertThat;

import mayfly.runtime.thread.ManagedThreadState;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThreadStatesTest {

    @ParameterizedTest
    @CsvSource({
        // in the VM or blocked there, the status has the reason
        "10, 5, IN_VM",
        "10, 225, SLEEPING",
        "10, 401, WAITING",
        "10, 417, TIMED_WAITING",
        "10, 657, PARKED",
        "10, 673, TIMED_PARKED",
        "10, 1025, BLOCKED",
        "6, 657, PARKED",
        "7, 1025, BLOCKED",
        "11, 225, SLEEPING",
        // the location of a running thread
        "8, 5, IN_MANAGED_CODE",
        "9, 5, IN_MANAGED_CODE",
        "4, 5, IN_NATIVE",
        "5, 5, IN_NATIVE",
        "6, 5, IN_VM",
        "7, 5, IN_VM",
        "11, 5, IN_VM",
        // a thread that runs does not wait
        "8, 657, IN_MANAGED_CODE",
        "4, 401, IN_NATIVE",
        "9, 1025, IN_MANAGED_CODE",
        // before and after its life
        "2, 5, NEW",
        "2, 0, NEW",
        "6, 0, NEW",
        "6, 2, TERMINATED",
        "8, 2, TERMINATED",
        // unread or invalid values
        "-1, -1, UNKNOWN",
        "10, -1, UNKNOWN",
        "6, -1, IN_VM",
        "8, -1, IN_MANAGED_CODE",
        "4, -1, IN_NATIVE",
        "-1, 657, PARKED",
        "-1, 5, UNKNOWN",
        "12, 5, UNKNOWN",
        "10, 12345, UNKNOWN",
        "-2147483648, 5, UNKNOWN",
    })
    void threadStateIsDerivedFromVmStateAndThreadStatus(int vmState, int status, ManagedThreadState state) {
        assertThat(ThreadStates.of(vmState, status)).isEqualTo(state);
    }
}
