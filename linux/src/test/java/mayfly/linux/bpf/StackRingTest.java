package mayfly.linux.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import mayfly.arch.x86.X86_64;
import mayfly.linux.perf.PerfSample;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Matches saved stack pages with their samples, and releases records to the kernel. The test writes the rings. */
class StackRingTest {
    private static final int BYTES = 1 << 15; // seven pages
    private static final int LENGTH = StackRing.HEADER + StackRing.RECORD;
    private static final int PID = 11;
    private static final int TID = 12;
    private static final long SP = 0x7f00_0000_8000L;
    private static final long IP = 0x40_0000L;
    private static final long FIRST = 0x7f00_0001_0000L;
    private static final long PERIOD = 1000;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment consumer = arena.allocate(StackRing.PAGE, 8);
    private final MemorySegment producer = arena.allocate(StackRing.PAGE + BYTES, 8);
    private final StackRing ring =
            new StackRing(null, new StackEnds(null), consumer.address(), producer.address(), BYTES, PERIOD / 2);
    private long written;

    @AfterEach
    void free() {
        arena.close();
    }

    /** Writes a record as the kernel does, wrapping around. */
    private void page(int tid, int cpu, long time, long sp, long address) {
        describe(tid, cpu, time, sp, address);
        for (int at = 0; at < StackRing.PAGE; at += 8) {
            put(StackRing.WORDS + at, address + at ^ time);
        }
        submit(StackRing.RECORD);
    }

    /** Writes the record that the BPF program writes if the ring has no room for a page. */
    private void noRoom(int tid, int cpu, long time) {
        describe(tid, cpu, time, SP, FIRST);
        submit(StackRing.NO_ROOM);
    }

    private void describe(int tid, int cpu, long time, long sp, long address) {
        put(StackRing.ID, tid | (long) PID << 32);
        put(StackRing.TIME, time);
        put(StackRing.CPU, cpu);
        put(StackRing.SP, sp);
        put(StackRing.IP, IP);
        put(StackRing.ADDRESS, address);
    }

    private void put(int offset, long word) {
        producer.set(JAVA_LONG, StackRing.PAGE + (written + StackRing.HEADER + offset & BYTES - 1), word);
    }

    private void submit(int header) {
        producer.set(JAVA_INT, StackRing.PAGE + (written & BYTES - 1), header);
        written += header == StackRing.NO_ROOM ? StackRing.HEADER + StackRing.NO_ROOM : LENGTH;
        producer.set(JAVA_LONG, 0, written);
    }

    /** A sample whose copied stack has the requested size, so it may continue. */
    private PerfSample sample(int tid, int cpu, long time) {
        PerfSample sample = sample(tid, cpu, time, 8);
        assertThat(sample.stackFull()).isTrue();
        return sample;
    }

    private PerfSample sample(int tid, int cpu, long time, int copied) {
        long[] words = new long[8 + 1 + 17 + 1 + 1 + 1];
        words[0] = 9L;
        words[3] = PID | (long) tid << 32;
        words[4] = time;
        words[6] = cpu;
        words[8] = PerfSample.ABI_64;
        words[9 + 7] = SP;
        words[9 + 8] = IP;
        words[26] = 8;
        words[28] = copied;
        PerfSample sample = new PerfSample(false, ring);
        MemorySegment bytes = arena.allocateFrom(JAVA_LONG, words);
        assertThat(sample.readHead(bytes.address(), words.length * 8) && sample.readBody())
                .isTrue();
        assertThat(sample.registers().get(X86_64.RSP)).isEqualTo(SP);
        ring.sampled(sample);
        return sample;
    }

    private long consumed() {
        return consumer.get(JAVA_LONG, 0);
    }

    @Test
    void pagesAreFoundForTheirSample() {
        page(TID, 0, 1000, SP, FIRST);
        page(TID + 1, 1, 1010, SP, FIRST); // another thread, between them
        page(TID, 0, 1000, SP, FIRST + StackRing.PAGE);
        PerfSample sample = sample(TID, 0, 1020);
        for (long at = FIRST; at < FIRST + 2 * StackRing.PAGE; at += 8) {
            assertThat(sample.hasSaved(at)).isTrue();
            assertThat(sample.saved(at)).isEqualTo(at ^ 1000);
        }
        assertThat(sample.hasSaved(FIRST - 8)).isFalse();
        assertThat(sample.hasSaved(FIRST + 2 * StackRing.PAGE)).isFalse();
        assertThat(sample.hasSaved(0)).isFalse();
        assertThat(sample.hasSaved(-8)).isFalse();
    }

