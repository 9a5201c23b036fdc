package mayfly.hotspot.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.heap.ForgedHeap.Shape;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.ForgedMemory;
import mayfly.hotspot.tables.UncachedMemory;
import mayfly.hotspot.tables.VmField;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.Unread;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects that a concurrent collector has copied are read at their new location. */
class LoadBarrierTest {
    private static final int BLOCKED = 10;
    private static final int PARKED = 0x291;
    private static final int GRANULE = 1 << 21;
    private static final long BASE = 1L << 34;
    private static final int ENTRIES = 8;
    /** With two generations, on x86-64. */
    private static final List<Integer> SHIFTS = List.of(13, 14, 15, 16);

    /** With one generation: bits 42 and up are the colour. */
    private static final long GOOD = 1L << 44;

    private static final long BAD = 1L << 42 | 1L << 43;

    private static ForgedHeap heap(ForgedVm vm, Shape shape, String... flags) {
        vm.sizes.put("ZForwarding", 40L);
        vm.sizes.put("ZHeap", 400L);
        return new ForgedHeap(vm, shape, flags);
    }

    @Test
    void shenandoahForwardingIsReadFromTheMark() throws Exception {
        for (Shape shape : Shape.values()) {
            ForgedHeap heap =
                    heap(ForgedVm.jdk25(), shape, "+UseShenandoahGC").withThread("old", BLOCKED, PARKED, true, 1);
            long old = heap.thread;
            long oldString = heap.string;
            heap.withThread("copy", BLOCKED, PARKED, true, 2);
            heap.putReference(heap.thread + heap.offsets.get("name"), oldString);
            heap.memory.putLong(oldString, heap.string | 3);
            heap.memory.putLong(old, heap.thread | 3);
            heap.putRoot(VmField.THREAD_OBJECT, old);
            heap.putRoot(VmField.THREAD_VTHREAD, old);
            assertThat(heap.info().name()).isEqualTo("copy");
            assertThat(heap.info().managedId()).isEqualTo(2);
            assertThat(heap.info().mounted()).isNull();
        }
    }

    @Test
    void markOfAnotherCollectorIsNotTakenAsForwarding() throws Exception {
        ForgedHeap heap = heap(ForgedVm.jdk25(), Shape.NARROW).withThread("here", BLOCKED, PARKED, true, 1);
        heap.memory.putLong(heap.thread, heap.string | 3);
        assertThat(heap.info().name()).isEqualTo("here");
    }

    /** The heap of ZGC with one generation. {@code BASE} is the heap's start. */
    private static final class OneGeneration {
        final ForgedVm vm = ForgedVm.jdk17();
        final ForgedMemory memory = vm.memory;
        final UncachedMemory uncached = new UncachedMemory(memory);
        final long good = vm.heap.allocate(8);
        final long bad = vm.heap.allocate(8);
        final long granules = vm.heap.allocate(8 * 1024 * 16);
        final long pointer = vm.heap.allocate(8);
        final ZForwardingTable.Shape shape = new ZForwardingTable.Shape(0, 16, 24, 40);
        final ZForwardingTable table = new ZForwardingTable(uncached, pointer, shape);
        final LoadBarrier barrier = new LoadBarrier.ColouredAddress(uncached, good, bad, (1L << 42) - 1, table);

        OneGeneration() {
            memory.putLong(good, GOOD);
            memory.putLong(bad, BAD);
            memory.putLong(pointer, granules);
        }

        /** Adds the forwarding of the page at an offset, with these entries. */
        long forward(long page, long... entries) {
            long forwarding = vm.heap.allocate(40 + 8 * ENTRIES);
            memory.putLong(granules + 8 * (page / GRANULE), forwarding);
            memory.putLong(forwarding, page);
            memory.putLong(forwarding + 16, 3);
            memory.putLong(forwarding + 24, ENTRIES);
            for (int i = 0; i < entries.length; i++) {
                memory.putLong(forwarding + 40 + 8L * i, entries[i]);
            }
            return forwarding;
        }

        static long entry(long from, long to) {
            return from << 46 | to << 1 | 1;
        }
    }

