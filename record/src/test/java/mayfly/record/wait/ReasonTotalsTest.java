package mayfly.record.wait;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReasonTotalsTest {
    private static final long MS = 1_000_000;

    private final ReasonTotals totals = new ReasonTotals();

    @Test
    void reasonsAreInTheOrderOfTheirTimes() {
        totals.add(WaitReason.SLEEP, 100 * MS);
        totals.add(WaitReason.PARK, 1_500 * MS);
        totals.add(WaitReason.SLEEP, 200 * MS);
        assertThat(totals.note()).isEqualTo("waits by reason, and their samples: park 1.50 s (1), sleep 0.30 s (2)");
    }

    @Test
    void recordingWithoutWaitsHasNoSentence() {
        assertThat(totals.note()).isEmpty();
    }
}
