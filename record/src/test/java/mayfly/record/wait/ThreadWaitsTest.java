package mayfly.record.wait;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import mayfly.arch.x86.X86_64;
import mayfly.process.Registers;
import mayfly.profile.RuntimeId;
import mayfly.record.wait.ThreadWaits.Change;
import mayfly.record.wait.ThreadWaits.Kind;
import mayfly.record.wait.ThreadWaits.ShortWaits;
import org.junit.jupiter.api.Test;

/** The waits of threads, from records that a test writes. Times are in units of the shortest wait. */
class ThreadWaitsTest {
    private static final long UNIT = 1_000_000;
    private static final int A = 7;
    private static final int B = 8;

    private final ThreadWaits waits = new ThreadWaits(UNIT);

    private void change(int tid, Kind kind, double time) {
        waits.add(new Change((long) (time * UNIT), tid, kind));
    }

    private void advance(double time) {
        waits.advance((long) (time * UNIT));
    }

    private static BlockedStack copyAt(double time) {
        Registers registers = new Registers(X86_64.ARCHITECTURE);
        long nanos = (long) (time * UNIT);
        return new BlockedStack(nanos, nanos, registers, new long[0], null, WaitReason.SLEEP, List.of(), null);
    }

    /** Describes a wait, such as {@code 7: 2.0 to 5.0 unknown}. */
    private static String text(ThreadWait wait) {
        return wait.tid() + ": " + wait.since() / (double) UNIT + " to " + wait.until() / (double) UNIT + " "
                + wait.reason().word();
    }

    private List<String> over() {
        return waits.takeOver().stream().map(ThreadWaitsTest::text).toList();
    }

    @Test
    void waitIsFromTheSwitchOutToTheSwitchIn() {
        change(A, Kind.OUT, 2);
        change(A, Kind.IN, 5);
        advance(10);
        assertThat(over()).containsExactly("7: 2.0 to 5.0 unknown");
        assertThat(over()).isEmpty();
        assertThat(waits.waitedNanos()).isEqualTo(3 * UNIT);
    }

    @Test
    void recordsOfDifferentCpusAreAppliedInTheOrderOfTheirTimes() {
        change(A, Kind.IN, 5);
        change(B, Kind.OUT, 1);
        change(A, Kind.OUT, 2);
        change(B, Kind.IN, 4);
        advance(10);
        assertThat(over()).containsExactly("8: 1.0 to 4.0 unknown", "7: 2.0 to 5.0 unknown");
        assertThat(waits.unpaired()).isZero();
    }

    @Test
    void recordsAfterTheTimeAreKeptForTheNextCall() {
        change(A, Kind.OUT, 2);
        change(A, Kind.IN, 5);
        advance(4);
        assertThat(over()).isEmpty();
        advance(5);
        assertThat(over()).hasSize(1);
    }

    @Test
    void shortWaitsAreAddedUpForEachThread() {
        change(A, Kind.OUT, 2);
        change(A, Kind.IN, 2.5);
        change(A, Kind.OUT, 3);
        change(A, Kind.IN, 3.25);
        change(B, Kind.PREEMPTED, 3);
        change(B, Kind.IN, 3.5);
        advance(10);
        assertThat(over()).isEmpty();
        assertThat(waits.takeShort())
                .containsExactlyInAnyOrder(new ShortWaits(A, UNIT * 3 / 4), new ShortWaits(B, UNIT / 2));
        assertThat(waits.takeShort()).isEmpty();
    }

    @Test
    void shortWaitsOfAnEndedThreadAreNotForgotten() {
        change(A, Kind.STARTED, 1);
        change(A, Kind.OUT, 2);
        change(A, Kind.IN, 2.5);
        change(A, Kind.ENDED, 3);
        advance(10);
        assertThat(waits.takeShort()).containsExactly(new ShortWaits(A, UNIT / 2));
        assertThat(waits.livedNanos()).isEqualTo(2 * UNIT);
    }

