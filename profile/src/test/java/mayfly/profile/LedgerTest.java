package mayfly.profile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LedgerTest {
    @Test
    void shareBelowAllSamplesIsNotRoundedTo100Percent() {
        Ledger ledger = Ledger.builder("perf", 99)
                .count(WalkOutcome.COMPLETE, 99_999)
                .count(WalkOutcome.NO_CFI, 1)
                .build();
        assertThat(ledger.rows())
                .contains(
                        new Ledger.Row("complete", "99999 (99.99 %)"), new Ledger.Row("broken: no_cfi", "1 (0.00 %)"));
        assertThat(ledger.broken()).isEqualTo(1);
    }

    @Test
    void unprovenStacksAreNeitherCompleteNorBroken() {
        Ledger ledger = Ledger.builder("perf", 99)
                .count(WalkOutcome.COMPLETE, 3)
                .count(WalkOutcome.UNPROVEN, 1)
                .build();
        assertThat(ledger.rows())
                .contains(
                        new Ledger.Row("complete", "3 (75.00 %)"),
                        new Ledger.Row("unproven outer frames", "1 (25.00 %)"));
        assertThat(ledger.broken()).isZero();
    }

    @Test
    void certainLeafPercentIsPrintedIfKnown() {
        Ledger.Builder ledger = Ledger.builder("perf", 99).count(WalkOutcome.COMPLETE, 100);
        assertThat(ledger.build().rows()).extracting(Ledger.Row::name).doesNotContain("leaf methods certain");
        assertThat(ledger.addInferredLeaves(29).build().rows())
                .contains(new Ledger.Row("leaf methods certain", "71 (71.00 %)"));
        assertThat(Ledger.builder("perf", 99)
                        .count(WalkOutcome.COMPLETE, 100)
                        .addInferredLeaves(0)
                        .build()
                        .rows())
                .contains(new Ledger.Row("leaf methods certain", "100 (100.00 %)"));
    }

    @Test
    void unknownFiguresAreNotPrinted() {
        Ledger ledger = Ledger.builder("perf", 99).cutShort(true).build();
        assertThat(ledger.rows())
                .extracting(Ledger.Row::name)
                .contains("cut short")
                .doesNotContain("CPU in /proc", "lost by the kernel", "throttled");
    }
}
