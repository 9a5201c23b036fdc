package mayfly.hotspot.inventory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.heap.ForgedHeap;
import mayfly.hotspot.heap.ForgedHeap.Shape;
import mayfly.hotspot.inventory.JvmtiState.Environment;
import mayfly.hotspot.inventory.LoadedClasses.Loaded;
import mayfly.hotspot.inventory.LoadedClasses.Loader;
import mayfly.hotspot.inventory.SetFlag.Origin;
import mayfly.hotspot.inventory.VmInventory.Undetermined;
import mayfly.hotspot.tables.ForgedMemory;
import mayfly.hotspot.tables.VmField;
import mayfly.runtime.ModuleSymbols;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The inventory of a VM, and its failures for an inconsistent or hostile VM. */
class InventoryTest {
    private final ForgedVm vm = ForgedVm.jdk25();
    private final ForgedHeap heap = new ForgedHeap(vm, Shape.NARROW);
    private final ForgedMemory memory = vm.memory;
    /** The boot loader's data, then the data of a loader whose class is in the boot loader. */
    private final long boot = loaderData(0);

    private final long object = klass(boot, "java/lang/Object", 0);
    private final long loaderKlass = klass(boot, "a/Loader", object);
    private final long own = loaderData(boot);
    private final long first = klass(own, "a/First", 0);
    private final long second = klass(own, "a/Second+0x00007f0000001000", first);
    private final long hidden = loaderData(own);

    InventoryTest() {
        memory.putLong(boot + vm.at(VmField.LOADER_DATA_KLASSES), loaderKlass);
        memory.putLong(own + vm.at(VmField.LOADER_DATA_KLASSES), second);
        memory.putLong(hidden + vm.at(VmField.LOADER_DATA_KLASSES), klass(hidden, "[I", 0));
        memory.putByte(hidden + vm.at(VmField.LOADER_DATA_OF_CLASS), 1);
        memory.putLong(vm.at(VmField.GRAPH_HEAD), hidden);
        long loader = heap.objects.allocate(64);
        memory.putInt(loader + 8, (int) (loaderKlass - ForgedHeap.KLASSES));
        long slot = vm.heap.allocate(8);
        memory.putLong(slot, loader);
        memory.putLong(own + vm.at(VmField.LOADER_DATA_LOADER), slot);
        memory.putLong(hidden + vm.at(VmField.LOADER_DATA_LOADER), slot);
    }

    private long loaderData(long next) {
        long address = vm.heap.allocate(vm.groupSize("ClassLoaderData"));
        memory.putLong(address + vm.at(VmField.LOADER_DATA_NEXT), next);
        return address;
    }

    private long klass(long loaderData, String name, long next) {
        long address = heap.klasses.allocate(vm.groupSize("Klass"));
        memory.putLong(address + vm.at(VmField.KLASS_NAME), vm.symbol(name));
        memory.putLong(address + vm.at(VmField.KLASS_NEXT_LINK), next);
        memory.putLong(address + vm.at(VmField.KLASS_LOADER_DATA), loaderData);
        return address;
    }

    private VmInventory inventory() throws Exception {
        return vm.open().inventory(() -> {});
    }

    private static void assertUndetermined(ThrowingCallable asked, String words) {
        assertThatThrownBy(asked).isInstanceOf(Undetermined.class).hasMessageContaining(words);
    }

    @Test
    void classesAreListedWithTheirLoaders() throws Exception {
        LoadedClasses read = inventory().classes();
        assertThat(read.loaders())
                .containsExactly(new Loader("a.Loader", "a.First", 2), new Loader("boot", "java.lang.Object", 2));
        assertThat(read.classes())
                .containsExactly(
                        new Loaded("[I", "a.Loader", false),
                        new Loaded("a.Second/0x00007f0000001000", "a.Loader", false),
                        new Loaded("a.First", "a.Loader", false),
                        new Loaded("a.Loader", "boot", false),
                        new Loaded("java.lang.Object", "boot", false));
        assertThat(read.redefinedKnown()).isFalse();
    }

    @Test
    void inconsistentClassGraphIsReportedAsUnreadable() throws Exception {
        VmInventory inventory = inventory();
        memory.putLong(first + vm.at(VmField.KLASS_NEXT_LINK), second);
        assertUndetermined(inventory::classes, "listed twice");
        memory.putLong(first + vm.at(VmField.KLASS_NEXT_LINK), object);
        assertUndetermined(inventory::classes, "of another loader");
        memory.putLong(first + vm.at(VmField.KLASS_NEXT_LINK), 0x10);
        assertUndetermined(inventory::classes, "cannot read");
        memory.putLong(first + vm.at(VmField.KLASS_NEXT_LINK), 0);
        assertThat(inventory.classes().classes()).hasSize(5);
        memory.putLong(boot + vm.at(VmField.LOADER_DATA_KLASSES), object);
        assertUndetermined(inventory::classes, "a loader whose class was not found");
    }