    @Test
    void stackIsCopiedAfterHalfOfAShortestWaitOfSomeMilliseconds() {
        ThreadWaits longer = new ThreadWaits(10 * UNIT);
        longer.add(new Change(2 * UNIT, A, Kind.OUT));
        longer.advance(3 * UNIT);
        assertThat(longer.nextDue(6 * UNIT)).isNull();
        ThreadWait wait = longer.nextDue(7 * UNIT);
        assertThat(wait).isNotNull();
        longer.copied(wait, copyAt(8));
        longer.add(new Change(11 * UNIT, A, Kind.IN));
        longer.advance(20 * UNIT);
        assertThat(longer.nextCopied())
                .as("the copy of a wait that was too short")
                .isNull();
        assertThat(longer.takeOver()).isEmpty();
        assertThat(longer.takeShort()).containsExactly(new ShortWaits(A, 9 * UNIT));
    }

    @Test
    void preemptedThreadIsNeverCopied() {
        change(A, Kind.PREEMPTED, 2);
        change(B, Kind.OUT, 2);
        advance(10);
        assertThat(waits.nextDue(10 * UNIT)).matches(wait -> wait.tid() == B);
        assertThat(waits.nextDue(10 * UNIT)).isNull();
        change(A, Kind.IN, 12);
        advance(12);
        assertThat(over()).containsExactly("7: 2.0 to 12.0 preempted");
    }

    @Test
    void waitIsCopiedOnceItHasTheShortestDuration() {
        change(A, Kind.OUT, 2);
        advance(2.5);
        assertThat(waits.nextDue((long) (2.9 * UNIT))).isNull();
        ThreadWait wait = waits.nextDue(3 * UNIT);
        assertThat(wait).isNotNull();
        waits.copied(wait, copyAt(3));
        assertThat(waits.nextDue(1000 * UNIT)).isNull();
        change(A, Kind.IN, 9);
        advance(9);
        assertThat(over()).containsExactly("7: 2.0 to 9.0 sleep");
    }

    @Test
    void failedCopyIsRepeatedAFewTimes() {
        change(A, Kind.OUT, 2);
        advance(3);
        int attempts = 0;
        for (long time = 3; time < 1000; time++) {
            ThreadWait wait = waits.nextDue(time * UNIT);
            if (wait != null) {
                attempts++;
                waits.runs(wait, time * UNIT);
            }
        }
        assertThat(attempts).isEqualTo(5);
    }

    @Test
    void attemptThatIsPutOffDoesNotCount() {
        change(A, Kind.OUT, 2);
        advance(3);
        for (long time = 3; time < 100; time++) {
            ThreadWait wait = waits.nextDue(time * UNIT);
            assertThat(wait).isNotNull();
            waits.putOff(wait, (time + 1) * UNIT);
        }
    }

    @Test
    void copyOfALaterWaitIsMovedToIt() {
        change(A, Kind.OUT, 2);
        advance(3);
        ThreadWait first = waits.nextDue(4 * UNIT);
        assertThat(first).isNotNull();
        waits.copied(first, copyAt(8));
        change(A, Kind.IN, 6);
        change(A, Kind.OUT, 7);
        change(A, Kind.IN, 9);
        advance(10);
        assertThat(waits.nextCopied()).isNotNull().matches(wait -> wait.since() == 7 * UNIT);
        assertThat(waits.nextCopied()).isNull();
        assertThat(over()).containsExactly("7: 2.0 to 6.0 unknown", "7: 7.0 to 9.0 sleep");
    }

    @Test
    void copyDuringWhichTheThreadRanIsDropped() {
        change(A, Kind.OUT, 2);
        advance(3);
        ThreadWait first = waits.nextDue(4 * UNIT);
        assertThat(first).isNotNull();
        BlockedStack torn = copyAt(5);
        waits.copied(
                first,
                new BlockedStack(
                        torn.begun(),
                        7 * UNIT,
                        torn.registers(),
                        torn.words(),
                        null,
                        WaitReason.SLEEP,
                        List.of(),
                        null));
        assertThat(waits.nextCopied()).as("before its records are known").isNull();
        change(A, Kind.IN, 6);
        change(A, Kind.OUT, 6.5);
        advance(8);
        assertThat(waits.nextCopied()).isNull();
        assertThat(over()).containsExactly("7: 2.0 to 6.0 unknown");
    }

