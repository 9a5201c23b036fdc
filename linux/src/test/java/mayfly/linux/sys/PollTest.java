package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.abi.SystemCall;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The reading end of a pipe. */
class PollTest {
    private static final int MILLIS = 20;

    private final Fd reader;
    private final Fd writer;

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
}
