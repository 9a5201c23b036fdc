package mayfly.record.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import mayfly.profile.WalkOutcome;
import mayfly.record.allocation.ThreadAllocations.Share;
import org.junit.jupiter.api.Test;

class ThreadAllocationsTest {
    private static final int FIRST = 11;
    private static final int SECOND = 12;
    private static final long THREAD = 0x7000;
    private static final int LOOP = 1;
    private static final int OTHER = 2;
    private static final int UNSAMPLED = -1;
    private static final long SECONDS = 1_000_000_000;

    private final ThreadAllocations allocations = new ThreadAllocations(0, false);

    private void reading(long time, long first) {
        allocations.counter(FIRST, THREAD, first);
        allocations.apply(time);
    }

    private void reading(long time, long first, long second) {
        allocations.counter(SECOND, 2 * THREAD, second);
        reading(time, first);
    }

    private void sample(int tid, long time, int stack) {
        allocations.sample(tid, tid, time, stack, WalkOutcome.COMPLETE);
    }

    private static Share share(int tid, long time, long bytes, int stack) {
        return new Share(tid, time, bytes, stack, WalkOutcome.COMPLETE);
    }

    @Test
    void bytesAreDividedByTheRatesAtTheSamplesAndTheTimesForWhichTheyStand() {
        reading(100, 1000);
        reading(200, 1300); // 3 for each ns
        reading(300, 1300);
        reading(500, 1500); // 1 for each ns
        reading(600, 1500);
        sample(FIRST, 450, OTHER);
        sample(FIRST, 150, LOOP);
        sample(FIRST, 250, OTHER);
        assertThat(allocations.divide()).containsExactly(share(FIRST, 150, 300, LOOP), share(FIRST, 450, 200, OTHER));
        assertThat(allocations.divide()).isEmpty();
        assertThat(allocations.bytes()).isEqualTo(500);
    }

    /** A thread has no CPU during collections, so that fewer samples are of the code that causes many. */
    @Test
    void codeThatIsSampledLessOftenHasAllBytesOfItsTime() {
        reading(0, 0);
        for (int time = 100; time <= 1000; time += 100) {
            reading(time, time <= 500 ? 2 * time : 1000 + (time - 500));
        }
        reading(1100, 1500);
        sample(FIRST, 250, LOOP);
        for (int time = 525; time < 1000; time += 50) {
            sample(FIRST, time, OTHER);
        }
        List<Share> shares = allocations.divide();
        assertThat(shares).hasSize(11);
        assertThat(shares.getFirst().bytes())
                .as("of 1000, and a part of the time until 525")
                .isBetween(650L, 1000L);
        assertThat(shares.stream().mapToLong(Share::bytes).sum()).isEqualTo(1500);
    }

    @Test
    void codeThatAllocatesNothingHasNoBytesHoweverOftenItIsSampled() {
        reading(100, 0);
        reading(200, 640);
        reading(300, 640);
        reading(400, 640);
        for (int time = 201; time < 300; time++) {
            sample(FIRST, time, OTHER);
        }
        sample(FIRST, 200, LOOP);
        assertThat(allocations.divide()).containsExactly(share(FIRST, 200, 640, LOOP));
    }

    @Test
    void sampleWaitsForTheReadingThatConfirmsItsBytes() {
        reading(100, 0);
        reading(200, 64);
        sample(FIRST, 150, LOOP);
        assertThat(allocations.mayAllocate(FIRST, 150)).isTrue();
        assertThat(allocations.divide()).isEmpty();
        reading(300, 64);
        sample(FIRST, 250, OTHER);
        assertThat(allocations.divide()).containsExactly(share(FIRST, 150, 64, LOOP));
        assertThat(allocations.mayAllocate(FIRST, 250)).as("not confirmed").isTrue();
        reading(400, 64);
        assertThat(allocations.mayAllocate(FIRST, 250)).isFalse();
        assertThat(allocations.divide()).isEmpty();
    }

