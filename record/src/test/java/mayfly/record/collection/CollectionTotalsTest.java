package mayfly.record.collection;

import static org.assertj.core.api.Assertions.assertThat;

import mayfly.runtime.collection.Collection;
import mayfly.runtime.collection.Collection.Kind;
import org.junit.jupiter.api.Test;

class CollectionTotalsTest {
    private static final long MS = 1_000_000;

    private final CollectionTotals totals = new CollectionTotals();

    private void add(String collector, String cause, long millis) {
        totals.add(new ObservedPause(
                collector, Kind.YOUNG, cause, !cause.equals(Collection.UNKNOWN), MS, MS + millis * MS, true));
    }

    @Test
    void totalAndLongestPauseAreNamedWithCollectorAndCause() {
        add("young", "Allocation Failure", 2);
        add("young", "Allocation Failure", 3);
        add("full", "System.gc()", 20);
        add("cycle", "", 1);
        assertThat(totals.notes(0, 0, 1000 * MS))
                .containsExactly(
                        "collection pauses: 4",
                        "in collection pauses: 26.000 ms in total, 2.60 % of the recording's time; 20.000 ms at most"
                                + " (full, System.gc())",
                        "by garbage collector and cause: full, System.gc() 20.000 ms (1); young, Allocation Failure"
                                + " 5.000 ms (2); cycle 1.000 ms (1)");
    }

    @Test
    void recordingWithoutPauseSaysSo() {
        assertThat(totals.notes(0, 0, 0)).containsExactly("collection pauses: 0");
    }

    @Test
    void pausesWithUnknownTimesAreCounted() {
        add("young", "System.gc()", 1);
        assertThat(totals.notes(3, 7 * MS, MS))
                .startsWith("collection pauses: 4")
                .anyMatch(note -> note.startsWith("collection pauses with unknown times: 3, 7.000 ms in total;"));
    }

    @Test
    void pausesWithAnUnknownCauseAreCounted() {
        add("young", Collection.UNKNOWN, 1);
        assertThat(totals.notes(0, 0, MS))
                .anyMatch(note -> note.startsWith("collection pauses with an unknown cause: 1;"))
                .anyMatch(note -> note.endsWith("1.000 ms at most (young, cause unknown)"));
    }

    @Test
    void pauseThatHasNotEndedIsCounted() {
        totals.add(new ObservedPause("full", Kind.FULL, "System.gc()", true, MS, 11 * MS, false));
        assertThat(totals.notes(0, 0, 100 * MS))
                .contains("collection pauses that had not ended when the recording ended: 1")
                .anyMatch(note -> note.contains("10.000 ms in total, 10.00 % of"));
    }
}
