package mayfly.hotspot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import mayfly.arch.x86.X86_64;
import mayfly.hotspot.code.ForgedNmethod;
import mayfly.hotspot.tables.ForgedMemory;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.runtime.CodeRanges;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.Step;
import org.junit.jupiter.api.Test;

/**
 * Damaged and random memory: a VM is opened or refused, a step ends in an outcome, and both read a bounded number of
 * bytes. Seeds are fixed and are part of the failure message.
 */
class HotSpotFuzzTest {
    private static final int RUNS = Boolean.getBoolean("mayfly.deep") ? 100_000 : 3_000;
    /**
     * Upper bound on the bytes read. A successful open reads about 40 KB; tables without end and large blobs need more.
     */
    private static final long MAX_BYTES = 64L << 20;

    private static final int MAX_FRAMES = 600;
    private static final byte[] C2_METHOD = HexFormat.of()
            .parseHex("89842400c0feff554883ec1066906690" + "e800000000" + "ff10"
                    + "4883c4105d493ba7480300000f8700000000c3" + "90".repeat(22));

    /** Adds some data of every kind to a VM. */
    private static ForgedVm populated(ForgedVm vm) {
        int excluded = vm.feature >= 20 ? 1 : 0;
        for (int i = 0; i < 4; i++) {
            long method = vm.method("a/C" + i, "run", "()V", 40, (byte) 7, (byte) 0x22, (byte) 0);
            ForgedNmethod spec = new ForgedNmethod(method).compileId(i).instructions(C2_METHOD);
            spec.frameComplete = 12;
            spec.deoptHandler = 48;
            spec.osrEntry = i == 2 ? 16 : -1;
            spec.isNative = i == 3;
            int index = spec.metadata(method);
            int outer = spec.scope(excluded, 0, index, 3);
            spec.pc(21, outer).pc(23, spec.scope(excluded, outer, index, 5));
            vm.nmethod(spec);
        }
        vm.blob("vtable chunks", 0, C2_METHOD);
        vm.blob("I2C/C2I adapters", 0, C2_METHOD);
        vm.blob("MethodHandles adapters", 0, C2_METHOD);
        vm.blob("resolve_static_call", 6, C2_METHOD);
        vm.blob("StubRoutines (final stubs)", 0, C2_METHOD);
        return vm;
    }