    @Test
    void bytesWithoutSampleGoToTheNextOnes() {
        reading(100, 0);
        reading(200, 10);
        reading(300, 10);
        assertThat(allocations.divide()).isEmpty();
        reading(400, 30);
        reading(500, 30);
        sample(FIRST, 350, LOOP);
        assertThat(allocations.divide()).containsExactly(share(FIRST, 350, 30, LOOP));
    }

    @Test
    void threadThatStartsDuringTheRecordingHasAllocatedItsWholeCount() {
        reading(100, 1000);
        reading(200, 1000, 64);
        sample(SECOND, 150, LOOP);
        reading(300, 1000, 64);
        assertThat(allocations.divide()).containsExactly(share(SECOND, 150, 64, LOOP));
    }

    @Test
    void threadsOfARuntimeThatWasStartedDuringTheRecordingHaveAllocatedTheirWholeCounts() {
        ThreadAllocations started = new ThreadAllocations(50, true);
        started.sample(FIRST, FIRST, 60, LOOP, WalkOutcome.COMPLETE);
        for (int time = 100; time <= 200; time += 100) {
            started.counter(FIRST, THREAD, 1000);
            started.apply(time);
        }
        assertThat(started.divide()).containsExactly(share(FIRST, 60, 1000, LOOP));
    }

    @Test
    void counterReadDuringAChangeCountsOnce() {
        reading(100, 1000);
        reading(200, 4_000_000_000L);
        reading(300, 1260);
        reading(400, 1100); // too small
        reading(500, 1600);
        reading(600, 1600);
        sample(FIRST, 450, LOOP);
        assertThat(allocations.divide()).containsExactly(share(FIRST, 450, 600, LOOP));
        assertThat(allocations.bytes()).isEqualTo(600);
    }

    @Test
    void firstCounterThatWasTooLargeIsCorrectedByTheSecond() {
        reading(100, 4_000_000_000L);
        reading(200, 1000);
        reading(300, 1100);
        reading(400, 1100);
        assertThat(allocations.bytes()).isEqualTo(100);
    }

    @Test
    void counterThatCannotBeTrueIsNotBelieved() {
        reading(100, 1000);
        reading(200, -5);
        reading(300, Long.MAX_VALUE);
        reading(400, Long.MAX_VALUE);
        reading(500, 1500);
        reading(600, 1500);
        assertThat(allocations.bytes()).isEqualTo(500);
        assertThat(allocations.implausible()).isEqualTo(2);
    }

    @Test
    void readingThatFailedChangesNothing() {
        reading(100, 1000, 5);
        allocations.counter(FIRST, THREAD, 9000);
        allocations.abandon();
        reading(200, 1010); // without the second thread
        reading(300, 1010, 5);
        assertThat(allocations.divide()).isEmpty();
        reading(400, 1010, 7);
        reading(500, 1010, 7);
        assertThat(allocations.bytes()).isEqualTo(12);
    }

    @Test
    void newStructureOfAThreadHasANewCounter() {
        reading(100, 1000);
        reading(200, 1010);
        allocations.counter(FIRST, 5 * THREAD, 7);
        allocations.apply(300);
        allocations.counter(FIRST, 5 * THREAD, 7);
        allocations.apply(400);
        assertThat(allocations.bytes()).isEqualTo(17);
    }

    @Test
    void bytesOfAThreadThatHasEndedAreAShareWithoutSample() {
        reading(100, 0, 0);
        reading(200, 10, 20);
        reading(300, 10);
        assertThat(allocations.divide()).isEmpty();
        reading(2 * SECONDS, 10);
        assertThat(allocations.divide()).containsExactly(share(SECOND, 200, 20, UNSAMPLED));
        assertThat(allocations.divide()).isEmpty();
    }

