package mayfly.linux.perf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import mayfly.arch.x86.X86_64;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.Syscall;
import org.junit.jupiter.api.Test;

/** Rings and records written by the test, both valid and invalid. */
class PerfBytesTest {
    private static final int RING = 1 << 12;

    /** A sample with two kernel addresses and three words of stack. */
    private static long[] sample() {
        List<Long> words = new ArrayList<>(List.of(
                9L,
                7L,
                0xffff_ffff_8100_0000L,
                11L | 12L << 32,
                1000L,
                8L,
                3L,
                500L,
                3L,
                -128L,
                0xffff_ffff_8100_0000L,
                0xffff_ffff_8100_1000L,
                2L));
        for (long register = 0; register < 17; register++) {
            words.add(0x100 + register);
        }
        words.addAll(List.of(32L, 0xa1L, 0xa2L, 0xa3L, 0L, 24L));
        words.set(0, 9L | (long) words.size() * 8 << 48);
        return words.stream().mapToLong(Long::longValue).toArray();
    }

    @Test
    void sampleIsDecoded() {
        try (Arena arena = Arena.ofConfined()) {
            long[] words = sample();
            MemorySegment bytes = arena.allocateFrom(JAVA_LONG, words);
            PerfSample sample = new PerfSample(true);
            assertThat(sample.readHead(bytes.address(), words.length * 8)).isTrue();
            assertThat(sample.readBody()).isTrue();
            assertThat(sample.pid()).isEqualTo(11);
            assertThat(sample.tid()).isEqualTo(12);
            assertThat(sample.time()).isEqualTo(1000);
            assertThat(sample.streamId()).isEqualTo(8);
            assertThat(sample.cpu()).isEqualTo(3);
            assertThat(sample.period()).isEqualTo(500);
            assertThat(sample.kernelChainLength()).isEqualTo(2);
            assertThat(sample.kernelChain()[1]).isEqualTo(0xffff_ffff_8100_1000L);
            assertThat(sample.registers().get(X86_64.RBX)).isEqualTo(0x101);
            assertThat(sample.registers().get(X86_64.RDX)).isEqualTo(0x103);
            assertThat(sample.stackBase()).isEqualTo(0x107);
            assertThat(sample.registers().pc()).isEqualTo(0x108);
            assertThat(sample.registers().get(X86_64.R8)).isEqualTo(0x109);
            assertThat(sample.registers().get(X86_64.R15)).isEqualTo(0x110);
            assertThat(sample.stackWords()).isEqualTo(3);
            assertThat(sample.stack()).startsWith(0xa1, 0xa2, 0xa3);
            assertThat(sample.stackFull()).isFalse();
        }
    }

    /** The kernel reports no ABI for a thread that has released its address space, and that of 32-bit code. */
    @Test
    void sampleWithoutRegistersOf64BitsIsDecoded() {
        List<Long> exiting = new ArrayList<>(List.of(
                9L,
                7L,
                0xffff_ffff_8100_0000L,
                11L | 12L << 32,
                1000L,
                8L,
                3L,
                500L,
                1L,
                0xffff_ffff_8100_0000L,
                0L,
                0L));
        exiting.set(0, 9L | (long) exiting.size() * 8 << 48);
        long[] of32Bits = sample();
        of32Bits[12] = 1;
        try (Arena arena = Arena.ofConfined()) {
            PerfSample sample = new PerfSample(true);
            assertThat(read(sample, arena, sample())).isTrue();
            assertThat(sample.hasRegisters()).isTrue();
            assertThat(sample.hasAddressSpace()).isTrue();
            assertThat(read(
                            sample,
                            arena,
                            exiting.stream().mapToLong(Long::longValue).toArray()))
                    .isTrue();
            assertThat(sample.hasRegisters()).isFalse();
            assertThat(sample.hasAddressSpace()).isFalse();
            assertThat(sample.stackWords()).isZero();
            assertThat(sample.kernelChainLength()).isEqualTo(1);
            assertThat(read(sample, arena, of32Bits)).isTrue();
            assertThat(sample.hasRegisters()).isFalse();
            assertThat(sample.hasAddressSpace()).isTrue();
            assertThat(sample.stackWords()).isZero();
        }
    }

