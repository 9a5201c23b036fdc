package mayfly.record.suspension;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import mayfly.process.MemoryFault;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.suspension.Suspension;
import mayfly.runtime.suspension.Suspension.Phase;
import mayfly.runtime.suspension.Suspensions;
import org.junit.jupiter.api.Test;

class SuspensionWatchTest {
    private static final int LOOP = 12;
    private static final int IDLE = 13;
    private static final long NOW = 10_000;

    /** A runtime whose readings are a script. */
    private static final class Scripted implements Suspensions {
        private final Deque<Optional<Suspension>> readings = new ArrayDeque<>();
        private Optional<Suspension> last = Optional.empty();
        private int askedForThreads;

        @Override
        public Optional<Suspension> latest() {
            last = readings.isEmpty() ? last : readings.remove();
            return last;
        }

        @Override
        public Optional<Set<Integer>> running() {
            askedForThreads++;
            return Optional.of(Set.of(LOOP));
        }

        @Override
        public int suspender() throws MemoryFault {
            throw new MemoryFault(0, 8);
        }
    }

    private final Scripted runtime = new Scripted();
    private final SuspensionWatch watch = new SuspensionWatch(runtime, () -> NOW);

    private void look(Suspension latest) throws MemoryFault {
        runtime.readings.add(Optional.of(latest));
        watch.look();
    }

    private void lookBeforeAny() throws MemoryFault {
        look(Suspension.NONE);
    }

    private int ended() {
        watch.mark();
        int count = 0;
        while (watch.takeMarked() != null) {
            count++;
        }
        return count;
    }

    private ObservedSuspension take() {
        watch.mark();
        return Objects.requireNonNull(watch.takeMarked());
    }

    private static Suspension reaching(long number, long begun) {
        return new Suspension(number, Phase.REACHING, "Cleanup", begun, 0, 0);
    }

    private static Suspension reached(long number, long begun, long reached) {
        return new Suspension(number, Phase.REACHED, "Cleanup", begun, reached, 0);
    }

    private static Suspension ended(long number, long begun, long reached, long ended) {
        return new Suspension(number, Phase.ENDED, "Cleanup", begun, reached, ended);
    }

    @Test
    void suspensionSeenInEachPhaseHasItsTimes() throws Exception {
        lookBeforeAny();
        look(reaching(1, 100));
        look(reached(1, 100, 130));
        assertThat(watch.hasEnded()).isFalse();
        look(ended(1, 100, 130, 200));
        look(ended(1, 100, 130, 200));
        assertThat(watch.hasEnded()).isTrue();
        ObservedSuspension taken = take();
        assertThat(taken.reachingNanos()).isEqualTo(30);
        assertThat(taken.stoppedNanos()).isEqualTo(70);
        assertThat(taken.cause()).isEqualTo("Cleanup");
        assertThat(watch.missed()).isZero();
        assertThat(watch.hasEnded()).isFalse();
    }

    @Test
    void suspensionThatEndedBeforeTheFirstReadingIsLeftOut() throws Exception {
        look(ended(7, 100, 130, 200));
        assertThat(watch.hasEnded()).isFalse();
        look(ended(8, 300, 310, 320));
        assertThat(ended()).isEqualTo(1);
        assertThat(watch.missed()).isZero();
    }

    @Test
    void suspensionThatHadNotEndedAtTheFirstReadingIsObserved() throws Exception {
        look(reached(7, 100, 130));
        look(ended(7, 100, 130, 200));
        assertThat(take().reachingNanos()).isEqualTo(30);
        assertThat(watch.missed()).isZero();
    }

    @Test
    void suspensionThatEndsAfterAMarkIsTakenAfterTheNext() throws Exception {
        lookBeforeAny();
        look(ended(1, 100, 130, 200));
        watch.mark();
        look(ended(2, 300, 310, 320));
        assertThat(Objects.requireNonNull(watch.takeMarked()).number()).isEqualTo(1);
        assertThat(watch.takeMarked()).isNull();
        assertThat(take().number()).isEqualTo(2);
    }

    @Test
    void suspensionThatHasNotEndedLastsUntilTheEndOfTheObservation() throws Exception {
        lookBeforeAny();
        look(reaching(1, 100));
        ObservedSuspension open = Objects.requireNonNull(watch.finish(900));
        assertThat(open.reachingNanos()).isEqualTo(800);
        assertThat(open.stoppedNanos()).isZero();
        assertThat(open.hasEnded()).isFalse();
        assertThat(watch.finish(900)).isNull();
        look(reached(2, 1000, 1030));
        assertThat(Objects.requireNonNull(watch.finish(1200)).stoppedNanos()).isEqualTo(170);
    }

    @Test
    void suspensionOfWhichTheRuntimeHasNoTimesIsNotObservedToTheEnd() throws Exception {
        lookBeforeAny();
        look(reached(1, 100, 0));
        assertThat(watch.waitingAt(500)).isNull();
        assertThat(watch.finish(900)).isNull();
    }

