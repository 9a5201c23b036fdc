package mayfly.host.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ThreadLineTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Thread is alive (tid: 10866, pthread id: 140441682605760).      | STARTS | 10866",
                "Thread attached (tid: 7, pthread id: 140441682605760).          | STARTS | 7",
                "JavaThread exiting (tid: 10866).                                | ENDS   | 10866",
                "JavaThread exiting (name: \"short-x\", tid: 12054).             | ENDS   | 12054",
                "JavaThread detaching (name: \"tid: 1, tid: 2).\", tid: 12054).  | ENDS   | 12054",
                "Thread \"Unknown thread\" started (pthread id: 1, attributes: detached). | CREATED | 0",
                "Thread \"GC (tid: 7\" started (pthread id: 1, attributes: detached). | CREATED | 0",
            })
    void threadHasTheNumberOfTheKernel(String line, ThreadLine.Kind kind, long number) {
        assertThat(ThreadLine.parse(line)).isEqualTo(new ThreadLine(kind, number));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Thread finished (tid: 10866, pthread id: 140441682605760).",
                "Thread \"GC Thread#1\" failed to start",
                "Thread is alive (",
                "Thread is alive (tid: ",
                "Thread is alive (tid: x)",
                "Thread is alive (tid: 0)",
                "Thread is alive (tid: 99999999999999999999)",
                "JavaThread exiting (name: \"tid: \")",
            })
    void otherLineIsNoThread(String line) {
        assertThat(ThreadLine.parse(line)).isNull();
    }
}