    private static boolean read(PerfSample sample, Arena arena, long[] words) {
        MemorySegment bytes = arena.allocateFrom(JAVA_LONG, words);
        return sample.readHead(bytes.address(), words.length * 8) && sample.readBody();
    }

    @Test
    void truncatedSampleIsRefused() {
        try (Arena arena = Arena.ofConfined()) {
            long[] words = sample();
            MemorySegment bytes = arena.allocateFrom(JAVA_LONG, words);
            PerfSample sample = new PerfSample(true);
            for (int count = 1; count < words.length; count++) {
                assertThat(sample.readHead(bytes.address(), count * 8) && sample.readBody())
                        .as("%d words", count)
                        .isFalse();
            }
        }
    }

    @Test
    void damagedSamplesAreReadWithinTheirBounds() {
        Random random = new Random(42);
        PerfSample sample = new PerfSample(true);
        for (int i = 0; i < 20_000; i++) {
            try (Arena arena = Arena.ofConfined()) {
                long[] words = sample();
                words[1 + random.nextInt(words.length - 1)] = random.nextLong() >> random.nextInt(64);
                MemorySegment bytes = arena.allocateFrom(JAVA_LONG, words);
                if (sample.readHead(bytes.address(), words.length * 8) && sample.readBody()) {
                    assertThat(sample.stackWords()).isLessThan(words.length);
                    assertThat(sample.kernelChainLength()).isLessThan(words.length);
                }
            }
        }
    }