    private static BlockedStack withLock(BlockedStack copy, double ownerRead) {
        return copy.with(new ContendedLock(
                new RuntimeId(1), ContendedLock.Kind.MONITOR, "Orders", 0x1000, "owned by worker", (long)
                        (ownerRead * UNIT)));
    }

    @Test
    void ownerThatIsReadAfterTheWaitIsUnknown() {
        change(A, Kind.OUT, 2);
        advance(3);
        ThreadWait wait = waits.nextDue(4 * UNIT);
        assertThat(wait).isNotNull();
        waits.copied(wait, withLock(copyAt(4), 8));
        change(A, Kind.IN, 6);
        advance(7);
        assertThat(waits.nextCopied())
                .as("the stack of the wait, which is over")
                .isSameAs(wait);
        assertThat(wait.lock()).isNotNull();
        assertThat(wait.lock().owner()).isEqualTo("owner unknown");
    }

    @Test
    void waitThatIsOverDoesNotWaitForTheOwnerOfAnother() {
        change(A, Kind.OUT, 2);
        change(B, Kind.OUT, 2);
        advance(3);
        ThreadWait one = waits.nextDue(4 * UNIT);
        ThreadWait other = waits.nextDue(4 * UNIT);
        assertThat(one).isNotNull();
        assertThat(other).isNotNull();
        waits.copied(one, withLock(copyAt(4), 8));
        waits.copied(other, withLock(copyAt(4), 8));
        change(other.tid(), Kind.IN, 6);
        advance(7);
        assertThat(waits.nextCopied()).isSameAs(other);
        assertThat(waits.nextCopied()).isNull();
        advance(8);
        assertThat(waits.nextCopied()).isSameAs(one);
    }

    @Test
    void ownerThatIsReadDuringTheWaitIsKept() {
        change(A, Kind.OUT, 2);
        advance(3);
        ThreadWait wait = waits.nextDue(4 * UNIT);
        assertThat(wait).isNotNull();
        waits.copied(wait, withLock(copyAt(4), 5));
        change(A, Kind.IN, 6);
        advance(7);
        assertThat(waits.nextCopied()).isSameAs(wait);
        assertThat(wait.lock()).isNotNull();
        assertThat(wait.lock().owner()).isEqualTo("owned by worker");
    }

    @Test
    void dismissedWaitIsNotCopiedAndEndsAsUsual() {
        change(A, Kind.OUT, 2);
        advance(3);
        ThreadWait wait = waits.nextDue(4 * UNIT);
        assertThat(wait).isNotNull();
        wait.dismiss();
        assertThat(waits.nextDue(100 * UNIT)).isNull();
        change(A, Kind.IN, 6);
        advance(7);
        assertThat(over()).containsExactly("7: 2.0 to 6.0 unknown");
    }

    @Test
    void failedAttemptIsRepeatedLaterAndLater() {
        change(A, Kind.OUT, 2);
        advance(3);
        int now = 4;
        for (int pause : new int[] {2, 4, 8, 16, 32, 32, 32}) {
            ThreadWait wait = waits.nextDue(now * UNIT);
            assertThat(wait).as("at %d", now).isNotNull();
            waits.retry(wait, now * UNIT);
            assertThat(waits.nextDue((now + pause) * UNIT - 1)).isNull();
            now += pause;
        }
    }

    @Test
    void copyIsWalkedOnceAllRecordsUpToItAreKnown() {
        change(A, Kind.OUT, 2);
        advance(3);
        ThreadWait wait = waits.nextDue(4 * UNIT);
        assertThat(wait).isNotNull();
        waits.copied(wait, copyAt(4));
        assertThat(waits.nextCopied()).isNull();
        advance(4);
        assertThat(waits.nextCopied()).isSameAs(wait);
    }

    @Test
    void copyIsNotGivenToAPreemptedWait() {
        change(A, Kind.OUT, 2);
        advance(3);
        ThreadWait first = waits.nextDue(4 * UNIT);
        assertThat(first).isNotNull();
        waits.copied(first, copyAt(9));
        change(A, Kind.IN, 5);
        change(A, Kind.PREEMPTED, 6);
        change(A, Kind.IN, 7.5);
        change(A, Kind.OUT, 8);
        change(A, Kind.IN, 12);
        advance(13);
        assertThat(over()).containsExactly("7: 2.0 to 5.0 unknown", "7: 6.0 to 7.5 preempted", "7: 8.0 to 12.0 sleep");
    }