    /** Returns an inventory whose classes are inconsistent until its cache was discarded {@code forgotten} times. */
    private VmInventory tornUntil(int forgotten, int[] times) throws Exception {
        VmInventory inventory = vm.open().inventory(() -> {
            if (++times[0] == forgotten) {
                memory.putLong(first + vm.at(VmField.KLASS_NEXT_LINK), 0);
            }
        });
        memory.putLong(first + vm.at(VmField.KLASS_NEXT_LINK), second);
        return inventory;
    }

    @Test
    void tornReadIsRepeatedFromFreshMemory() throws Exception {
        var times = new int[1];
        assertThat(tornUntil(2, times).classes().classes()).hasSize(5);
        assertThat(times[0]).isEqualTo(2);
    }

    @Test
    void readThatStaysTornIsGivenUpWithItsReason() throws Exception {
        var times = new int[1];
        assertUndetermined(tornUntil(11, times)::classes, "it changes while it is read, or is inconsistent");
        assertThat(times[0]).isEqualTo(10);
    }

    /** Discards the cache, and ends the collection when that has happened often enough. */
    private VmInventory collectingUntil(int forgotten, int[] times) throws Exception {
        long isActive = heap.collectedHeap + vm.at(VmField.HEAP_IS_STW_GC_ACTIVE);
        memory.putByte(isActive, 1);
        return vm.open().inventory(() -> {
            if (++times[0] == forgotten) {
                memory.putByte(isActive, 0);
            }
        });
    }

    @Test
    void readOfObjectsIsRepeatedAfterAWaitWhileACollectionMovesThem() throws Exception {
        var times = new int[1];
        long before = System.nanoTime();
        String read = collectingUntil(4, times).unmoved(List.of(), objects -> "read");
        assertThat(read).isEqualTo("read");
        assertThat(times[0]).isEqualTo(4);
        assertThat(System.nanoTime() - before).as("1, 2 and 4 ms").isGreaterThan(5_000_000);
    }

    @Test
    void readOfObjectsIsGivenUpIfTheCollectionDoesNotEnd() throws Exception {
        VmInventory inventory = collectingUntil(11, new int[1]);
        assertUndetermined(() -> inventory.unmoved(List.of(), objects -> "read"), "it moves while it is read");
    }

    @Test
    void circularClassLoaderGraphIsReportedAsUnreadable() throws Exception {
        memory.putLong(boot + vm.at(VmField.LOADER_DATA_KLASSES), 0);
        memory.putLong(boot + vm.at(VmField.LOADER_DATA_NEXT), boot);
        assertUndetermined(inventory()::classes, "class loaders");
    }

    @Test
    void changedFlagsAreListedWithTheirOrigin() throws Exception {
        VmInventory inventory = inventory();
        assertThat(inventory.flags()).isEmpty();
        long flag = memory.readLong(vm.at(VmField.FLAGS));
        memory.putInt(flag + vm.at(VmField.FLAG_FLAGS), 0x20000 | Origin.MANAGEMENT.ordinal());
        assertThat(inventory.flags()).containsExactly(new SetFlag("UseCompressedOops", "true", Origin.MANAGEMENT));
        memory.putInt(flag + vm.at(VmField.FLAG_TYPE), 99);
        assertUndetermined(inventory::flags, "a flag of the type 99");
        memory.putInt(flag + vm.at(VmField.FLAG_TYPE), 0);
        memory.putInt(flag + vm.at(VmField.FLAG_FLAGS), 15);
        assertUndetermined(inventory::flags, "a flag with the unknown origin 15");
    }

    private long environment(long next, int magic, long... callbacks) {
        long address = vm.heap.allocate(512);
        memory.putInt(address + 8, magic);
        memory.putInt(address + 12, 0x30010200);
        memory.putLong(address + 16, next);
        for (int i = 0; i < callbacks.length; i++) {
            memory.putLong(address + 40 + 8L * i, callbacks[i]);
        }
        return address;
    }

    @Test
    void jvmtiEnvironmentsAreListedByTheirSymbols() throws Exception {
        assertUndetermined(inventory()::jvmti, "is stripped");
        long last = environment(0, 0xdefc);
        long head = environment(last, 0x71ee, 0, 0x1234, 0, 0x5678);
        long pointer = vm.heap.allocate(8);
        memory.putLong(pointer, head);
        vm.symbols.put(JvmtiStates.HEAD, pointer);
        long on = vm.heap.allocate(8);
        memory.putByte(on, 1);
        vm.objects.add(new ModuleSymbols.Named(on, "_ZN11JvmtiExport19_can_walk_any_spaceE"));
        vm.objects.add(new ModuleSymbols.Named(on + 1, "_ZN11JvmtiExport14_can_pop_frameE"));
        JvmtiState state = inventory().jvmti();
        assertThat(state.environments())
                .containsExactly(
                        new Environment(false, false, List.of(0x1234L, 0x5678L)),
                        new Environment(true, false, List.of()));
        assertThat(state.switchedOn()).containsExactly("can_walk_any_space");
        assertThat(state.redefinitions()).isEqualTo(-1);
        memory.putLong(last + 16, head);
        assertUndetermined(inventory()::jvmti, "more than 10000 environments");
        memory.putInt(last + 8, 0xdead);
        assertUndetermined(inventory()::jvmti, "no environment of JVMTI");
    }
}
