package mayfly.hotspot.virtual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.code.VmReaders;
import mayfly.hotspot.heap.ForgedHeap;
import mayfly.hotspot.heap.ForgedHeap.Shape;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.LockWait.Kind;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.UnmountedThread.Awaited;
import mayfly.runtime.thread.Unread;
import org.junit.jupiter.api.Test;

class AwaitedLocksTest {
    private static final List<Integer> REFERENCE_SHIFTS = List.of(13, 14, 15, 16);
    private static final int WAITER_THREAD = 24;
    private static final int WAITER_MONITOR = 32;

    private final ForgedVm vm = ForgedVm.jdk25();
    private final ForgedHeap heap = new ForgedHeap(vm, Shape.NARROW).withThread("main", 10, 0, false, 7);
    private final ManagedThread thread = new ManagedThread(4711, vm.thread);

    private AwaitedLocks locks() throws Exception {
        VmLayout layout = vm.layout();
        JdkRules rules = JdkRules.of(vm.feature);
        var readers = new VmReaders(vm.memory, layout, REFERENCE_SHIFTS, rules, new Methods(vm.memory, layout, rules));
        JavaHeap objects = new JavaHeap(vm.memory, layout, REFERENCE_SHIFTS);
        return new AwaitedLocks(readers, objects, new HeapObjects(readers, objects), Map.of(vm.thread, thread));
    }

    private static Awaited parked(Kind kind, String type, long object, LockOwner owner) {
        return new Awaited(new LockWait(kind, type, object, 0, null), owner);
    }

    @Test
    void ownerOfASynchronizerIsReadOnceForAllThreadsThatWaitForIt() throws Exception {
        long lock = heap.object("org/example/Sync", "exclusiveOwnerThread");
        heap.putReference(lock + heap.offsets.get("exclusiveOwnerThread"), heap.thread);
        heap.putKlass(heap.thread, heap.threadKlass);
        AwaitedLocks locks = locks();
        Awaited expected = parked(Kind.ACQUIRE, "org.example.Sync", lock, new LockOwner.OfThread(thread));
        assertThat(locks.parked(1, lock)).isEqualTo(expected);
        heap.putReference(lock + heap.offsets.get("exclusiveOwnerThread"), 0);
        assertThat(locks.parked(2, lock)).isSameAs(locks.parked(3, lock)).isEqualTo(expected);
    }

    @Test
    void objectThatIsNoLockHasNoOwner() throws Exception {
        long future = heap.object("java/util/concurrent/FutureTask", "outcome");
        assertThat(locks().parked(1, future))
                .isEqualTo(parked(Kind.PARK, "java.util.concurrent.FutureTask", future, LockOwner.NONE));
    }

    /** Returns the address of an ObjectWaiter of a thread at a monitor. */
    private long waiter(long waiting, long monitor) {
        long handle = vm.heap.allocate(8);
        heap.memory.putLong(handle, waiting);
        long waiter = vm.heap.allocate(64);
        heap.memory.putLong(waiter + WAITER_THREAD, handle);
        heap.memory.putLong(waiter + WAITER_MONITOR, monitor);
        return waiter;
    }

    private long monitor(long object, long owner) {
        long slot = vm.heap.allocate(8);
        heap.memory.putLong(slot, object);
        long monitor = vm.heap.allocate(vm.groupSize("ObjectMonitor"));
        heap.memory.putLong(monitor + vm.at(VmField.MONITOR_OBJECT), slot);
        heap.memory.putLong(monitor + vm.at(VmField.MONITOR_OWNER), owner);
        return monitor;
    }

    @Test
    void monitorHasItsObjectAndTheOwnerThatItNames() throws Exception {
        long virtual = heap.object("java/lang/VirtualThread", "state");
        long object = heap.object("org/example/Lock", "first");
        long monitor = monitor(object, 99);
        assertThat(locks().atMonitor(virtual, waiter(virtual, monitor), Kind.ENTER))
                .isEqualTo(new Awaited(
                        new LockWait(Kind.ENTER, "org.example.Lock", object, monitor, null),
                        new LockOwner.OfUnmounted(99)));
        assertThat(locks().atMonitor(virtual, waiter(virtual, monitor), Kind.NOTIFICATION)
                        .owner())
                .isEqualTo(LockOwner.NONE);
        assertThat(locks().atMonitor(virtual, waiter(virtual, monitor(object, 1)), Kind.ENTER)
                        .owner())
                .as("on the lock stack of a thread that is not mounted")
                .isEqualTo(LockOwner.UNKNOWN);
    }

    @Test
    void waiterOfAnotherThreadIsNotBelieved() throws Exception {
        long virtual = heap.object("java/lang/VirtualThread", "state");
        long object = heap.object("org/example/Lock", "first");
        long others = waiter(object, monitor(object, 99));
        long unused = waiter(virtual, monitor(0, 99));
        for (long waiter : new long[] {0, others, unused}) {
            assertThatThrownBy(() -> locks().atMonitor(virtual, waiter, Kind.ENTER))
                    .isInstanceOf(BadMetadata.class);
        }
    }

    @Test
    void monitorIsUnreadIfTheVmDoesNotDescribeMonitors() throws Exception {
        vm.without(VmField.THREAD_MONITOR_OWNER_ID);
        long virtual = heap.object("java/lang/VirtualThread", "state");
        long monitor = monitor(heap.object("org/example/Lock", "first"), 99);
        assertThat(locks().atMonitor(virtual, waiter(virtual, monitor), Kind.ENTER)
                        .lock())
                .isEqualTo(LockWait.unread(Unread.NOT_DESCRIBED));
    }
}
