package mayfly.record;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The conditions for short drain intervals. */
class CodeChangesTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long START = Long.MAX_VALUE - SECOND; // System.nanoTime() may be any number, and overflow

    private final CodeChanges changes = new CodeChanges(START);

    @Test
    void firstReadingCountsAsQuickChangeForTwoSeconds() {
        assertThat(changes.areMany(100, 0, START + SECOND)).isTrue();
        assertThat(changes.areMany(100, 0, START + 3 * SECOND)).isFalse();
    }

    @Test
    void oneChangePerSecondIsFew() {
        for (int i = 3; i < 20; i++) {
            assertThat(changes.areMany(i - 3, 0, START + i * SECOND))
                    .as("after %d s", i)
                    .isFalse();
        }
    }

    @Test
    void fourChangesInTwoSecondsAreManyForTwoSeconds() {
        assertThat(changes.areMany(0, 0, START + 10 * SECOND)).isFalse();
        assertThat(changes.areMany(2, 0, START + 11 * SECOND)).isFalse();
        assertThat(changes.areMany(4, 0, START + 12 * SECOND)).isTrue();
        assertThat(changes.areMany(4, 0, START + 13 * SECOND)).isFalse();
        assertThat(changes.areMany(1000, 0, START + 14 * SECOND)).isTrue();
        assertThat(changes.areMany(1000, 0, START + 16 * SECOND - 1)).isTrue();
        assertThat(changes.areMany(1000, 0, START + 16 * SECOND)).isFalse();
    }

    @Test
    void oneSampleThatCameTooLateCountsAsManyChanges() {
        assertThat(changes.areMany(0, 0, START + 10 * SECOND)).isFalse();
        assertThat(changes.areMany(0, 1, START + 11 * SECOND)).isTrue();
        assertThat(changes.areMany(0, 1, START + 13 * SECOND)).isFalse();
    }
}
