package mayfly.host.poll;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ThreadCountersTest {
    private final ThreadCounters counters = new ThreadCounters();

    @Test
    void counterIsRaisedByItsDifferenceAndNeverLowered() {
        counters.next(1);
        assertThat(counters.raise(7, 100)).isEqualTo(100);
        counters.next(1);
        assertThat(counters.raise(7, 130)).isEqualTo(30);
        counters.next(1);
        assertThat(counters.raise(7, 120)).as("the JVM counted too much before").isZero();
        counters.next(1);
        assertThat(counters.raise(7, 131)).isEqualTo(1);
    }

    @Test
    void threadThatIsNotInALookIsForgotten() {
        counters.next(2);
        counters.raise(7, 100);
        counters.raise(8, 100);
        counters.next(1);
        assertThat(counters.raise(8, 100)).isZero();
        counters.next(1);
        assertThat(counters.raise(7, 5)).isEqualTo(5);
    }

    @Test
    void countersOfManyThreadsEqualThoseOfAMap() {
        Random random = new Random(42);
        Map<Long, Long> highest = new HashMap<>();
        for (int look = 0; look < 200; look++) {
            int count = random.nextInt(look % 10 == 0 ? 2000 : 100);
            Map<Long, Long> next = new HashMap<>();
            counters.next(count);
            for (int i = 0; i < count; i++) {
                long thread = 1 + (random.nextInt(3000) | (long) random.nextInt(3) << 40);
                if (next.containsKey(thread)) {
                    continue;
                }
                long before = highest.getOrDefault(thread, 0L);
                long value = before + random.nextInt(100) - 10;
                long now = Math.max(before, value);
                assertThat(counters.raise(thread, value)).isEqualTo(now - before);
                next.put(thread, now);
            }
            highest = next;
        }
    }

    @Test
    void tablesHaveRoomForAnyNumberOfThreads() {
        for (int count = 0; count < 300; count++) {
            ThreadCounters some = new ThreadCounters();
            some.next(count);
            for (int thread = 1; thread <= count; thread++) {
                assertThat(some.raise(thread, thread)).isEqualTo(thread);
            }
            some.next(count);
            for (int thread = 1; thread <= count; thread++) {
                assertThat(some.raise(thread, thread + 1)).isEqualTo(1);
            }
        }
    }
}