    @Test
    void recordThatWrapsAroundTheRingIsAssembled() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(4096 + RING, 8);
            PerfRing ring = new PerfRing(memory.address(), RING);
            long start = 5L * RING + RING - 16;
            memory.set(JAVA_LONG, PerfRing.DATA_TAIL, start);
            memory.set(JAVA_LONG, PerfRing.DATA_HEAD, start + 40);
            put(memory, start, 77L | 24L << 48);
            put(memory, start + 8, 1);
            put(memory, start + 16, 2);
            put(memory, start + 24, 78L | 3L << 32 | 16L << 48);
            List<String> seen = new ArrayList<>();
            assertThat(drain(
                            ring,
                            (address, type, misc, size) -> seen.add(
                                    type + " " + misc + " " + size + " " + Syscall.ALL.get(JAVA_LONG, address + 8)
                                            + Syscall.ALL.get(JAVA_BYTE, address + size - 8))))
                    .isTrue();
            assertThat(seen).containsExactly("77 0 24 12", "78 3 16 00");
            assertThat(memory.get(JAVA_LONG, PerfRing.DATA_TAIL)).isEqualTo(start + 40);
        }
    }

    @Test
    void implausibleRecordSizeEndsTheDrain() {
        for (long size : new long[] {0, 7, 12, 64, 65_528}) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment memory = arena.allocate(4096 + RING, 8);
                memory.set(JAVA_LONG, PerfRing.DATA_HEAD, 32);
                put(memory, 0, 9L | size << 48);
                assertThat(drain(new PerfRing(memory.address(), RING), (address, type, misc, length) -> {
                            throw new AssertionError("size " + length);
                        }))
                        .isFalse();
                assertThat(memory.get(JAVA_LONG, PerfRing.DATA_TAIL)).isEqualTo(32);
            }
        }
    }

    /** PERF_RECORD_COMM with the trailer of all records other than samples. */
    private static List<Long> comm(int pid, int tid, boolean exec, long time) {
        long size = 8 + 8 + 8 + PerfEventAttr.TRAILER;
        long misc = exec ? PerfRings.MISC_COMM_EXEC : 0;
        long name = 'j' | 'a' << 8 | 'v' << 16 | (long) 'a' << 24;
        long both = pid | (long) tid << 32;
        return List.of(PerfRings.COMM | misc << 32 | size << 48, both, name, both, time, 1L, 0L, 1L);
    }

    @Test
    void execIsSeenBeforeTheDrain() throws Exception {
        int pid = (int) ProcessHandle.current().pid();
        try (Arena arena = Arena.ofConfined();
                LiveProcess self = LiveProcess.open(pid)) {
            MemorySegment memory = arena.allocate(4096 + RING, 8);
            PerfRings rings = new PerfRings(
                    self, (id, tid) -> true, false, List.of(), List.of(new PerfRing(memory.address(), RING)), null);
            List<Long> words = new ArrayList<>();
            words.addAll(comm(pid, pid, false, 10));
            words.addAll(comm(pid + 1, pid + 1, true, 20));
            words.addAll(comm(pid, pid + 1, false, 30));
            fill(memory, words);
            rings.begin();
            assertThat(rings.lastExec()).isEqualTo(Long.MIN_VALUE);
            words.addAll(comm(pid, pid, true, 40));
            fill(memory, words);
            assertThat(rings.lastExec()).isEqualTo(40);
            List<String> names = new ArrayList<>();
            PerfRecords named = new PerfRecords() {
                @Override
                public void sample(PerfSample sample) {
                    throw new AssertionError();
                }

                @Override
                public void comm(int tid, String name, boolean exec) {
                    names.add(tid - pid + " " + name + " " + exec);
                }
            };
            rings.drain(named);
            assertThat(names).as("the records present at begin()").containsExactly("0 java false", "1 java false");
            rings.drain(named);
            assertThat(names).hasSize(3).last().isEqualTo("0 java true");
            assertThat(rings.lastExec()).isEqualTo(40);
        }
    }

    /** PERF_RECORD_SWITCH, which has only the trailer. */
    private static List<Long> switched(int pid, int tid, long misc, long time) {
        long size = 8 + PerfEventAttr.TRAILER;
        return List.of(PerfRings.SWITCH | misc << 32 | size << 48, pid | (long) tid << 32, time, 1L, 0L, 1L);
    }

    @Test
    void switchesOfTheTargetAreDecodedAndThoseOfOthersDropped() throws Exception {
        int pid = (int) ProcessHandle.current().pid();
        try (Arena arena = Arena.ofConfined();
                LiveProcess self = LiveProcess.open(pid)) {
            MemorySegment memory = arena.allocate(4096 + RING, 8);
            PerfRings rings = new PerfRings(
                    self, (id, tid) -> tid != 9, false, List.of(), List.of(new PerfRing(memory.address(), RING)), null);
            List<Long> words = new ArrayList<>();
            words.addAll(switched(pid, 7, 0, 10));
            words.addAll(switched(pid, 7, PerfRings.MISC_SWITCH_OUT, 20));
            words.addAll(switched(pid, 8, PerfRings.MISC_SWITCH_OUT | PerfRings.MISC_SWITCH_OUT_PREEMPT, 30));
            words.addAll(switched(pid + 1, 7, 0, 40));
            words.addAll(switched(pid, 9, 0, 50));
            words.add(PerfRings.SWITCH | 8L << 48);
            fill(memory, words);
            List<String> seen = new ArrayList<>();
            rings.drain(new PerfRecords() {
                @Override
                public void sample(PerfSample sample) {
                    throw new AssertionError();
                }

                @Override
                public void switched(int tid, long time, Switch kind) {
                    seen.add(tid + " " + kind + " " + time);
                }
            });
            assertThat(seen).containsExactly("7 IN 10", "7 OUT 20", "8 PREEMPTED 30");
            assertThat(rings.dropped()).isEqualTo(2);
            assertThat(rings.malformed()).isEqualTo(1);
        }
    }

    private static void fill(MemorySegment memory, List<Long> words) {
        for (int i = 0; i < words.size(); i++) {
            put(memory, i * 8L, words.get(i));
        }
        memory.set(JAVA_LONG, PerfRing.DATA_HEAD, words.size() * 8L);
    }

    private static void put(MemorySegment memory, long position, long word) {
        memory.set(JAVA_LONG, 4096 + (position & RING - 1), word);
    }

    private static boolean drain(PerfRing ring, PerfRing.Reader reader) {
        boolean sound = true;
        ring.begin();
        while (ring.hasNext()) {
            sound &= ring.next(reader);
        }
        return sound;
    }
}
