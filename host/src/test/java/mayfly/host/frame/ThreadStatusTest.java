package mayfly.host.frame;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThreadStatusTest {
    /** The numbers of JavaThreadStatus in javaThreadStatus.hpp of HotSpot. */
    @ParameterizedTest
    @CsvSource({
        "0, NEW",
        "5, RUNNABLE",
        "225, TIMED_WAITING",
        "401, WAITING",
        "417, TIMED_WAITING",
        "657, WAITING",
        "673, TIMED_WAITING",
        "1025, BLOCKED",
        "2, TERMINATED",
        "1, RUNNABLE"
    })
    void statusHasTheStateOfTheJdk(long status, Thread.State state) {
        assertThat(ThreadStatus.state(status)).isEqualTo(state);
    }
}