    @Test
    void goodColourNeedsNoRemapping() throws Exception {
        OneGeneration z = new OneGeneration();
        assertThat(z.barrier.resolve(0)).isZero();
        assertThat(z.barrier.resolve(GOOD | BASE + 8)).isEqualTo(GOOD | BASE + 8);
    }

    @Test
    void aBadColourIsRemapped() throws Exception {
        OneGeneration z = new OneGeneration();
        assertThat(z.barrier.resolve(1L << 42 | BASE + 8)).as("not moved").isEqualTo(GOOD | BASE + 8);
        long[] entries = new long[ENTRIES];
        int slot = (int) ZForwardingTable.hash(5) & ENTRIES - 1;
        entries[slot] = OneGeneration.entry(4, 0x1111_0000L);
        entries[slot + 1 & ENTRIES - 1] = OneGeneration.entry(5, 0x2222_0000L);
        z.forward(BASE, entries);
        assertThat(z.barrier.resolve(1L << 42 | BASE + 5 * 8)).isEqualTo(GOOD | 0x2222_0000L);
        assertThat(z.barrier.resolve(1L << 43 | BASE + 4 * 8))
                .as("an entry in the slot of another's hash")
                .isEqualTo(GOOD | (ZForwardingTable.hash(4) % ENTRIES == slot ? 0x1111_0000L : BASE + 4 * 8));
        assertThat(z.barrier.resolve(1L << 42 | BASE + 6 * 8))
                .as("not moved yet")
                .isEqualTo(GOOD | BASE + 6 * 8);
    }

    @Test
    void forwardingTableWithoutEndIsRefused() {
        OneGeneration z = new OneGeneration();
        long[] entries = new long[ENTRIES];
        java.util.Arrays.fill(entries, OneGeneration.entry(1, 16));
        z.forward(BASE, entries);
        assertThatThrownBy(() -> z.barrier.resolve(1L << 42 | BASE + 5 * 8))
                .isInstanceOf(BadMetadata.class)
                .hasMessageContaining("without an empty entry");
    }

    @ParameterizedTest
    @CsvSource({"24, 0", "24, -1", "24, 9", "24, 16777216", "16, 23", "16, -1", "0, 1152921504606846976"})
    void implausibleForwardingsAreRefused(int member, long value) {
        OneGeneration z = new OneGeneration();
        long forwarding = z.forward(BASE);
        z.memory.putLong(forwarding + member, value);
        assertThatThrownBy(() -> z.barrier.resolve(1L << 42 | BASE + 8)).isInstanceOf(BadMetadata.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {-8, 1L << 44, Long.MIN_VALUE})
    void offsetsBeyondTheHeapAreRefused(long offset) {
        OneGeneration z = new OneGeneration();
        assertThatThrownBy(() -> z.table.to(offset)).isInstanceOf(BadMetadata.class);
        assertThatThrownBy(() -> z.table.covers(offset)).isInstanceOf(BadMetadata.class);
    }

    /** With two generations, the colour determines the shift of the address and the relocations still to be applied. */
    @ParameterizedTest
    @CsvSource({
        // the good colour's bit, the reference's bit, its remembered bits, whether it is in a young page, the
        // generation that moved it
        "0, 0, 0, true, none",
        "3, 3, 0, true, none",
        "0, 1, 0, true, young",
        "0, 2, 0, true, old",
        "3, 2, 0, false, young",
        "3, 1, 0, false, old",
        "0, 3, 0, true, young",
        "0, 3, 0, false, old",
        "2, 1, 3, true, old",
    })
    void objectIsResolvedByTheGenerationThatMovedIt(int good, int seen, int remembered, boolean inYoung, String mover)
            throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        long bad = vm.heap.allocate(8);
        vm.memory.putLong(bad, 0xf000 & ~(1 << 12 + good));
        long base = 1L << 40;
        long offset = 0x12340;
        LoadBarrier barrier = new LoadBarrier.ColouredPointer(
                new UncachedMemory(vm.memory),
                SHIFTS,
                bad,
                base - 1,
                moving(0x111100, inYoung),
                moving(0x222200, !inYoung));
        long reference = base + offset << 13 + seen | 1L << 12 + seen | remembered << 4;
        assertThat(barrier.resolve(reference))
                .isEqualTo(base
                        + switch (mover) {
                            case "young" -> 0x111100;
                            case "old" -> 0x222200;
                            default -> offset;
                        });
    }

