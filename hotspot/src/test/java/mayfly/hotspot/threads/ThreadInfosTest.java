package mayfly.hotspot.threads;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.heap.ForgedHeap;
import mayfly.hotspot.heap.ForgedHeap.Shape;
import mayfly.hotspot.tables.Unsigned5;
import mayfly.hotspot.tables.VmField;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.ManagedThreadInfo.Mounted;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.Unread;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ThreadInfosTest {
    private static final int IN_NATIVE = 4;
    private static final int BLOCKED = 10;
    private static final int PARKED = 0x291;

    private static ForgedHeap heap(ForgedVm vm, Shape shape) {
        return new ForgedHeap(vm, shape).withThread("main", BLOCKED, PARKED, true, 7);
    }

    private static ForgedHeap heap() {
        return heap(ForgedVm.jdk25(), Shape.NARROW);
    }

    @Test
    void threadInfoIsReadForEveryJdkAndReferenceShape() throws Exception {
        for (Shape shape : Shape.values()) {
            for (ForgedVm vm : ForgedVm.both()) {
                assertThat(heap(vm, shape).info())
                        .as("%d %s", vm.feature, shape)
                        .isEqualTo(new ManagedThreadInfo("main", ManagedThreadState.PARKED, true, 7));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "Gr\u00f6\u00dfe",
                "\u65e5\u672c\u8a9e",
                "\ud83e\udd8b",
                "\ud800 alone",
                "a\0b\n\u001b[31m"
            })
    void threadNameIsReadInLatin1AndUtf16(String name) throws Exception {
        assertThat(new ForgedHeap(ForgedVm.jdk17(), Shape.NARROW)
                        .withThread(name, BLOCKED, PARKED, false, 1)
                        .info()
                        .name())
                .isEqualTo(name);
        ForgedHeap wide = new ForgedHeap(ForgedVm.jdk25(), Shape.WIDE).withThread("", BLOCKED, PARKED, false, 1);
        wide.putString(name, false);
        wide.putReference(wide.thread + wide.offsets.get("name"), wide.string);
        assertThat(wide.info().name()).isEqualTo(name);
    }

    @Test
    void nameOfMaximumLengthIsReadAndALongerOneIsTooLong() throws Exception {
        for (String piece : List.of("x", "\u0100")) {
            String longest = piece.repeat(ThreadInfos.MAX_NAME);
            assertThat(new ForgedHeap(ForgedVm.jdk25(), Shape.NARROW)
                            .withThread(longest, BLOCKED, PARKED, true, 3)
                            .info()
                            .name())
                    .isEqualTo(longest);
            assertThat(new ForgedHeap(ForgedVm.jdk25(), Shape.NARROW)
                            .withThread(longest + piece, BLOCKED, PARKED, true, 3)
                            .info())
                    .isEqualTo(new ManagedThreadInfo(null, ManagedThreadState.PARKED, true, 3, null, Unread.TOO_LONG));
        }
    }

    @Test
    void nameOfImplausibleLengthIsNotRead() throws Exception {
        for (int length : new int[] {Integer.MAX_VALUE, 1 << 20}) {
            ForgedHeap heap = heap();
            heap.putArrayLength(length);
            HotSpot open = heap.vm.open();
            ManagedThread thread = open.threads().getFirst();
            open.info(thread);
            long before = heap.memory.bytesRead;
            assertThat(open.info(thread).unread()).isEqualTo(Unread.TOO_LONG);
            assertThat(heap.memory.bytesRead - before).isLessThan(4096);
        }
        ForgedHeap negative = heap();
        negative.putArrayLength(-1);
        assertUnread(negative, Unread.IMPLAUSIBLE);
    }

    @Test
    void threadObjectOfAnotherThreadIsImplausible() throws Exception {
        ForgedHeap heap = heap();
        heap.memory.putLong(heap.thread + heap.offsets.get("eetop"), heap.vm.thread + 8);
        assertUnread(heap, Unread.IMPLAUSIBLE);
        ForgedHeap ended = heap();
        ended.memory.putLong(ended.thread + ended.offsets.get("eetop"), 0);
        assertUnread(ended, Unread.IMPLAUSIBLE);
        ended.memory.putInt(ended.holder + ended.offsets.get("threadStatus"), 0);
        assertThat(ended.info().state()).isEqualTo(ManagedThreadState.NEW);
        ended.memory.putInt(ended.holder + ended.offsets.get("threadStatus"), 2);
        assertThat(ended.info().state()).isEqualTo(ManagedThreadState.TERMINATED);
    }

    @Test
    void nameThatIsNotAStringIsImplausible() throws Exception {
        ForgedHeap elements = heap();
        elements.memory.putInt(elements.byteArrayKlass + elements.vm.at(VmField.KLASS_LAYOUT_HELPER), 0xc0_10_05_01);
        assertUnread(elements, Unread.IMPLAUSIBLE);
        ForgedHeap coder = heap();
        coder.memory.putByte(coder.string + coder.offsets.get("coder"), 2);
        assertUnread(coder, Unread.IMPLAUSIBLE);
        ForgedHeap half = heap();
        half.memory.putByte(half.string + half.offsets.get("coder"), 1);
        half.putArrayLength(3);
        assertUnread(half, Unread.IMPLAUSIBLE);
        ForgedHeap nothing = heap();
        nothing.putReference(nothing.string + nothing.offsets.get("value"), 0);
        assertUnread(nothing, Unread.IMPLAUSIBLE);
    }

    @Test
    void unmappedReferenceIsUnreadableAndInvalidOneImplausible() throws Exception {
        for (Shape shape : new Shape[] {Shape.NARROW, Shape.WIDE}) {
            for (String field : List.of("name", "holder")) {
                ForgedHeap heap = heap(ForgedVm.jdk25(), shape);
                heap.putReference(heap.thread + heap.offsets.get(field), ForgedHeap.HEAP - 4096);
                assertUnread(heap, Unread.NOT_READABLE);
            }
        }
        for (long reference : new long[] {ForgedHeap.HEAP + 4, -8, 1L << 47, Long.MIN_VALUE}) {
            ForgedHeap heap = heap();
            heap.putRoot(VmField.THREAD_OBJECT, reference);
            assertUnread(heap, Unread.IMPLAUSIBLE);
        }
    }

    @Test
    void threadWithoutObjectOrNameHasNoThreadObject() throws Exception {
        ForgedHeap slot = heap();
        slot.memory.putLong(slot.vm.thread + slot.vm.at(VmField.THREAD_OBJECT), 0);
        assertUnread(slot, Unread.NO_THREAD_OBJECT);
        ForgedHeap object = heap();
        object.putRoot(VmField.THREAD_OBJECT, 0);
        assertUnread(object, Unread.NO_THREAD_OBJECT);
        ForgedHeap held = heap();
        held.putReference(held.thread + held.offsets.get("holder"), 0);
        assertUnread(held, Unread.NO_THREAD_OBJECT);
        ForgedHeap name = heap();
        name.putReference(name.thread + name.offsets.get("name"), 0);
        assertThat(name.info())
                .isEqualTo(
                        new ManagedThreadInfo(null, ManagedThreadState.PARKED, true, 7, null, Unread.NO_THREAD_OBJECT));
    }

    /** The VM's state of a thread is reported without its object. */
    @Test
    void stateOfARunningThreadNeedsNoThreadObject() throws Exception {
        ForgedHeap heap = heap();
        heap.putRoot(VmField.THREAD_OBJECT, 0);
        heap.memory.putInt(heap.vm.thread + heap.vm.at(VmField.THREAD_STATE), IN_NATIVE);
        assertThat(heap.info())
                .isEqualTo(ManagedThreadInfo.unread(ManagedThreadState.IN_NATIVE, Unread.NO_THREAD_OBJECT));
    }

    @Test
    void threadWithAnotherTidIsGone() throws Exception {
        ForgedHeap heap = heap();
        HotSpot open = heap.vm.open();
        assertThat(open.info(new ManagedThread(4712, heap.vm.thread)).unread()).isEqualTo(Unread.THREAD_GONE);
        assertThat(open.info(new ManagedThread(4711, 0x1000)))
                .isEqualTo(ManagedThreadInfo.unread(ManagedThreadState.UNKNOWN, Unread.NOT_READABLE));
    }

    @Test
    void virtualThreadIsReportedWithItsCarrier() throws Exception {
        ForgedHeap heap = heap();
        long rider = heap.objects.allocate(128);
        heap.putString("rider", true);
        heap.putReference(rider + heap.offsets.get("name"), heap.string);
        heap.memory.putLong(rider + heap.offsets.get("tid"), 99);
        heap.putRoot(VmField.THREAD_VTHREAD, rider);
        assertThat(heap.info())
                .isEqualTo(new ManagedThreadInfo(
                        "main", ManagedThreadState.PARKED, true, 7, new Mounted("rider", 99), null));
        heap.memory.putByte(heap.string + heap.offsets.get("coder"), 9);
        assertThat(heap.info()).isEqualTo(new ManagedThreadInfo("main", ManagedThreadState.PARKED, true, 7));
    }

    /** In a stop-the-world pause a reference may point to a location to which its object has not been copied yet. */
    @Test
    void nothingIsReadDuringAStopTheWorldCollection() throws Exception {
        ForgedHeap heap = heap();
        heap.memory.putByte(heap.collectedHeap + heap.vm.at(VmField.HEAP_IS_STW_GC_ACTIVE), 1);
        assertUnread(heap, Unread.MOVING);
    }

    @Test
    void infoReadDuringACollectionIsReadAgain() throws Exception {
        ForgedHeap heap = heap();
        HotSpot open = heap.vm.open();
        ManagedThread thread = open.threads().getFirst();
        long counter = heap.collectedHeap + heap.vm.at(VmField.HEAP_TOTAL_COLLECTIONS);
        long name = heap.thread + heap.offsets.get("name");
        heap.memory.onRead(name, reads -> heap.memory.putInt(counter, reads));
        assertThat(open.info(thread)).isEqualTo(ManagedThreadInfo.unread(ManagedThreadState.UNKNOWN, Unread.MOVING));
        heap.memory.onRead(name, reads -> heap.memory.putInt(counter, 1000));
        assertThat(open.info(thread).name()).isEqualTo("main");
    }

    /** A concurrent collector heals the references to moved objects one by one. */
    @Test
    void nameMovedDuringItsReadIsReadAgain() throws Exception {
        ForgedHeap heap = heap();
        long old = heap.array;
        HotSpot open = heap.vm.open();
        ManagedThread thread = open.threads().getFirst();
        heap.memory.onRead(old + 16 & -8, reads -> {
            heap.putString("moved", true);
            heap.putReference(heap.thread + heap.offsets.get("name"), heap.string);
        });
        assertThat(open.info(thread).name()).isEqualTo("moved");
    }

    /** Fields that are used only for thread data are not required to profile. */
    @ParameterizedTest
    @EnumSource(VmField.class)
    void vmWithoutAThreadFieldIsOpenedAndReportsNotDescribed(VmField field) throws Exception {
        if (field.required() || !DESCRIBED.contains(field)) {
            return;
        }
        ForgedHeap heap = heap();
        heap.vm.without(field);
        ManagedThreadInfo info = heap.info();
        assertThat(info.name()).isNull();
        assertThat(info.unread()).isEqualTo(Unread.NOT_DESCRIBED);
    }

    private static final List<VmField> DESCRIBED = List.of(
            VmField.THREAD_OBJECT,
            VmField.THREAD_KLASS,
            VmField.FIELD_HOLDER_KLASS,
            VmField.STRING_KLASS,
            VmField.KLASS_LAYOUT_HELPER,
            VmField.INSTANCE_KLASS_CONSTANTS,
            VmField.INSTANCE_KLASS_FIELDINFO_STREAM,
            VmField.METASPACE_ARRAY_LENGTH,
            VmField.METASPACE_ARRAY_U1_DATA,
            VmField.NARROW_OOP_BASE,
            VmField.NARROW_OOP_SHIFT,
            VmField.NARROW_KLASS_BASE,
            VmField.NARROW_KLASS_SHIFT,
            VmField.FLAGS,
            VmField.FLAGS_COUNT,
            VmField.FLAG_NAME,
            VmField.FLAG_ADDRESS,
            VmField.COLLECTED_HEAP,
            VmField.HEAP_IS_STW_GC_ACTIVE,
            VmField.HEAP_TOTAL_COLLECTIONS);

    @Test
    void javaThreadStatusIsUsedIfTheVmThreadStateIsNotDescribed() throws Exception {
        ForgedHeap heap = heap();
        heap.vm.without(VmField.THREAD_STATE).without(VmField.THREAD_VTHREAD);
        assertThat(heap.info()).isEqualTo(new ManagedThreadInfo("main", ManagedThreadState.PARKED, true, 7));
    }

    @Test
    void implausibleTableSizesAffectOnlyThreadInfos() throws Exception {
        for (long count : new long[] {0, -1, 10_001, Long.MAX_VALUE}) {
            ForgedHeap heap = heap();
            heap.memory.putLong(heap.vm.at(VmField.FLAGS_COUNT), count);
            assertUnread(heap, Unread.IMPLAUSIBLE);
        }
        for (int length : new int[] {0, -1, 64 * 1024 + 1, 3}) {
            ForgedHeap heap = heap();
            long stream = stream(heap);
            heap.memory.putInt(stream + heap.vm.at(VmField.METASPACE_ARRAY_LENGTH), length);
            assertUnread(heap, Unread.IMPLAUSIBLE);
        }
        ForgedHeap many = heap();
        many.memory.put(stream(many) + many.vm.at(VmField.METASPACE_ARRAY_U1_DATA), Unsigned5.encode(1001, 1));
        assertUnread(many, Unread.IMPLAUSIBLE);
        ForgedHeap old = heap(ForgedVm.jdk17(), Shape.NARROW);
        old.memory.putShort(old.threadKlass + old.vm.at(VmField.INSTANCE_KLASS_JAVA_FIELDS_COUNT), 0xffff);
        assertUnread(old, Unread.IMPLAUSIBLE);
        for (int shift : new int[] {-1, 11, Integer.MIN_VALUE}) {
            ForgedHeap heap = heap();
            heap.memory.putInt(heap.vm.at(VmField.NARROW_OOP_SHIFT), shift);
            assertUnread(heap, Unread.IMPLAUSIBLE);
        }
    }

    private static long stream(ForgedHeap heap) throws MemoryFault {
        return heap.memory.readLong(heap.threadKlass + heap.vm.at(VmField.INSTANCE_KLASS_FIELDINFO_STREAM));
    }

    /** A failure in one epoch is retried in the next, and not before. */
    @Test
    void unreadableFieldsAreRetriedOncePerEpoch() throws Exception {
        ForgedHeap heap = heap();
        long klass = heap.memory.readLong(heap.vm.at(VmField.STRING_KLASS));
        heap.memory.putLong(heap.vm.at(VmField.STRING_KLASS), 0);
        HotSpot open = heap.vm.open();
        ManagedThread thread = open.threads().getFirst();
        assertThat(open.info(thread).unread()).isEqualTo(Unread.NOT_READABLE);
        heap.memory.putLong(heap.vm.at(VmField.STRING_KLASS), klass);
        assertThat(open.info(thread).unread()).isEqualTo(Unread.NOT_READABLE);
        open.newEpoch(Long.MAX_VALUE / 2);
        assertThat(open.info(thread).name()).isEqualTo("main");
    }

    /**
     * With arbitrary memory in place of the VM's words, a query returns a result, throws no exception, and makes a
     * bounded number of reads.
     */
    @Test
    void damagedMemoryEndsInAnInfo() throws Exception {
        Random random = new Random(42);
        Set<Object> seen = new HashSet<>();
        for (int i = 0; i < 400; i++) {
            ForgedVm vm = i % 2 == 0 ? ForgedVm.jdk17() : ForgedVm.jdk25();
            ForgedHeap heap = heap(vm, Shape.values()[i % 3]);
            HotSpot whole = vm.open();
            HotSpot damaged = vm.open();
            ManagedThread thread = whole.threads().getFirst();
            heap.memory.record();
            whole.info(thread);
            List<Long> reads = heap.memory.recorded();
            for (int hits = 0; hits < 3; hits++) {
                long address = reads.get(random.nextInt(reads.size()));
                long value = switch (random.nextInt(5)) {
                    case 0 -> 0;
                    case 1 -> -1;
                    case 2 -> reads.get(random.nextInt(reads.size()));
                    case 3 -> random.nextInt(1 << 20);
                    default -> random.nextLong();
                };
                if (heap.memory.isMapped(address, 8)) {
                    heap.memory.putLong(address, value);
                }
            }
            long before = heap.memory.bytesRead;
            ManagedThreadInfo info = damaged.info(thread);
            assertThat(heap.memory.bytesRead - before).isLessThan(8 << 20);
            assertThat(info.name() == null).isEqualTo(info.unread() != null);
            seen.add(info.unread() == null ? "read" : info.unread());
        }
        assertThat(seen).contains("read", Unread.IMPLAUSIBLE, Unread.NOT_READABLE, Unread.THREAD_GONE);
    }

    private static void assertUnread(ForgedHeap heap, Unread reason) throws Exception {
        assertThat(heap.info()).isEqualTo(ManagedThreadInfo.unread(ManagedThreadState.UNKNOWN, reason));
    }
}
