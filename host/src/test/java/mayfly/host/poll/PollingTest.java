package mayfly.host.poll;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import mayfly.api.Event;
import mayfly.api.ThreadId;
import mayfly.api.event.ContentionSample;
import mayfly.api.event.ThreadAllocation;
import mayfly.api.thread.Blocker;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Looks at the threads of a scripted JVM. */
class PollingTest {
    private static final long RUNNABLE = 0x5;
    private static final long BLOCKED = 0x401;
    private static final long WAITING = 0x191;

    private final Script jvm = new Script();
    private final Polling polling = new Polling(jvm);

    /** A thread of the script. */
    private static final class Planted {
        private final Thread thread = new Thread(() -> {});
        private final long number;
        private long status = RUNNABLE;
        private long bytes;
        private @Nullable Object monitor;
        private long identity;
        private long owner;

        Planted(long number) {
            this.number = number;
        }
    }

    private static final class Script implements Polling.Source {
        private final List<Planted> threads = new ArrayList<>();
        private final List<ContentionSample> contention = new ArrayList<>();
        private final List<ThreadAllocation> allocations = new ArrayList<>();
        private final List<Long> intervals = new ArrayList<>();
        private Set<Event> delivered = EnumSet.of(Event.MONITORS, Event.ALLOCATIONS);
        private boolean counts = true;
        private int lost;
        private int asked;

        Planted add(long number) {
            Planted planted = new Planted(number);
            threads.add(planted);
            return planted;
        }

        private Planted of(Thread thread) {
            return threads.stream()
                    .filter(each -> each.thread == thread)
                    .findFirst()
                    .orElseThrow();
        }

        @Override
        public void every(long nanos) {
            intervals.add(nanos);
        }

        @Override
        public Thread[] live() {
            return threads.stream().map(each -> each.thread).toArray(Thread[]::new);
        }

        @Override
        public void statuses(Thread[] live, long[] numbers, long[] statuses) {
            assertThat(numbers).hasSize(live.length);
            for (int i = 0; i < live.length; i++) {
                numbers[i] = of(live[i]).number;
                statuses[i] = of(live[i]).status;
            }
        }

        @Override
        public boolean allocated(long[] numbers, long[] bytes) {
            for (int i = 0; i < numbers.length && counts; i++) {
                assertThat(bytes[i]).isEqualTo(-1);
                bytes[i] = threads.get(i).bytes;
            }
            return counts;
        }

        @Override
        public void monitors(Thread[] live, Thread[] blocked, long[] numbers, @Nullable Object[] found, long[] values) {
            asked = blocked.length;
            assertThat(live).hasSize(threads.size());
            assertThat(List.of(numbers.length, found.length, values.length / 2)).containsOnly(asked);
            for (int i = 0; i < asked; i++) {
                Planted planted = of(blocked[i]);
                assertThat(numbers[i]).isEqualTo(planted.number);
                found[i] = planted.monitor;
                values[2 * i] = planted.identity;
                values[2 * i + 1] = planted.owner;
            }
        }

        @Override
        public boolean delivers(Event event) {
            return delivered.contains(event);
        }

        @Override
        public ThreadId id(Thread thread) {
            return id(of(thread).number);
        }

        @Override
        public ThreadId id(long number) {
            return new ThreadId(1, number);
        }

        @Override
        public void contention(long nanos, ContentionSample sample) {
            assertThat(nanos).isLessThanOrEqualTo(System.nanoTime());
            contention.add(sample);
        }

        @Override
        public void allocation(long nanos, ThreadAllocation allocation) {
            allocations.add(allocation);
        }

        @Override
        public void lost() {
            lost++;
        }
    }

    @Test
    void onlyBlockedThreadsAreSamplesOfContention() {
        jvm.add(1);
        jvm.add(2).status = BLOCKED;
        jvm.add(3).status = WAITING;
        jvm.add(4).status = -1;
        polling.set(true, false);
        polling.look();
        assertThat(jvm.contention).extracting(sample -> sample.thread().value()).containsExactly(2L);
        assertThat(jvm.allocations).isEmpty();
    }

    /** The samples of a thread that is always blocked stand for all the time. */
    @Test
    void samplesStandForTheTimeSinceTheLastLookOrTheSubscription() {
        jvm.add(2).status = BLOCKED;
        long before = System.nanoTime();
        polling.set(true, false);
        long subscribed = System.nanoTime();
        for (int i = 0; i < 5; i++) {
            polling.look();
        }
        long last = System.nanoTime();
        long sum = jvm.contention.stream().mapToLong(ContentionSample::nanos).sum();
        assertThat(sum).isBetween(1L, last - before);
        polling.set(false, false);
        jvm.contention.clear();
        polling.set(true, false);
        polling.look();
        assertThat(jvm.contention).allMatch(sample -> sample.nanos() < System.nanoTime() - subscribed);
    }