    /** On some CPUs, all colours shift the address by the same number of bits. */
    @Test
    void addressBeginsAtTheShiftThatTheCpuHasForTheColour() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        long bad = vm.heap.allocate(8);
        vm.memory.putLong(bad, 0xe000);
        LoadBarrier barrier = new LoadBarrier.ColouredPointer(
                new UncachedMemory(vm.memory),
                List.of(16, 16, 16, 16),
                bad,
                (1L << 40) - 1,
                moving(1, false),
                moving(2, false));
        assertThat(barrier.resolve(0x12340L << 16 | 1L << 12)).isEqualTo(0x12340);
    }

    private static LoadBarrier.Forwarding moving(long to, boolean covers) {
        return new LoadBarrier.Forwarding() {
            @Override
            public boolean covers(long offset) {
                return covers;
            }

            @Override
            public long to(long offset) {
                return to;
            }
        };
    }

    @Test
    void invalidColoursAreRefusedAndColouredNullIsNull() throws Exception {
        ForgedVm vm = ForgedVm.jdk25();
        long bad = vm.heap.allocate(8);
        vm.memory.putLong(bad, 0xe000);
        LoadBarrier barrier = new LoadBarrier.ColouredPointer(
                new UncachedMemory(vm.memory), SHIFTS, bad, (1L << 40) - 1, moving(1, false), moving(2, false));
        assertThat(barrier.resolve(0)).isZero();
        assertThat(barrier.resolve(0x1234)).isZero();
        for (long colour : new long[] {0, 0x3000, 0xf000}) {
            assertThatThrownBy(() -> barrier.resolve(1L << 50 | colour)).isInstanceOf(BadMetadata.class);
        }
        vm.memory.putLong(bad, 0);
        assertThatThrownBy(() -> barrier.resolve(1L << 50 | 0x1000)).isInstanceOf(BadMetadata.class);
    }

    /** The complete path from the flags to the name, in the oldest format: a table in each page. */
    @Test
    void pageForwardingTableOfJdk11IsRead() throws Exception {
        ForgedVm vm = ForgedVm.jdk17().without(VmField.X_HEAP_FORWARDING_TABLE);
        ForgedHeap heap = heap(vm, Shape.WIDE, "+UseZGC").withThread("moved", BLOCKED, PARKED, true, 5);
        long zHeap = heap.collectedHeap + vm.at(VmField.X_COLLECTED_HEAP_HEAP);
        long entries = vm.heap.allocate(8 * 1024 * 16);
        vm.memory.putLong(
                zHeap
                        + vm.at(VmField.Z_HEAP_PAGETABLE)
                        + vm.at(VmField.Z_PAGETABLE_MAP)
                        + vm.at(VmField.Z_ADDRESS_RANGE_MAP),
                entries);
        long page = vm.heap.allocate(vm.groupSize("ZPage") + 32);
        long from = ForgedHeap.HEAP + 4 * GRANULE;
        vm.memory.putLong(entries + 8 * (from / GRANULE), page | 1);
        vm.memory.putLong(page + vm.at(VmField.Z_PAGE_VIRTUAL), from);
        long table = vm.heap.allocate(8 * ENTRIES);
        for (int i = 0; i < ENTRIES; i++) {
            vm.memory.putLong(table + 8L * i, -1);
        }
        vm.memory.putLong(table + 8 * (ZForwardingTable.hash(9) & ENTRIES - 1), 9L << 42 | heap.thread);
        long forwarding = page + vm.at(VmField.Z_PAGE_FORWARDING);
        vm.memory.putLong(forwarding + vm.at(VmField.Z_FORWARDING_TABLE_TABLE), table);
        vm.memory.putLong(forwarding + vm.at(VmField.Z_FORWARDING_TABLE_SIZE), ENTRIES);
        globals(
                heap,
                VmField.X_GLOBALS,
                VmField.X_ADDRESS_BAD_MASK,
                BAD,
                VmField.X_ADDRESS_GOOD_MASK,
                0,
                VmField.X_ADDRESS_OFFSET_MASK,
                (1L << 42) - 1,
                VmField.X_ALIGNMENT_SMALL_SHIFT,
                3);
        heap.putRoot(VmField.THREAD_OBJECT, 1L << 42 | from + 9 * 8);
        assertThat(heap.info().name()).isEqualTo("moved");
        vm.memory.putLong(entries + 8 * (from / GRANULE), page);
        assertThat(heap.info().unread()).as("not being moved").isEqualTo(Unread.NOT_READABLE);
    }

    /** The ZGenerations are found in the ZHeap by their contents. */
    @Test
    void zGenerationsAreFoundInTheZHeap() throws Exception {
        ForgedHeap heap = generational();
        assertThat(heap.info().name()).isEqualTo("moved");
        assertThat(heap.info().state()).isEqualTo(ManagedThreadState.PARKED);
        ForgedHeap none = generational();
        none.memory.putLong(none.collectedHeap + none.vm.at(VmField.Z_COLLECTED_HEAP_HEAP) + 80, 0);
        assertThat(none.info().unread()).isEqualTo(Unread.IMPLAUSIBLE);
        ForgedHeap two = generational();
        long zHeap = two.collectedHeap + two.vm.at(VmField.Z_COLLECTED_HEAP_HEAP);
        two.memory.putLong(zHeap + 200, 0);
        assertThat(two.info().unread()).isEqualTo(Unread.IMPLAUSIBLE);
        ForgedHeap undescribed = generational();
        undescribed.vm.without(VmField.Z_HEAP_PAGE_TABLE);
        assertThat(undescribed.info().unread()).isEqualTo(Unread.NOT_DESCRIBED);
    }

    private static ForgedHeap generational() {
        ForgedVm vm = ForgedVm.jdk25();
        ForgedHeap heap = heap(vm, Shape.WIDE, "+UseZGC").withThread("moved", BLOCKED, PARKED, true, 5);
        long zHeap = heap.collectedHeap + vm.at(VmField.Z_COLLECTED_HEAP_HEAP);
        long pageTable = zHeap + vm.at(VmField.Z_HEAP_PAGE_TABLE);
        long allocator = zHeap + vm.at(VmField.Z_HEAP_PAGE_ALLOCATOR);
        long granules = vm.heap.allocate(8 * 1024 * 16);
        for (int generation = 0; generation < 2; generation++) {
            long at = zHeap + 72 + 128L * generation;
            vm.memory.putLong(at, 0xabcd_00L + generation);
            vm.memory.putLong(at + 8, allocator);
            vm.memory.putLong(at + 16, pageTable);
            vm.memory.putLong(at + 24 + vm.at(VmField.Z_FORWARDING_TABLE_MAP) + vm.at(VmField.Z_GRANULE_MAP), granules);
        }
        globals(
                heap,
                VmField.Z_GLOBALS,
                VmField.Z_POINTER_LOAD_BAD_MASK,
                0xd000,
                VmField.Z_ADDRESS_OFFSET_MASK,
                (1L << 42) - 1);
        colour(heap, heap.thread + heap.offsets.get("name"), heap.string);
        colour(heap, heap.thread + heap.offsets.get("holder"), heap.holder);
        colour(heap, heap.string + heap.offsets.get("value"), heap.array);
        long root = vm.heap.allocate(8);
        colour(heap, root, heap.thread);
        vm.memory.putLong(vm.thread + vm.at(VmField.THREAD_OBJECT), root);
        vm.memory.putLong(vm.thread + vm.at(VmField.THREAD_VTHREAD), root);
        return heap;
    }

    private static void colour(ForgedHeap heap, long field, long object) {
        heap.memory.putLong(field, object << 14 | 1 << 13);
    }

    /** Writes pairs of a member of the globals and the value that it points to. */
    private static void globals(ForgedHeap heap, VmField instance, Object... members) {
        long globals = heap.vm.heap.allocate(128);
        heap.memory.putLong(heap.vm.at(instance), globals);
        for (int i = 0; i < members.length; i += 2) {
            long value = heap.vm.heap.allocate(8);
            heap.memory.putLong(value, ((Number) members[i + 1]).longValue());
            heap.memory.putLong(globals + heap.vm.at((VmField) members[i]), value);
        }
    }
}