    @Test
    void threadsAreFoundAnewAfterALoss() {
        change(A, Kind.OUT, 2);
        change(B, Kind.OUT, 2);
        advance(3);
        change(A, Kind.IN, 4);
        waits.restart(5 * UNIT, new int[] {A, 9});
        change(A, Kind.IN, 7);
        change(9, Kind.OUT, 6);
        change(9, Kind.IN, 8);
        advance(10);
        assertThat(over()).containsExactlyInAnyOrder("7: 5.0 to 7.0 unknown", "9: 6.0 to 8.0 unknown");
        assertThat(waits.unpaired()).as("those of both threads before the loss").isEqualTo(2);
    }

    @Test
    void switchesOfAThreadNeedOneEntryInTheQueue() {
        for (int i = 0; i < 1000; i++) {
            change(A, Kind.OUT, 2 + i / 1000.0);
            change(A, Kind.IN, 2 + (i + 0.5) / 1000.0);
        }
        change(A, Kind.OUT, 3.5);
        advance(4);
        assertThat(waits.nextDue(4 * UNIT)).as("since 3.5").isNull();
        assertThat(waits.nextDue((long) (4.6 * UNIT))).isNotNull();
        assertThat(waits.nextDue(5 * UNIT)).isNull();
    }

    @Test
    void threadFoundWaitingWaitsSinceTheBeginning() {
        waits.found(A, UNIT);
        change(A, Kind.IN, 4);
        advance(10);
        assertThat(over()).containsExactly("7: 1.0 to 4.0 unknown");
    }

    @Test
    void threadFoundTwiceWaitsSinceTheFirstTime() {
        waits.found(A, UNIT);
        waits.found(A, 2 * UNIT);
        change(A, Kind.IN, 4);
        advance(10);
        assertThat(over()).containsExactly("7: 1.0 to 4.0 unknown");
    }

    @Test
    void threadFoundAtTheBeginningWhoseFirstRecordIsASwitchOutWasRunning() {
        waits.found(A, UNIT);
        change(A, Kind.OUT, 3);
        change(A, Kind.IN, 5);
        advance(10);
        assertThat(over()).containsExactly("7: 3.0 to 5.0 unknown");
        assertThat(waits.unpaired()).isZero();
    }

    @Test
    void idleThreadWaitsForTheWholeRecordingAndABusyOneForNone() {
        waits.found(A, UNIT);
        waits.found(B, UNIT);
        for (ThreadWait wait = waits.nextDue(3 * UNIT); wait != null; wait = waits.nextDue(3 * UNIT)) {
            if (wait.tid() == A) {
                waits.copied(wait, copyAt(3));
            } else {
                waits.runs(wait, 3 * UNIT);
            }
        }
        waits.finish(9 * UNIT);
        assertThat(over()).containsExactly("7: 1.0 to 9.0 sleep");
        assertThat(waits.livedNanos()).isEqualTo(16 * UNIT);
        assertThat(waits.waitedNanos()).isEqualTo(8 * UNIT);
    }

    @Test
    void lostRecordsAreCounted() {
        change(A, Kind.OUT, 2);
        change(A, Kind.OUT, 4);
        change(A, Kind.IN, 6);
        change(A, Kind.IN, 8);
        advance(10);
        assertThat(over()).containsExactly("7: 4.0 to 6.0 unknown");
        assertThat(waits.unpaired()).as("an end and a beginning").isEqualTo(2);
    }

    @Test
    void reusedIdIsANewThread() {
        change(A, Kind.STARTED, 1);
        change(A, Kind.OUT, 2);
        change(A, Kind.ENDED, 3);
        change(A, Kind.STARTED, 5);
        change(A, Kind.IN, 6);
        waits.finish(8 * UNIT);
        assertThat(over()).isEmpty();
        assertThat(waits.livedNanos()).isEqualTo(5 * UNIT);
    }
}
