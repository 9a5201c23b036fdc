package mayfly.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.api.ThreadId;
import org.junit.jupiter.api.Test;

class IdsTest {
    /** Ids without a JVM: the number of a thread is its Java id, and the test lists the live threads. */
    static final class Listed extends Ids {
        final List<Thread> live = new ArrayList<>();
        int enumerations;
        private long sequence;

        Listed() {
            super(1);
        }

        @Override
        long nextSequence() {
            return ++sequence;
        }

        @Override
        long number(Thread thread) {
            return thread.getId();
        }

        @Override
        Thread[] liveThreads() {
            enumerations++;
            return live.toArray(new Thread[0]);
        }
    }

    private final Listed ids = new Listed();

    private void requireGone(ThreadId id) {
        assertThatThrownBy(() -> ids.thread(id))
                .isInstanceOfSatisfying(
                        ProfilerException.class, e -> assertThat(e.status()).isEqualTo(Status.THREAD_GONE));
    }

    private static Thread ended() throws InterruptedException {
        Thread thread = new Thread(() -> {});
        thread.start();
        thread.join();
        return thread;
    }

    @Test
    void seenThreadIsFoundWithoutEnumeration() {
        ThreadId id = ids.of(Thread.currentThread());
        assertThat(ids.thread(id)).isSameAs(Thread.currentThread());
        assertThat(ids.enumerations).isZero();
    }

    @Test
    void threadsAreEnumeratedOnceForAThreadThatWasNotSeen() {
        ids.live.add(Thread.currentThread());
        ThreadId id = new ThreadId(1, Thread.currentThread().getId());
        assertThat(ids.thread(id)).isSameAs(Thread.currentThread());
        assertThat(ids.thread(id)).isSameAs(Thread.currentThread());
        assertThat(ids.enumerations).isOne();
    }

    @Test
    void endedThreadIsGoneWithoutEnumeration() throws InterruptedException {
        requireGone(ids.of(ended()));
        assertThat(ids.enumerations).isZero();
    }

    @Test
    void collectedThreadIsGoneWithoutEnumeration() throws InterruptedException {
        Thread thread = ended();
        ThreadId id = ids.of(thread);
        var reference = new WeakReference<>(thread);
        thread = null;
        for (int i = 0; i < 100 && !reference.refersTo(null); i++) {
            System.gc();
        }
        assertThat(reference.refersTo(null)).isTrue();
        requireGone(id);
        assertThat(ids.enumerations).isZero();
    }

    @Test
    void threadDroppedFromTheTableIsGoneWithoutEnumeration() throws InterruptedException {
        ThreadId id = ids.of(ended());
        for (int i = 0; i < 100; i++) {
            ids.of(new Thread(() -> {}));
        }
        requireGone(id);
        assertThat(ids.enumerations).isZero();
    }

    @Test
    void unknownThreadIsGoneAfterAnEnumeration() {
        ids.live.add(Thread.currentThread());
        requireGone(new ThreadId(1, Long.MAX_VALUE));
        assertThat(ids.enumerations).isOne();
    }
}