    @Test
    void pagesOfAnotherSampleAreIgnored() {
        for (int cpu = 0; cpu < 4; cpu++) {
            page(TID, cpu, 1000, cpu == 3 ? SP + 16 : SP, FIRST);
        }
        assertThat(sample(TID, 4, 1000).hasSaved(FIRST)).as("another CPU").isFalse();
        assertThat(sample(TID + 1, 1, 990).hasSaved(FIRST)).as("another thread").isFalse();
        assertThat(sample(TID, 2, 999 - PERIOD / 2).hasSaved(FIRST))
                .as("another time")
                .isFalse();
        assertThat(sample(TID, 3, 990).hasSaved(FIRST))
                .as("another stack pointer")
                .isFalse();
        assertThat(sample(TID, 0, 990).hasSaved(FIRST)).isTrue();
    }

    /** The same function at the same depth, repeatedly: each sample has its own pages. */
    @Test
    void equalLookingSamplesAreMatchedInOrder() {
        page(TID, 0, 1000, SP, FIRST);
        page(TID, 0, 1300, SP, FIRST);
        assertThat(sample(TID, 0, 1010).saved(FIRST)).isEqualTo(FIRST ^ 1000);
        assertThat(sample(TID, 0, 1310).saved(FIRST)).isEqualTo(FIRST ^ 1300);
        assertThat(sample(TID, 0, 1600).hasSaved(FIRST)).isFalse();
    }

    /** A page of the stack that was never touched is not saved; the pages above it are. */
    @Test
    void pagesAboveAnUntouchedPageAreFound() {
        page(TID, 0, 1000, SP, FIRST);
        page(TID, 0, 1000, SP, FIRST + 2 * StackRing.PAGE);
        PerfSample sample = sample(TID, 0, 1000);
        assertThat(sample.hasSaved(FIRST)).isTrue();
        assertThat(sample.hasSaved(FIRST + StackRing.PAGE)).isFalse();
        assertThat(sample.hasSaved(FIRST + 2 * StackRing.PAGE)).isTrue();
        assertThat(sample.saved(FIRST + 2 * StackRing.PAGE + 8)).isEqualTo(FIRST + 2 * StackRing.PAGE + 8 ^ 1000);
    }

    /** Above a large hole, the outermost page is saved first. */
    @Test
    void pagesSavedInDescendingOrderAreFound() {
        for (int page = 3; page >= 0; page--) {
            page(TID, 0, 1000, SP, FIRST + page * StackRing.PAGE * 2L);
        }
        PerfSample sample = sample(TID, 0, 1000);
        for (int page = 0; page < 8; page++) {
            assertThat(sample.hasSaved(FIRST + (long) page * StackRing.PAGE)).isEqualTo(page % 2 == 0);
        }
    }

    /** The copy of a sample's stack ends early at a page that was never touched. */
    @Test
    void pagesOfASampleWithAnEmptyCopyAreFound() {
        page(TID, 0, 1000, SP, FIRST);
        assertThat(sample(TID, 0, 1000, 0).hasSaved(FIRST)).isTrue();
    }

    @Test
    void pagesOfAProcessedSampleAreReleased() {
        page(TID, 0, 1000, SP, FIRST);
        page(TID, 0, 1000, SP, FIRST + StackRing.PAGE);
        submit(StackRing.RECORD | StackRing.DISCARDED);
        page(TID, 1, 1005, SP, FIRST);
        PerfSample sample = sample(TID, 0, 990);
        ring.release(1100);
        assertThat(consumed()).isEqualTo(3 * LENGTH);
        assertThat(ring.isEmpty()).isFalse();
        assertThat(sample.hasSaved(FIRST)).as("released").isFalse();
        sample(TID, 1, 1001);
        ring.release(1100);
        assertThat(ring.isEmpty()).isTrue();
    }

