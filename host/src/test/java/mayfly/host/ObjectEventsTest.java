package mayfly.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Objects;
import java.util.Random;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.host.probe.DeferredClasses;
import mayfly.host.probe.ProbeCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObjectEventsTest {
    private static final int INTERVAL = 1 << 16;
    private static final int SAMPLES = 200_000;

    private final Ids ids = new IdsTest.Listed();

    private Events events(int declared) {
        return new Events(new Profiler() {}, new Life(), declared, ids);
    }

    private static void assertOwn(Events events, Object lock, boolean inUse) {
        ObjectEvents objects = events.objects();
        assertThat(objects.isOwnLock(lock)).as("%s", lock).isTrue();
        assertThat(objects.isInUse()).isFalse();
        synchronized (lock) {
            assertThat(objects.isInUse()).as("%s", lock).isEqualTo(inUse);
        }
    }

    @Test
    void locksOfTheHostAreItsOwnAndThoseOfItsTablesAreInUseWhileTheyAreHeld() {
        Events events = events(Events.bit(Event.METHOD_PROBES));
        assertOwn(events, events, false);
        assertOwn(events, events.objects(), false);
        assertOwn(events, Life.HOSTED, false);
        assertOwn(events, events.log().classes(), true);
        assertOwn(events, events.log().modules(), true);
        assertOwn(events, events.code(), true);
        assertOwn(events, Objects.requireNonNull(events.probes()), true);
        assertOwn(events, ProbeCode.class, true);
        assertOwn(events, DeferredClasses.class, true);
    }

    @Test
    void otherLockIsNotTheHosts() {
        for (int declared : new int[] {0, Events.bit(Event.METHOD_PROBES)}) {
            ObjectEvents objects = events(declared).objects();
            assertThat(objects.isOwnLock("lock")).isFalse();
            assertThat(objects.isOwnLock(ObjectEventsTest.class)).isFalse();
            synchronized (ObjectEventsTest.class) {
                assertThat(objects.isInUse()).isFalse();
            }
        }
    }

    /** Samples as the JVM does: an object is chosen if the next point of a Poisson process is in it. */
    @ParameterizedTest
    @CsvSource({"16", "1000", "65536", "1048576"})
    void estimatesOfRandomSamplesSumUpToTheBytesAllocated(long size) {
        Random random = new Random(size);
        double probability = 1 - Math.exp(-(double) size / INTERVAL);
        double allocated = 0;
        double estimated = 0;
        for (int i = 0; i < SAMPLES; i++) {
            long objects = 1 + (long) (Math.log(1 - random.nextDouble()) / Math.log1p(-probability));
            allocated += (double) objects * size;
            estimated += ObjectEvents.estimatedBytes(size, INTERVAL);
        }
        assertThat(estimated / allocated).isCloseTo(1, within(0.01));
    }

    @ParameterizedTest
    @CsvSource({
        "16, 1024, 1032",
        "16, 1073741824, 1073741832",
        "1073741824, 1024, 1073741824",
        "17179869184, 524288, 17179869184",
        "1024, 1024, 1620"
    })
    void estimateIsAboutTheIntervalForSmallObjectsAndTheSizeForLargeOnes(long size, int interval, long expected) {
        assertThat(ObjectEvents.estimatedBytes(size, interval)).isEqualTo(expected);
    }
}
