package mayfly.attach.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import mayfly.attach.channel.HostRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DetachWaitTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "referenced by a live thread -> a.B|it is referenced by a live thread -> a.B",
                "thread \"t\" in a.B.c:1|that is thread \"t\" in a.B.c:1",
                "the program's next collection|that is the program's next collection"
            })
    void reasonOfAWaitCompletesTheSentence(String pinnedBy, String reason) {
        HostRecord pinned = new HostRecord(
                HostRecord.State.PINNED,
                "/tmp/.mayfly-1-00/s",
                "a.B",
                pinnedBy,
                0,
                Optional.empty(),
                Duration.ZERO,
                Optional.of(Duration.ZERO),
                Duration.ZERO,
                true,
                false,
                "aa11",
                1,
                4096,
                8192,
                17,
                0,
                0,
                0,
                Duration.ZERO,
                0,
                0);
        assertThat(DetachWait.reason(pinned, DetachWait.Request.ACCEPTED)).isEqualTo(reason);
    }
}