    @Test
    void sampleThatLacksRoomForItsPagesIsMarked() {
        page(TID, 0, 1000, SP, FIRST);
        noRoom(TID, 0, 1000);
        noRoom(TID, 0, 2000);
        page(TID, 0, 3000, SP, FIRST);
        PerfSample first = sample(TID, 0, 1000);
        assertThat(first.stackLacksRoom()).isTrue();
        assertThat(first.hasSaved(FIRST)).isTrue();
        PerfSample second = sample(TID, 0, 2000);
        assertThat(second.stackLacksRoom()).isTrue();
        assertThat(second.hasSaved(FIRST)).isFalse();
        PerfSample third = sample(TID, 0, 3000);
        assertThat(third.stackLacksRoom()).isFalse();
        assertThat(third.hasSaved(FIRST)).isTrue();
        ring.release(3000);
        assertThat(ring.isEmpty()).isTrue();
    }

    /**
     * The pages of a sample that the kernel had no room for remain in the ring. They are released at the CPU's next
     * sample, or after some time.
     */
    @Test
    void pagesWithoutASampleAreReleasedEventually() {
        page(TID, 0, 1000, SP, FIRST);
        sample(TID, 0, 9000);
        ring.release(9000);
        assertThat(ring.isEmpty()).isTrue();
        page(TID, 1, 9000, SP, FIRST);
        ring.release(10_000);
        assertThat(ring.isEmpty()).isFalse();
        ring.release(200_020_000);
        assertThat(ring.isEmpty()).isTrue();
    }

    @Test
    void pagesThatWrapAroundTheRingAreFound() {
        long time = 1000;
        for (int i = 0; i < 40; i++) {
            page(TID, 0, time, SP, FIRST);
            page(TID, 0, time, SP, FIRST + StackRing.PAGE);
            PerfSample sample = sample(TID, 0, time);
            for (long at = FIRST; at < FIRST + 2 * StackRing.PAGE; at += 8) {
                assertThat(sample.saved(at)).isEqualTo(at ^ time);
            }
            ring.release(time);
            assertThat(consumed()).isEqualTo(written);
            time += PERIOD;
        }
    }

    /** A virtual CPU was preempted while it wrote its record: the records after it are complete. */
    @Test
    void pagesBehindABusyRecordAreFoundAndNotReleased() {
        submit(StackRing.RECORD | StackRing.BUSY);
        page(TID, 0, 1000, SP, FIRST);
        assertThat(sample(TID, 0, 1000).hasSaved(FIRST)).isTrue();
        ring.release(1_000_000_000);
        assertThat(consumed()).isZero();
    }

    @Test
    void busyRecordIsFoundOnceItIsComplete() {
        submit(StackRing.RECORD | StackRing.BUSY);
        page(TID, 0, 1000, SP, FIRST);
        assertThat(sample(TID, 0, 1000).hasSaved(FIRST)).isTrue();
        long behind = written;
        written = 0;
        page(TID + 1, 1, 2000, SP, FIRST);
        written = behind;
        producer.set(JAVA_LONG, 0, behind);
        assertThat(sample(TID + 1, 1, 2000).hasSaved(FIRST)).isTrue();
        ring.release(1_000_000_000);
        assertThat(consumed()).isEqualTo(2 * LENGTH);
    }

    @Test
    void implausibleBusyRecordYieldsNoPages() {
        submit(StackRing.BUSY | 0x3fff_fff8);
        page(TID, 0, 1000, SP, FIRST);
        assertThat(sample(TID, 0, 1000).hasSaved(FIRST)).isFalse();
    }

    @Test
    void implausibleRecordsYieldNoPages() {
        Random random = new Random(1);
        for (int i = 0; i < 2_000; i++) {
            int header = random.nextInt() & ~StackRing.BUSY;
            page(TID, random.nextInt(), random.nextLong(), SP, random.nextLong());
            written -= LENGTH;
            submit(random.nextBoolean() ? StackRing.RECORD : header);
            PerfSample sample = sample(TID, random.nextInt(), random.nextLong());
            assertThat(sample.hasSaved(random.nextLong() & -8)).isFalse();
            ring.release(Long.MAX_VALUE);
            ring.release(random.nextLong());
            if (!ring.isEmpty()) {
                producer.set(JAVA_LONG, 0, written = consumed());
            }
        }
    }
}
