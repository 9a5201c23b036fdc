package mayfly.linux.perf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import mayfly.arch.x86.X86_64;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessUnavailable;

/**
 * Any bytes in a ring: records are processed within their sizes, or counted as malformed. A process id of 0 in a record
 * is replaced by that of the target, so that the fuzzer need not know it. The first byte gives the position in the ring
 * at which the records begin.
 */
class PerfRecordsFuzzTest {
    private static final int RING = 1 << 14;
    private static final int CONTROL = 4096;
    private static final MemorySegment MEMORY = Arena.global().allocate(CONTROL + RING, 4096);
    private static final LiveProcess SELF = self();

    private static LiveProcess self() {
        try {
            return LiveProcess.open((int) ProcessHandle.current().pid());
        } catch (ProcessUnavailable e) {
            throw new AssertionError(e);
        }
    }

    @FuzzTest
    void records(byte[] input) {
        if (input.length == 0) {
            return;
        }
        int length = Math.min(input.length - 1, RING) & -8;
        long begin = 8L * (input[0] & 0xff) + RING - 1024;
        for (int i = 0; i < length; i++) {
            MEMORY.set(JAVA_BYTE, CONTROL + (begin + i) % RING, input[1 + i]);
        }
        nameTarget(begin, length);
        MEMORY.set(JAVA_LONG, PerfRing.DATA_HEAD, begin + length);
        for (boolean chain : new boolean[] {false, true}) {
            MEMORY.set(JAVA_LONG, PerfRing.DATA_TAIL, begin);
            PerfRing ring = new PerfRing(MEMORY.address(), RING);
            PerfRings.Filter even = (event, tid) -> (tid & 1) == 0;
            PerfRings rings = new PerfRings(SELF, even, chain, List.of(), List.of(ring), null);
            int[] seen = new int[1];
            int samples = rings.drain(new Checked(seen, length));
            assertThat(samples).isEqualTo(seen[0]);
            assertThat(MEMORY.get(JAVA_LONG, PerfRing.DATA_TAIL)).isEqualTo(begin + length);
        }
    }

    /** Writes the target's id into each record that could be walked and has the id 0. */
    private static void nameTarget(long begin, int length) {
        for (int at = 0; at + 32 <= length; ) {
            long header = word(begin + at);
            int size = (int) (header >>> 48);
            int place = (int) header == PerfRings.SAMPLE ? 24 : 8;
            long both = word(begin + at + place);
            if ((int) both == 0) {
                MEMORY.set(JAVA_LONG, CONTROL + (begin + at + place) % RING, both | SELF.pid());
            }
            if (size < 8 || (size & 7) != 0) {
                return;
            }
            at += size;
        }
    }

    private static long word(long position) {
        return MEMORY.get(JAVA_LONG, CONTROL + position % RING);
    }

    /** Reads all fields of a record. */
    private record Checked(int[] samples, int bytes) implements PerfRecords {
        @Override
        public void sample(PerfSample sample) {
            samples[0]++;
            assertThat(sample.pid()).isEqualTo(SELF.pid());
            assertThat(sample.kernelChainLength()).isBetween(0, Math.min(512, bytes >> 3));
            assertThat(sample.stackWords()).isBetween(0, bytes >> 3);
            assertThat(sample.stack().length).isGreaterThanOrEqualTo(sample.stackWords());
            if (sample.hasRegisters()) {
                sample.registers().get(X86_64.RAX);
            } else {
                assertThat(sample.stackWords()).isZero();
            }
        }

        @Override
        public void comm(int tid, String name, boolean exec) {
            assertThat(name).hasSizeLessThanOrEqualTo(64).doesNotContain("\0");
        }
    }
}
