package mayfly.record.wait;

import static org.assertj.core.api.Assertions.assertThat;

import mayfly.profile.RuntimeId;
import mayfly.record.wait.ContendedLock.Kind;
import org.junit.jupiter.api.Test;

class LockTotalsTest {
    private static final long MS = 1_000_000;

    private final LockTotals totals = new LockTotals(MS);
    private final LockLookup lookup = new LockLookup(() -> 0, () -> 0);

    private static ContendedLock lock(Kind kind, String type, long address, String owner) {
        return new ContendedLock(new RuntimeId(1), kind, type, address, owner, 0);
    }

    @Test
    void locksAreListedByTheirTimeWithTheirOwners() {
        totals.add(lock(Kind.MONITOR, "Orders", 0x1000, "owned by a"), 500 * MS);
        totals.add(lock(Kind.MONITOR, "Orders", 0x1000, "owned by b"), 500 * MS);
        totals.add(lock(Kind.MONITOR, "Orders", 0x1000, "owned by b"), 250 * MS);
        totals.add(lock(Kind.MONITOR, "Orders", 0x2000, ""), 2_000 * MS);
        totals.add(lock(Kind.SYNCHRONIZER, "Sync", 0x3000, ""), 10 * MS);
        assertThat(totals.notes(lookup))
                .containsExactly(
                        "waits for locks: monitor 3.25 s in 4 samples, synchronizer 0.01 s in 1 sample",
                        "monitor Orders at 0x2000: 2.00 s in 1 sample",
                        "monitor Orders at 0x1000: 1.25 s in 3 samples; owned by b (2), owned by a (1)",
                        "synchronizer Sync at 0x3000: 0.01 s in 1 sample");
    }

    @Test
    void recordingWithoutWaitsForLocksSaysSo() {
        assertThat(totals.notes(lookup)).containsExactly("waits for locks: none");
    }

    @Test
    void waitsThatWereNotReadAreAddedUp() {
        totals.addUnknown(3 * MS);
        totals.addUnknown(2_000 * MS);
        totals.addShort(1_500 * MS);
        assertThat(totals.notes(lookup))
                .containsExactly(
                        "waits for locks: none",
                        "waits that may have been for locks, which were not read in time: 2.00 s in 2 samples",
                        "waits below 1 ms, for locks or for anything else, are not read: 1.50 s of all threads"
                                + " (--min-wait)");
    }

    @Test
    void locksWithTheMostTimeAreKeptAtTheLimit() {
        for (int i = 1; i <= 20_000; i++) {
            totals.add(lock(Kind.MONITOR, "Orders", i, "owned by thread " + i), i == 20_000 ? 5 * MS : MS);
            totals.add(lock(Kind.MONITOR, "Busy", 7, ""), MS);
        }
        assertThat(totals.notes(lookup))
                .startsWith(
                        "waits for locks: monitor 40.00 s in 40000 samples",
                        "monitor Busy at 0x7: 20.00 s in 20000 samples",
                        "monitor Orders at 0x4e20: 0.01 s in 1 sample; owned by thread 20000 (1)")
                .hasSize(7)
                .last()
                .asString()
                .startsWith("locks that are not in this list, although they may have been awaited again: ");
    }
}