    @Test
    void monitorHasTheNameThatTheJvmStatesOrThatOfTheClassOfTheObject() {
        Planted named = jvm.add(2);
        named.monitor = "a.Named";
        named.identity = 77;
        named.owner = 9;
        Planted unowned = jvm.add(3);
        unowned.monitor = "a.Named";
        unowned.identity = 78;
        unowned.owner = -1;
        Planted object = jvm.add(4);
        object.monitor = "a lock that is a string";
        jvm.add(5);
        jvm.threads.forEach(each -> each.status = BLOCKED);
        polling.set(true, false);
        polling.look();
        assertThat(jvm.contention)
                .extracting(ContentionSample::monitor)
                .containsExactly(
                        Optional.of(new Blocker("a.Named", 77)),
                        Optional.of(new Blocker("a.Named", 78)),
                        Optional.of(new Blocker("java.lang.String", System.identityHashCode(object.monitor))),
                        Optional.empty());
        assertThat(jvm.contention)
                .extracting(ContentionSample::owner)
                .containsExactly(Optional.of(new ThreadId(1, 9)), Optional.empty(), Optional.empty(), Optional.empty());
    }

    @Test
    void monitorsOfTheHostAreNotReported() {
        Planted planted = jvm.add(2);
        planted.status = BLOCKED;
        planted.monitor = polling;
        polling.set(true, false);
        polling.look();
        assertThat(jvm.asked).isEqualTo(1);
        assertThat(jvm.contention).isEmpty();
    }

    @Test
    void monitorsOfManyBlockedThreadsAreAskedForUpToABound() {
        IntStream.range(1, 200).forEach(number -> jvm.add(number).status = BLOCKED);
        jvm.threads.forEach(each -> each.monitor = "a lock");
        polling.set(true, false);
        polling.look();
        assertThat(jvm.contention).hasSize(199);
        assertThat(jvm.contention.subList(0, jvm.asked))
                .allMatch(sample -> sample.monitor().isPresent());
        assertThat(jvm.contention.subList(jvm.asked, 199))
                .isNotEmpty()
                .allMatch(sample -> sample.monitor().isEmpty());
    }

    @Test
    void bytesBeforeTheFirstLookAreNotReported() {
        Planted old = jvm.add(2);
        old.bytes = 1_000_000;
        polling.set(false, true);
        polling.look();
        assertThat(jvm.allocations).isEmpty();
        old.bytes += 100;
        jvm.add(3).bytes = 40;
        polling.look();
        assertThat(jvm.allocations)
                .containsExactly(
                        new ThreadAllocation(jvm.id(2), 100, 1_000_100), new ThreadAllocation(jvm.id(3), 40, 40));
        polling.look();
        assertThat(jvm.allocations).as("threads that allocate nothing").hasSize(2);
    }

    @Test
    void bytesBetweenTwoSubscriptionsAreNotReported() {
        Planted thread = jvm.add(2);
        polling.set(true, true);
        polling.look();
        polling.set(true, false);
        thread.bytes = 500;
        polling.look();
        polling.set(true, true);
        polling.look();
        assertThat(jvm.allocations).isEmpty();
        polling.set(false, false);
        thread.bytes = 600;
        polling.look();
        polling.set(false, true);
        polling.look();
        assertThat(jvm.allocations).isEmpty();
        thread.bytes = 601;
        polling.look();
        assertThat(jvm.allocations).containsExactly(new ThreadAllocation(jvm.id(2), 1, 601));
    }

    @Test
    void bytesOfAThreadThatHasEndedAreNotReported() {
        Planted ending = jvm.add(2);
        polling.set(false, true);
        polling.look();
        ending.bytes = -1; // the JVM has no such thread any more
        polling.look();
        assertThat(jvm.allocations).isEmpty();
    }

    @Test
    void aLookWithoutTheJvmsCountersIsLost() {
        Planted thread = jvm.add(2);
        polling.set(false, true);
        polling.look();
        jvm.counts = false;
        thread.bytes = 10;
        polling.look();
        assertThat(jvm.lost).isEqualTo(1);
        jvm.counts = true;
        polling.look();
        assertThat(jvm.allocations).containsExactly(new ThreadAllocation(jvm.id(2), 10, 10));
    }

    @Test
    void nothingIsReportedWhileADetachHasBegun() {
        Planted thread = jvm.add(2);
        thread.status = BLOCKED;
        polling.set(true, true);
        polling.look();
        jvm.contention.clear();
        jvm.delivered = Set.of();
        thread.bytes = 10;
        polling.look();
        assertThat(jvm.contention).isEmpty();
        assertThat(jvm.allocations).isEmpty();
    }

    @Test
    void theJvmIsPolledOnlyDuringASubscriptionAtTheLastInterval() {
        polling.setInterval(5_000_000);
        polling.look();
        assertThat(jvm.intervals).isEmpty();
        polling.set(true, false);
        polling.set(true, false);
        polling.set(true, true);
        polling.setInterval(7_000_000);
        polling.set(false, false);
        polling.set(false, false);
        polling.look();
        assertThat(jvm.intervals).isEqualTo(Arrays.asList(5_000_000L, 5_000_000L, 7_000_000L, 0L));
    }
}
