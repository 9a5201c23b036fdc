package mayfly.record.collection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import mayfly.process.MemoryFault;
import mayfly.runtime.collection.Collection;
import mayfly.runtime.collection.Collection.Kind;
import mayfly.runtime.collection.Collections;
import org.junit.jupiter.api.Test;

class CollectionWatchTest {
    private static final long START = 1000;
    private static final long NOW = 10_000;
    private static final long SINCE = 2000;
    private static final Collection NO_FULL = new Collection("full", Kind.FULL, 0, 0, 0, 0, Collection.UNKNOWN);

    private Optional<List<Collection>> reading = Optional.empty();
    private long clockStart = START;
    private long total;
    private final CollectionWatch watch = new CollectionWatch(new Scripted(), () -> NOW, SINCE);

    /** A runtime whose reading is a script. */
    private final class Scripted implements Collections {
        @Override
        public Optional<List<Collection>> latest() {
            return reading;
        }

        @Override
        public long clockStart() {
            return clockStart;
        }

        @Override
        public int executor() throws MemoryFault {
            throw new MemoryFault(0, 8);
        }
    }

    private Collection young(long number, long begun, long ended, String cause) {
        return new Collection("young", Kind.YOUNG, number, total, begun, ended, cause);
    }

    private Collection young(long number, long begun, long ended) {
        return young(number, begun, ended, "Allocation Failure");
    }

    private Collection full(long number, long begun, long ended) {
        return new Collection("full", Kind.FULL, number, total, begun, ended, "System.gc()");
    }

    private void look(Collection... latest) throws MemoryFault {
        look(watch, latest);
    }

    private void look(CollectionWatch by, Collection... latest) throws MemoryFault {
        reading = Optional.of(List.of(latest));
        by.look();
    }

    private List<String> taken() {
        return taken(watch);
    }

    private static List<String> taken(CollectionWatch from) {
        List<String> taken = new ArrayList<>();
        for (ObservedPause next = from.take(); next != null; next = from.take()) {
            taken.add(text(next));
        }
        return taken;
    }

    private static String text(ObservedPause pause) {
        return pause.kind().word() + " " + pause.begun() + " to " + pause.ended() + " " + pause.cause();
    }

    @Test
    void pauseHasItsTimesAndTheCauseOfTheReadingThatSawItInProgress() throws Exception {
        look(young(0, 0, 0));
        look(young(1, 3000, 0, "System.gc()"));
        assertThat(taken()).isEmpty();
        look(young(1, 3000, 3500, "Heap Dump Initiated GC"));
        look(young(1, 3000, 3500, Collection.UNKNOWN));
        assertThat(taken()).containsExactly("young 4000 to 4500 System.gc()");
        assertThat(watch.missed()).isZero();
    }

    @Test
    void causeThatWasUnknownInProgressIsThatOfTheEnd() throws Exception {
        look(young(0, 0, 0));
        look(young(1, 3000, 0, Collection.UNKNOWN));
        look(young(1, 3000, 3500, "System.gc()"));
        assertThat(taken()).containsExactly("young 4000 to 4500 System.gc()");
    }

    @Test
    void pausesOfSeveralCollectorsAreInTheOrderOfTheirEnds() throws Exception {
        look(young(5, 100, 200), NO_FULL);
        look(young(6, 3000, 3200), full(1, 2000, 2900));
        assertThat(taken()).containsExactly("full 3000 to 3900 System.gc()", "young 4000 to 4200 Allocation Failure");
        assertThat(watch.missed()).isZero();
    }

    @Test
    void pauseThatEndedBeforeTheTimeIsLeftOut() throws Exception {
        look(young(7, 100, 200));
        look(young(7, 100, 200));
        assertThat(taken()).isEmpty();
        assertThat(watch.missed()).isZero();
    }

    @Test
    void pauseThatEndedBetweenTheTimeAndTheFirstReadingCounts() throws Exception {
        look(young(7, 900, 1500));
        assertThat(taken()).containsExactly("young 1900 to 2500 Allocation Failure");
        assertThat(watch.missed()).isZero();
    }

    @Test
    void pauseThatHadNotEndedAtTheFirstReadingIsObserved() throws Exception {
        look(young(7, 900, 0));
        look(young(7, 900, 3500));
        assertThat(taken()).containsExactly("young 1900 to 4500 Allocation Failure");
        assertThat(watch.missed()).isZero();
    }

