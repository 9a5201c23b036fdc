package mayfly.host.id;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class IdentitiesTest {
    private final Identities<Object> identities = new Identities<>();

    @Test
    void equalObjectsHaveDifferentIds() {
        Object one = List.of(1);
        Object other = new ArrayList<>(List.of(1));
        assertThat(identities.of(one)).isEqualTo(1);
        assertThat(identities.of(other)).isEqualTo(2);
        assertThat(identities.of(one)).isEqualTo(1);
        assertThat(identities.object(1)).isSameAs(one);
        assertThat(identities.object(2)).isSameAs(other);
        assertThat(identities.object(3)).isNull();
    }

    @Test
    void objectIsNewOnlyOnce() {
        Object one = new Object();
        assertThat(identities.ofNew(one)).isEqualTo(1);
        assertThat(identities.ofNew(one)).isZero();
        assertThat(identities.of(one)).isEqualTo(1);
    }

    @Test
    void idOfACollectedObjectIsReportedOnceAndNotReused() {
        Object stays = new Object();
        identities.of(stays);
        WeakReference<Object> goes = new WeakReference<>(known());
        while (!goes.refersTo(null)) {
            System.gc();
        }
        assertThat(identities.takeGone()).containsExactly(2);
        assertThat(identities.takeGone()).isEmpty();
        assertThat(identities.object(2)).isNull();
        assertThat(identities.object(1)).isSameAs(stays);
        assertThat(identities.of(new Object())).isEqualTo(3);
    }

    /**
     * An object that a finalizer can resurrect does not count as collected: code of a class still runs while its last
     * instance is being finalized.
     */
    private static final class Returning {
        private static volatile Returning returned;

        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() {
            returned = this;
        }
    }

    @Test
    void resurrectedObjectKeepsItsId() {
        assertThat(identities.of(new Returning())).isEqualTo(1);
        while (Returning.returned == null) {
            System.gc();
        }
        assertThat(identities.takeGone()).isEmpty();
        assertThat(identities.of(Returning.returned)).isEqualTo(1);
        WeakReference<Object> goes = new WeakReference<>(Returning.returned);
        Returning.returned = null;
        while (!goes.refersTo(null)) {
            System.gc();
        }
        System.gc();
        assertThat(identities.takeGone()).containsExactly(1);
    }

    @Test
    void liveObjectsAreFoundAmongManyCollectedOnes() {
        List<Object> stay = new ArrayList<>();
        WeakReference<Object> lastThatGoes = new WeakReference<>(stay);
        for (int i = 1; i <= 10_000; i++) {
            Object each = new Object();
            assertThat(identities.of(each)).isEqualTo(i);
            if (i % 3 == 0) {
                stay.add(each);
            } else {
                lastThatGoes = new WeakReference<>(each);
            }
        }
        while (!lastThatGoes.refersTo(null)) {
            System.gc();
        }
        long[] gone = identities.takeGone();
        assertThat(gone).hasSize(10_000 - stay.size()).doesNotHaveDuplicates();
        assertThat(Arrays.stream(gone)).noneMatch(number -> number % 3 == 0);
        for (int i = 0; i < stay.size(); i++) {
            long number = 3L * (i + 1);
            assertThat(identities.of(stay.get(i))).isEqualTo(number);
            assertThat(identities.object(number)).isSameAs(stay.get(i));
            assertThat(identities.object(number - 1)).isNull();
        }
        assertThat(identities.of(new Object())).isEqualTo(10_001);
    }

    private Object known() {
        Object known = new Object();
        assertThat(identities.of(known)).isEqualTo(2);
        return known;
    }

    @Test
    void concurrentThreadsGetTheSameIdForAnObject() throws Exception {
        List<Object> objects = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            objects.add(new Object());
        }
        Set<Long> fresh = ConcurrentHashMap.newKeySet();
        CountDownLatch begin = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                done.add(threads.submit(() -> {
                    begin.await();
                    for (Object object : objects) {
                        long number = identities.ofNew(object);
                        assertThat(number == 0 || fresh.add(number)).isTrue();
                        assertThat(identities.object(identities.of(object))).isSameAs(object);
                    }
                    return null;
                }));
            }
            begin.countDown();
            for (Future<?> each : done) {
                each.get();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(fresh).hasSize(objects.size());
    }
}
