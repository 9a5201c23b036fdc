package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicInteger;
import mayfly.linux.abi.SystemCall;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The reading end of a pipe. */
class PollTest {
    private static final int MILLIS = 20;
    /** Enough calls for the JVM to compile a method: compiled code drops an object after its last use. */
    private static final int COMPILED = 50_000;

    private final Fd reader;
    private final Fd writer;
    private volatile @Nullable WeakReference<Poll> waiting;

    PollTest() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(8, 4);
            assertThat(Syscall.call(SystemCall.PIPE2, numbers.address(), 0, 0)).isZero();
            reader = new Fd(numbers.get(JAVA_INT, 0));
            writer = new Fd(numbers.get(JAVA_INT, 4));
        }
    }

    @AfterEach
    void close() {
        reader.close();
        writer.close();
    }

    private void write() {
        try (Arena arena = Arena.ofConfined()) {
            assertThat(Syscall.call(
                            SystemCall.WRITE, writer.number(), arena.allocate(1).address(), 1))
                    .isEqualTo(1);
        }
    }

    @Test
    void eachWaitWithoutAnEventTakesTheWholeTime() {
        Poll poll = new Poll(reader.number());
        for (int i = 0; i < 3; i++) {
            long begin = System.nanoTime();
            assertThat(poll.await(MILLIS)).isZero();
            assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(MILLIS * 1_000_000L);
        }
        assertThat(poll.await(0)).isZero();
    }

    @Test
    void writtenByteAndClosedPipeAreEvents() {
        Poll poll = new Poll(reader.number());
        write();
        assertThat(poll.await(-1)).isEqualTo(1);
        assertThat(poll.events(0)).isEqualTo(Poll.IN);
        writer.close();
        assertThat(poll.await(1_500)).isEqualTo(1);
        assertThat(poll.events(0)).isEqualTo(Poll.IN | Poll.HUP);
        poll.ignore(0);
        assertThat(poll.await(0)).isZero();
    }

    @Test
    void pollOfAWaitStaysReachableUntilTheWaitEnds() throws InterruptedException {
        for (int i = 0; i < COMPILED; i++) {
            waitOnce(0);
        }
        AtomicInteger collected = new AtomicInteger();
        Thread collector = new Thread(() -> collected.set(waitsWhosePollIsCollected()));
        collector.start();
        while (collector.isAlive()) {
            waitOnce(MILLIS);
        }
        collector.join();
        // A wait can end just before its collection: that is rare. Without the fence in await, all ten are collected.
        assertThat(collected.get()).isLessThan(5);
    }

    /** Waits with a poll to which nothing else refers, as {@link Poll#readable} does. */
    private void waitOnce(int millis) {
        Poll poll = new Poll(reader.number());
        waiting = new WeakReference<>(poll);
        poll.await(millis);
        waiting = null;
    }

    /** Collects garbage during ten waits; returns the number of those whose poll was collected. */
    private int waitsWhosePollIsCollected() {
        int collected = 0;
        for (int waits = 0; waits < 10; ) {
            WeakReference<Poll> poll = waiting;
            System.gc();
            if (poll != null && poll == waiting) {
                waits++;
                collected += poll.refersTo(null) ? 1 : 0;
            }
        }
        return collected;
    }
}
