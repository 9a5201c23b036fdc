package mayfly.linux.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import mayfly.arch.x86.X86_64;
import mayfly.linux.sys.Fd;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reads records that the test writes as the kernel does. */
class CallRingTest {
    private static final int BYTES = 1 << 17; // three calls
    private static final int TID = 12;
    private static final long SP = 0x7f00_0000_8ff0L;
    private static final long PC = 0x40_0000L;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment consumer = arena.allocate(CallRing.PAGE, 8);
    private final MemorySegment producer = arena.allocate(CallRing.PAGE + BYTES, 8);
    private final CallRing ring =
            new CallRing(new BpfRing(null, consumer.address(), producer.address(), BYTES), new Fd(-1), null);
    private final List<String> calls = new ArrayList<>();
    private long written;

    @AfterEach
    void free() {
        arena.close();
    }

    private void put(int offset, long word) {
        producer.set(JAVA_LONG, CallRing.PAGE + (written + BpfRing.HEADER + offset & BYTES - 1), word);
    }

    private void submit(int header, int length) {
        producer.set(JAVA_INT, CallRing.PAGE + (written & BYTES - 1), header);
        written += BpfRing.HEADER + length + 7 & -8;
        producer.set(JAVA_LONG, 0, written);
    }

    private void call(long sp, long pages) {
        put(CallRing.ID, TID | 11L << 32);
        put(CallRing.TIME, 77);
        put(CallRing.COPIED, pages);
        put(CallRing.WEIGHT, 1 << 20);
        put(CallRing.REGISTERS + 16 * 8, PC);
        put(CallRing.REGISTERS + 19 * 8, sp);
        put(CallRing.REGISTERS + 14 * 8, 0xd1);
        for (int at = 0; at < CallRing.PAGES * CallRing.PAGE; at += 8) {
            put(CallRing.WORDS + at, at);
        }
        submit(CallRing.RECORD, CallRing.RECORD);
    }

    private void drain() {
        ring.begin();
        ring.drain((tid, time, registers, weight, words) -> calls.add(tid + " at " + time + ": "
                + Long.toHexString(registers.pc()) + " " + Long.toHexString(registers.get(X86_64.RDI)) + ", " + words
                + (words < 3 ? "" : ", third " + Long.toHexString(ring.stack(3)[2]))));
    }

    @Test
    void callHasItsRegistersAndTheStackFromTheStackPointerOn() {
        call(SP, 2);
        call(SP & -CallRing.PAGE, CallRing.PAGES);
        drain();
        assertThat(calls)
                .containsExactly("12 at 77: 400000 d1, 514, third 1000", "12 at 77: 400000 d1, 4096, third 10");
        assertThat(ring.lost()).isZero();
        assertThat(consumer.get(JAVA_LONG, 0)).as("released to the kernel").isEqualTo(written);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "9, 0", "-1, 0", "-9223372036854775808, 0"})
    void callWithAnImpossibleNumberOfPagesHasNoStack(Long pages, int words) {
        call(SP, pages);
        drain();
        assertThat(calls).containsExactly("12 at 77: 400000 d1, " + words);
    }

    @Test
    void callWithAnUnalignedStackPointerHasNoStack() {
        call(SP + 3, 2);
        drain();
        assertThat(calls).containsExactly("12 at 77: 400000 d1, 0");
    }

    @Test
    void recordsWithoutRoomAreCountedAndThoseOfAnotherLengthArePassedOver() {
        submit(CallRing.NO_ROOM, CallRing.NO_ROOM);
        submit(24, 24);
        submit(CallRing.RECORD | BpfRing.DISCARDED, CallRing.RECORD);
        call(SP, 1);
        drain();
        assertThat(calls).hasSize(1);
        assertThat(ring.lost()).isEqualTo(1);
    }

    @Test
    void recordThatIsBeingWrittenEndsTheDrain() {
        call(SP, 1);
        submit(CallRing.RECORD | BpfRing.BUSY, CallRing.RECORD);
        drain();
        drain();
        assertThat(calls).hasSize(1);
    }

    @Test
    void skippedCallsAreNeitherDeliveredNorLost() {
        call(SP, 1);
        submit(CallRing.NO_ROOM, CallRing.NO_ROOM);
        ring.skip();
        drain();
        assertThat(calls).isEmpty();
        assertThat(ring.lost()).isZero();
    }

    @Test
    void callHasTheWeightOfItsRecord() {
        call(SP, 1);
        List<Long> weights = new ArrayList<>();
        ring.begin();
        ring.drain((tid, time, registers, weight, words) -> weights.add(weight));
        assertThat(weights).containsExactly(1L << 20);
    }

    @Test
    void drainIsDueWhenAQuarterOfTheRingIsUsed() {
        assertThat(ring.isDue()).isFalse();
        call(SP, 1);
        assertThat(ring.isDue()).isTrue();
    }
}