    @Test
    void unconfirmedBytesOfAThreadThatHasEndedAreBounded() {
        reading(100, 0, 0);
        reading(200, 0, 4_000_000_000L);
        reading(2 * SECONDS, 0);
        assertThat(allocations.divide()).isEmpty();
        assertThat(allocations.implausible()).isEqualTo(1);
    }

    @Test
    void bytesThatNoSampleTookAreSharesAtTheEnd() {
        reading(100, 0, 0);
        reading(200, 10, 20);
        sample(SECOND, 150, LOOP);
        assertThat(allocations.finish())
                .containsExactlyInAnyOrder(share(FIRST, 200, 10, UNSAMPLED), share(SECOND, 150, 20, LOOP));
        assertThat(allocations.finish()).isEmpty();
    }

    @Test
    void samplesOfAThreadOfNoRuntimeAreDropped() {
        reading(100, 0);
        assertThat(allocations.mayAllocate(99, 100)).isFalse();
        assertThat(allocations.mayAllocate(99, 101))
                .as("the next reading may have it")
                .isTrue();
        sample(99, 101, LOOP);
        assertThat(allocations.divide()).isEmpty();
        reading(200, 0);
        assertThat(allocations.divide()).isEqualTo(List.of());
        assertThat(allocations.finish()).isEmpty();
    }

    private void allocation(int tid, long time, int stack, long obtained) {
        allocations.sample(tid, tid, time, stack, WalkOutcome.COMPLETE, obtained);
    }

    @Test
    void bytesAreDividedAmongAllocationsByTheBytesObtained() {
        reading(100, 0);
        reading(200, 3000);
        reading(300, 3000);
        reading(400, 3000);
        allocation(FIRST, 110, LOOP, 4096);
        allocation(FIRST, 150, OTHER, 2 * 4096);
        assertThat(allocations.divide()).containsExactly(share(FIRST, 110, 1000, LOOP), share(FIRST, 150, 2000, OTHER));
    }

    @Test
    void allocationStaysUntilItsThreadHasUsedWhatItObtained() {
        reading(100, 0);
        allocation(FIRST, 150, LOOP, 4096);
        reading(200, 0);
        reading(300, 0);
        assertThat(allocations.divide()).isEmpty();
        reading(400, 500);
        reading(500, 500);
        reading(600, 500);
        assertThat(allocations.divide()).containsExactly(share(FIRST, 150, 500, LOOP));
    }

    @Test
    void laterBytesOfWhatAThreadObtainedAreThoseOfTheSameAllocation() {
        reading(100, 0);
        allocation(FIRST, 150, LOOP, 1 << 20);
        reading(200, 1000);
        reading(300, 1000);
        assertThat(allocations.divide()).containsExactly(share(FIRST, 150, 1000, LOOP));
        reading(400, 5000);
        reading(500, 5000);
        assertThat(allocations.divide()).containsExactly(share(FIRST, 150, 4000, LOOP));
        assertThat(allocations.finish()).isEmpty();
    }

    @Test
    void samplesOfAThreadAreBounded() {
        reading(100, 0);
        for (int i = 0; i < 70_000; i++) {
            allocation(FIRST, 150, LOOP, 8);
        }
        assertThat(allocations.dropped()).isEqualTo(70_000 - (1 << 16));
    }

    @Test
    void allocationOfAThreadWithoutACounterHasTheBytesObtained() {
        reading(100, 0);
        allocation(SECOND, 150, LOOP, 4096);
        allocations.sample(SECOND, SECOND, 160, OTHER, WalkOutcome.COMPLETE);
        assertThat(allocations.divide()).isEmpty();
        reading(200, 0);
        assertThat(allocations.divide()).containsExactly(share(SECOND, 150, 4096, LOOP));
        assertThat(allocations.uncounted()).isEqualTo(4096);
        assertThat(allocations.bytes()).isZero();
        allocation(SECOND, 250, LOOP, 100);
        assertThat(allocations.finish()).containsExactly(share(SECOND, 250, 100, LOOP));
    }
}