    @Test
    void suspensionWithContradictoryTimesIsNotObservedToTheEnd() throws Exception {
        lookBeforeAny();
        look(reached(1, 100, Long.MAX_VALUE));
        assertThat(watch.finish(900)).isNull();
        look(reaching(2, Long.MIN_VALUE));
        assertThat(watch.finish(900)).isNull();
        assertThat(watch.missed()).isEqualTo(2);
    }

    @Test
    void operationOfTheEndIsThatOfTheBeginning() throws Exception {
        lookBeforeAny();
        look(reaching(1, 100));
        look(new Suspension(1, Phase.ENDED, "the next one's", 100, 110, 120));
        assertThat(take().cause()).isEqualTo("Cleanup");
    }

    @Test
    void numberThatIsFarTooLargeIsNotBelieved() throws Exception {
        lookBeforeAny();
        look(ended(Long.MAX_VALUE, 100, 130, 200));
        look(ended(1, 300, 310, 320));
        assertThat(take().number()).isEqualTo(1);
        assertThat(watch.missed()).isZero();
    }

    @Test
    void suspensionsBetweenTwoReadingsAreCounted() throws Exception {
        look(ended(4, 100, 130, 200));
        look(ended(7, 600, 610, 620));
        assertThat(watch.missed()).as("5 and 6").isEqualTo(2);
        assertThat(take().number()).isEqualTo(7);
    }

    @Test
    void suspensionWhoseEndWasNotSeenIsCounted() throws Exception {
        look(ended(4, 100, 130, 200));
        look(reaching(5, 300));
        look(reaching(6, 400));
        look(ended(6, 400, 410, 420));
        assertThat(watch.missed()).isEqualTo(1);
        assertThat(take().number()).isEqualTo(6);
    }

    @Test
    void suspensionWithContradictoryTimesIsCounted() throws Exception {
        lookBeforeAny();
        look(ended(1, 100, 0, 200));
        look(ended(2, 300, 500, 400));
        look(ended(3, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE));
        look(ended(4, 500, 510, NOW + 1));
        assertThat(watch.hasEnded()).isFalse();
        assertThat(watch.missed()).isEqualTo(4);
    }

    @Test
    void readingThatChangesAllTheTimeIsRepeatedLater() throws Exception {
        runtime.readings.add(Optional.empty());
        watch.look();
        look(ended(4, 100, 130, 200));
        runtime.readings.add(Optional.empty());
        watch.look();
        look(ended(5, 300, 310, 320));
        assertThat(ended()).isEqualTo(1);
        assertThat(watch.missed()).isZero();
    }

    @Test
    void sampleBelongsToTheSuspensionThatWaitedThen() throws Exception {
        lookBeforeAny();
        look(ended(1, 100, 130, 200));
        look(reaching(2, 300));
        assertThat(watch.waitingAt(99)).isNull();
        assertThat(at(100).number()).isEqualTo(1);
        assertThat(at(130).number()).isEqualTo(1);
        assertThat(watch.waitingAt(131)).as("all threads had stopped").isNull();
        assertThat(at(5000).number()).as("it still waits").isEqualTo(2);
        look(reached(2, 300, 400));
        assertThat(watch.waitingAt(5000)).isNull();
        at(350).add(new DelaySample(LOOP, 1, WalkOutcome.COMPLETE, null));
        at(360).add(new DelaySample(LOOP, 1, WalkOutcome.COMPLETE, null));
        look(ended(2, 300, 400, 410));
        take();
        assertThat(take().samples())
                .containsExactly(Map.entry(new DelaySample(LOOP, 1, WalkOutcome.COMPLETE, null), 2));
        assertThat(watch.waitingAt(350)).as("taken").isNull();
    }

    private ObservedSuspension at(long time) {
        return Objects.requireNonNull(watch.waitingAt(time));
    }

    @Test
    void threadThatRanWhileASuspensionWaitedDelaysIt() throws Exception {
        lookBeforeAny();
        look(new Suspension(1, Phase.REQUESTED, "Cleanup", 100, 0, 0));
        assertThat(runtime.askedForThreads).as("no thread is asked to stop yet").isZero();
        look(reaching(1, 100));
        look(reaching(1, 100));
        assertThat(runtime.askedForThreads).as("once for each suspension").isEqualTo(1);
        assertThat(at(110).isDelayedBy(LOOP, false)).isTrue();
        assertThat(at(110).isDelayedBy(IDLE, true)).isFalse();
    }

    @Test
    void threadsThatWereReadTooLateAreNotThoseThatDelay() throws Exception {
        lookBeforeAny();
        runtime.readings.add(Optional.of(reaching(1, 100)));
        look(reached(1, 100, 130));
        assertThat(at(110).isDelayedBy(IDLE, true)).isTrue();
    }

    @Test
    void threadInManagedCodeDelaysASuspensionThatNoReadingSawWaiting() throws Exception {
        lookBeforeAny();
        look(ended(1, 100, 130, 200));
        assertThat(at(110).isDelayedBy(IDLE, true)).isTrue();
        assertThat(at(110).isDelayedBy(LOOP, false)).isFalse();
    }

    @Test
    void suspenderThatCannotBeReadIsUnknown() {
        assertThat(watch.suspender()).isZero();
    }
}