    @Test
    void damagedVmsAreOpenedOrRefused() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            populated(vm).writeTables();
            vm.memory.record();
            vm.open();
            List<Long> reads = vm.memory.recorded();
            Random random = new Random(vm.feature);
            for (int run = 0; run < RUNS / 2; run++) {
                List<long[]> undo = new ArrayList<>();
                for (int n = 1 + random.nextInt(4); n > 0; n--) {
                    long at = reads.get(random.nextInt(reads.size()));
                    if (vm.memory.isMapped(at, 8)) {
                        undo.addFirst(new long[] {at, vm.memory.readLong(at)});
                        vm.memory.putLong(at, damaged(random, vm.memory.readLong(at), reads));
                    }
                }
                openAndUse(vm, random, "JDK " + vm.feature + ", run " + run);
                for (long[] word : undo) {
                    vm.memory.putLong(word[0], word[1]);
                }
            }
            vm.open();
        }
    }

    @Test
    void randomMemoryIsRefused() throws Exception {
        Random random = new Random(3);
        ForgedVm vm = ForgedVm.jdk25();
        vm.writeTables();
        byte[] noise = new byte[vm.library.bytes.capacity()];
        for (int run = 0; run < RUNS / 30; run++) {
            // Words that are often small and often valid pointers: pure noise is refused at its first number.
            for (int i = 0; i < noise.length; i += 8) {
                long word = switch (random.nextInt(4)) {
                    case 0 -> random.nextInt(64);
                    case 1 -> vm.library.base + random.nextInt(noise.length);
                    case 2 -> vm.heap.base + random.nextInt(1 << 20);
                    default -> random.nextLong();
                };
                vm.library.bytes.putLong(i, word);
            }
            openAndUse(vm, random, "run " + run);
        }
    }

    private static long damaged(Random random, long word, List<Long> reads) {
        return switch (random.nextInt(9)) {
            case 0 -> 0;
            case 1 -> -1;
            case 2 -> word ^ 1L << random.nextInt(64);
            case 3 -> word + random.nextInt(33) - 16;
            case 4 -> random.nextLong();
            case 5 -> random.nextInt();
            case 6 -> reads.get(random.nextInt(reads.size()));
            case 7 -> Integer.MAX_VALUE - random.nextInt(2);
            default -> word & ~0xffL | random.nextInt(256);
        };
    }

    private static void openAndUse(ForgedVm vm, Random random, String run) {
        vm.memory.bytesRead = 0;
        try {
            HotSpot hotSpot = HotSpot.open(new RuntimeId(1), X86_64.ARCHITECTURE, vm.memory, vm, ForgedVm.LIBRARY);
            Stack stack = new Stack(vm, random);
            for (int i = 0; i < 3; i++) {
                stack.step(hotSpot, run);
            }
            hotSpot.newEpoch(random.nextLong(10_000_000_000L));
            stack.step(hotSpot, run);
        } catch (UnsupportedVm e) {
            assertThat(e.getMessage()).as(run).isNotBlank();
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            throw new AssertionError(run, e);
        }
        assertThat(vm.memory.bytesRead).as(run).isLessThan(MAX_BYTES);
    }

    @Test
    void randomRegistersAndStackEndInAnOutcome() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            HotSpot hotSpot = populated(vm).open();
            Random random = new Random(vm.feature + 100);
            Stack stack = new Stack(vm, random);
            int[] outcomes = new int[Step.values().length];
            for (int run = 0; run < RUNS / 2; run++) {
                Step step = stack.step(hotSpot, "JDK " + vm.feature + ", run " + run);
                outcomes[step.ordinal()]++;
                if (run % 50 == 0) {
                    hotSpot.newEpoch(run);
                }
            }
            assertThat(outcomes[Step.CALLER.ordinal()])
                    .as("outcomes %s", Arrays.toString(outcomes))
                    .isGreaterThan(RUNS / 40);
        }
    }

    /** A stack of arbitrary words, and a cursor on it. */
    private static final class Stack implements CodeRanges {
        private static final int SIZE = 8192;
        private final ForgedVm vm;
        private final Random random;
        private final ForgedMemory.Region region;
        private final FrameCursor cursor;

        Stack(ForgedVm vm, Random random) {
            this.vm = vm;
            this.random = random;
            ForgedMemory memory = new ForgedMemory();
            this.region = memory.map(0x7ffc_0000_0000L, SIZE);
            this.cursor = new FrameCursor(X86_64.ARCHITECTURE, vm.memory, memory, this);
        }

        Step step(HotSpot hotSpot, String run) {
            for (int i = 0; i < SIZE; i += 8) {
                region.bytes.putLong(i, word());
            }
            Registers registers = new Registers(X86_64.ARCHITECTURE);
            for (int r = 0; r < X86_64.ARCHITECTURE.registers(); r++) {
                if (random.nextInt(8) != 0) {
                    registers.set(r, word());
                }
            }
            registers.set(X86_64.RIP, pc());
            registers.set(X86_64.RSP, region.base + random.nextInt(SIZE / 8) * 8L);
            if (random.nextBoolean()) {
                registers.set(X86_64.RBP, registers.sp() + random.nextInt(64) * 8L);
            }
            cursor.start(registers, random.nextInt(1000));
            if (random.nextBoolean()) {
                cursor.moveTo(registers.pc(), registers.sp());
            }
            int[] frames = {0};
            try {
                Step step = hotSpot.step(cursor, (Frame frame) -> {
                    frames[0]++;
                    assertThat(frame.label()).isNotNull();
                });
                assertThat(step).as(run).isNotNull();
                assertThat(frames[0]).as(run).isLessThan(MAX_FRAMES);
                return step;
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError(run, e);
            }
        }

        private long pc() {
            return ForgedVm.CODE + random.nextInt((int) (vm.nextBlock() - ForgedVm.CODE) + 64);
        }

        private long word() {
            return switch (random.nextInt(7)) {
                case 0, 1 -> pc();
                case 2 -> region.base + random.nextInt(SIZE);
                case 3 -> region.base + random.nextInt(SIZE / 8) * 8L;
                case 4 -> ForgedVm.LIBRARY + random.nextInt(1000);
                case 5 -> vm.heap.base + random.nextInt(8192) * 8L;
                default -> random.nextBoolean() ? random.nextLong() : random.nextInt(100) - 2;
            };
        }

        @Override
        public boolean isCode(long address) {
            return vm.memory.isMapped(address, 1);
        }

        @Override
        public boolean mayReturnTo(long address) {
            return isCode(address) && (address & 3) != 0;
        }
    }
}
