package mayfly.host.id;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ThreadsTest {
    private final Threads threads = new Threads();

    @Test
    void threadIsFoundByItsNumber() {
        Thread thread = Thread.currentThread();
        threads.add(thread, 5);
        threads.add(thread, 5);
        assertThat(threads.get(5)).isSameAs(thread);
        assertThat(threads.get(6)).isNull();
    }

    @Test
    void endedThreadsAreRemovedWhenTheTableGrows() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        Thread lives = new Thread(() -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        lives.start();
        Thread ended = new Thread(() -> {});
        ended.start();
        ended.join();
        threads.add(lives, 1);
        threads.add(ended, 2);
        assertThat(threads.get(2)).isSameAs(ended);
        for (int i = 3; i < 1000; i++) {
            threads.add(Thread.currentThread(), i);
        }
        assertThat(threads.get(1)).isSameAs(lives);
        assertThat(threads.get(2)).isNull();
        assertThat(threads.get(999)).isSameAs(Thread.currentThread());
        end.countDown();
        lives.join();
    }

    @Test
    void tableDoesNotKeepAThreadAlive() throws InterruptedException {
        Thread thread = new Thread(() -> {});
        var reference = new WeakReference<>(thread);
        threads.add(thread, 1);
        thread = null;
        for (int i = 0; i < 100 && !reference.refersTo(null); i++) {
            System.gc();
        }
        assertThat(reference.refersTo(null)).isTrue();
        assertThat(threads.get(1)).isNull();
    }

    @Test
    void endOfAWaitIsReportedOnceIfItsStartWas() {
        threads.add(Thread.currentThread(), 1);
        assertThat(threads.finished(1, true)).isFalse();
        threads.started(1, true);
        assertThat(threads.finished(1, true)).isTrue();
        assertThat(threads.finished(1, true)).isFalse();
    }

    @Test
    void endOfAWaitIsNotReportedInALaterSubscription() {
        threads.add(Thread.currentThread(), 1);
        threads.started(1, true);
        threads.forgetStarts();
        assertThat(threads.finished(1, true)).isFalse();
        threads.started(1, true);
        assertThat(threads.finished(1, true)).isTrue();
    }

    @Test
    void waitThatHasStartedIsKnownWhenTheTableHasGrown() {
        threads.add(Thread.currentThread(), 1);
        threads.started(1, true);
        for (int i = 2; i < 1000; i++) {
            threads.add(Thread.currentThread(), i);
        }
        assertThat(threads.finished(1, true)).isTrue();
        assertThat(threads.finished(999, true)).isFalse();
    }

    @Test
    void endOfAnotherKindDoesNotEndAWait() {
        threads.add(Thread.currentThread(), 1);
        threads.started(1, true);
        assertThat(threads.finished(1, false)).isFalse();
        assertThat(threads.finished(1, true)).isTrue();
    }
}