    @Test
    void pauseBeforeTheStartOfTheClockIsKnownIsLeftOut() throws Exception {
        clockStart = Long.MAX_VALUE;
        look(young(7, 900, 1500));
        assertThat(taken()).isEmpty();
        look(young(8, 3000, 0));
        clockStart = START;
        look(young(8, 3000, 3100));
        assertThat(taken()).containsExactly("young 4000 to 4100 Allocation Failure");
        assertThat(watch.missed()).isZero();
    }

    @Test
    void pausesBetweenTwoReadingsAreCountedAsMissed() throws Exception {
        look(young(7, 100, 200));
        look(young(10, 3000, 3500));
        assertThat(taken()).hasSize(1);
        assertThat(watch.missed()).isEqualTo(2);
        look(young(11, 4000, 0));
        look(young(12, 5000, 0));
        assertThat(watch.missed()).as("no reading saw the end of pause 11").isEqualTo(3);
        look(young(12, 5000, 5500));
        assertThat(taken()).hasSize(1);
        assertThat(watch.missed()).isEqualTo(3);
    }

    @Test
    void timeOfMissedPausesIsKnown() throws Exception {
        total = 5000;
        look(young(7, 100, 200));
        total = 5800;
        look(young(10, 3000, 3500));
        assertThat(watch.missedNanos())
                .as("800 in three pauses, of which one took 500")
                .isEqualTo(300);
        look(young(11, 4000, 0));
        assertThat(watch.missedNanos()).isEqualTo(300);
        assertThat(watch.finish(9000)).hasSize(1);
        assertThat(watch.missedNanos()).isEqualTo(300);
    }

    @Test
    void timeOfMissedPausesIsThatSinceTheTime() throws Exception {
        total = 5600;
        look(young(7, 900, 1500));
        total = 6000;
        look(young(9, 3000, 3100));
        assertThat(watch.missedNanos())
                .as("400 in two pauses, of which one took 100")
                .isEqualTo(300);
    }

    @Test
    void withoutMissedPausesTheirTimeIsNone() throws Exception {
        look(young(7, 100, 200));
        total = 900;
        look(young(8, 3000, 3500));
        assertThat(watch.missedNanos()).isZero();
    }

    @Test
    void pauseThatIsCountedBeforeItsBeginIsSetIsObservedLater() throws Exception {
        look(young(7, 100, 200));
        look(young(8, 100, 200));
        assertThat(taken()).isEmpty();
        look(young(8, 3000, 3500));
        assertThat(taken()).hasSize(1);
        assertThat(watch.missed()).isZero();
    }

    @Test
    void allPausesOfARuntimeThatIsStartedCount() throws Exception {
        CollectionWatch all = new CollectionWatch(new Scripted(), () -> NOW, CollectionWatch.ALL);
        look(all, young(3, 100, 200), NO_FULL);
        assertThat(taken(all)).containsExactly("young 1100 to 1200 Allocation Failure");
        assertThat(all.missed()).isEqualTo(2);
    }

    @Test
    void pauseThatHasNotEndedLastsUntilTheEndOfTheObservation() throws Exception {
        look(young(7, 100, 200), full(1, 3000, 0));
        assertThat(watch.finish(9000))
                .singleElement()
                .satisfies(pause -> assertThat(pause.hasEnded()).isFalse())
                .extracting(CollectionWatchTest::text)
                .isEqualTo("full 4000 to 9000 System.gc()");
        assertThat(watch.finish(9000)).isEmpty();
        assertThat(watch.missed()).isZero();
    }

    @Test
    void implausiblePausesAreMissed() throws Exception {
        look(young(7, 100, 200));
        look(young(8, 3000, 20_000));
        look(young(9, -4000, -3000));
        assertThat(taken())
                .as("one ends in the future, and one has a negative time")
                .isEmpty();
        assertThat(watch.missed()).isEqualTo(2);
        look(young(3, 3000, 3500));
        look(young(1L << 40, 4000, 4500));
        assertThat(taken()).as("the numbers are not believed").isEmpty();
        assertThat(watch.missed()).isEqualTo(2);
    }

    @Test
    void readingDuringAChangeIsIgnored() throws Exception {
        look(young(7, 100, 200));
        reading = Optional.empty();
        watch.look();
        assertThat(watch.missed()).isZero();
    }

    @Test
    void executorOfAProcessThatIsEndingIsUnknown() {
        assertThat(watch.executor()).isZero();
    }
}
