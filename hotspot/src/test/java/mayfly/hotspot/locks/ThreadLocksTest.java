package mayfly.hotspot.locks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.code.MonitorSlot;
import mayfly.hotspot.code.VmReaders;
import mayfly.hotspot.heap.ForgedHeap;
import mayfly.hotspot.heap.ForgedHeap.Shape;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.hotspot.threads.ThreadList;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.FrameMonitor;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.LockWait.Kind;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.MonitorState;
import mayfly.runtime.thread.Unread;
import org.junit.jupiter.api.Test;

class ThreadLocksTest {
    private static final int VM_BLOCKED = 10;
    private static final int RUNNABLE = 0x5;
    private static final int BLOCKED = 0x401;
    private static final int WAITING = 0x191;
    private static final int PARKED = 0x291;
    private static final long THREAD_ID = 7;
    private static final long STACK_BASE = 0x7f00_0010_0000L;
    private static final String TYPE = "org.example.Lock";

    /** A VM whose one thread may wait for a lock. */
    private static final class Waiting {
        final ForgedHeap heap;
        final ForgedVm vm;
        final long monitor;
        /** The object of the monitor, of a class without fields. */
        final long object;

        Waiting(ForgedVm vm, Shape shape, int status) throws MemoryFault {
            this.vm = vm;
            heap = new ForgedHeap(vm, shape).withThread("main", VM_BLOCKED, status, false, THREAD_ID);
            heap.putKlass(heap.thread, heap.threadKlass);
            if (heap.holder != heap.thread) {
                heap.putKlass(heap.holder, heap.memory.readLong(vm.at(VmField.FIELD_HOLDER_KLASS)));
            }
            monitor = vm.heap.allocate(vm.groupSize("ObjectMonitor"));
            object = heap.object("org/example/Lock");
            long slot = vm.heap.allocate(8);
            heap.memory.putLong(slot, object);
            heap.memory.putLong(monitor + vm.at(VmField.MONITOR_OBJECT), slot);
            putThread(VmField.THREAD_STACK_BASE, STACK_BASE);
            putThread(VmField.THREAD_STACK_SIZE, 0x1000);
        }

        void putThread(VmField field, long value) {
            heap.memory.putLong(vm.thread + vm.at(field), value);
        }

        void putMonitor(VmField field, long value) {
            heap.memory.putLong(monitor + vm.at(field), value);
        }

        LockWait read() throws Exception {
            HotSpot open = vm.open();
            return open.lockWait(open.threads().getFirst());
        }

        /**
         * Returns the owner of the lock for which the thread waits; {@link LockOwner.OfThread} of the thread
         * itself.
         */
        LockOwner owner() throws Exception {
            HotSpot open = vm.open();
            ManagedThread thread = open.threads().getFirst();
            return open.lockOwners(Map.of(thread, open.lockWait(thread))).get(thread);
        }

        LockOwner ofThread() throws Exception {
            return new LockOwner.OfThread(vm.open().threads().getFirst());
        }
    }

    private static Waiting entering(ForgedVm vm) throws MemoryFault {
        Waiting waiting = new Waiting(vm, Shape.NARROW, BLOCKED);
        waiting.putThread(VmField.THREAD_PENDING_MONITOR, waiting.monitor);
        return waiting;
    }

    private static Waiting parked(String internalClass, String... fields) throws MemoryFault {
        Waiting waiting = new Waiting(ForgedVm.jdk25(), Shape.NARROW, PARKED);
        long blocker = waiting.heap.object(internalClass, fields);
        waiting.heap.putReference(waiting.heap.thread + waiting.heap.offsets.get("parkBlocker"), blocker);
        return waiting;
    }

    private static long blocker(Waiting waiting) throws Exception {
        return waiting.read().object();
    }

    private static void refer(Waiting waiting, long object, String field, long to) {
        waiting.heap.putReference(object + waiting.heap.offsets.get(field), to);
    }

    @Test
    void monitorIsReadForEveryJdkAndReferenceShape() throws Exception {
        for (Shape shape : Shape.values()) {
            for (ForgedVm vm : ForgedVm.both()) {
                Waiting waiting = new Waiting(vm, shape, WAITING);
                assertThat(waiting.read()).isEqualTo(LockWait.NONE);
                waiting.putThread(VmField.THREAD_WAITING_MONITOR, waiting.monitor);
                assertThat(waiting.read())
                        .as("%d %s", vm.feature, shape)
                        .isEqualTo(new LockWait(Kind.NOTIFICATION, TYPE, waiting.object, waiting.monitor, null));
                waiting.heap.memory.putInt(waiting.heap.holder + waiting.heap.offsets.get("threadStatus"), BLOCKED);
                assertThat(waiting.read().kind()).isEqualTo(Kind.REENTER);
                waiting.heap.memory.putInt(waiting.heap.holder + waiting.heap.offsets.get("threadStatus"), RUNNABLE);
                assertThat(waiting.read()).as("the VM itself waits").isEqualTo(LockWait.NONE);
                waiting.putThread(VmField.THREAD_PENDING_MONITOR, waiting.monitor);
                assertThat(waiting.read().kind()).isEqualTo(Kind.ENTER);
            }
        }
    }

    @Test
    void ownerUpToJdk20IsAJavaThreadOrTheStackThatContainsAnAddress() throws Exception {
        Waiting waiting = entering(ForgedVm.jdk17());
        waiting.putMonitor(VmField.MONITOR_OWNER, waiting.vm.thread);
        assertThat(waiting.owner()).isEqualTo(waiting.ofThread());
        for (long inside : new long[] {STACK_BASE - 0x1000, STACK_BASE - 8}) {
            waiting.putMonitor(VmField.MONITOR_OWNER, inside);
            assertThat(waiting.owner()).isEqualTo(waiting.ofThread());
        }
        for (long outside : new long[] {STACK_BASE - 0x1008, STACK_BASE, -1}) {
            waiting.putMonitor(VmField.MONITOR_OWNER, outside);
            assertThat(waiting.owner()).isEqualTo(LockOwner.UNKNOWN);
        }
        for (long none : new long[] {0, 1}) {
            waiting.putMonitor(VmField.MONITOR_OWNER, none);
            assertThat(waiting.owner()).isEqualTo(LockOwner.NONE);
        }
    }

    @Test
    void ownerSinceJdk24IsTheIdOfAThread() throws Exception {
        Waiting waiting = entering(ForgedVm.jdk25());
        waiting.putThread(VmField.THREAD_MONITOR_OWNER_ID, THREAD_ID);
        waiting.putMonitor(VmField.MONITOR_OWNER, THREAD_ID);
        assertThat(waiting.owner()).isEqualTo(waiting.ofThread());
        waiting.putMonitor(VmField.MONITOR_OWNER, 99);
        assertThat(waiting.owner()).isEqualTo(new LockOwner.OfUnmounted(99));
        for (long none : new long[] {0, 2}) {
            waiting.putMonitor(VmField.MONITOR_OWNER, none);
            assertThat(waiting.owner()).isEqualTo(LockOwner.NONE);
        }
    }

    @Test
    void anonymousOwnerIsTheThreadWhoseLockStackOrLockRecordItIs() throws Exception {
        Waiting waiting = entering(ForgedVm.jdk25());
        waiting.putMonitor(VmField.MONITOR_OWNER, 1);
        assertThat(waiting.owner()).isEqualTo(LockOwner.UNKNOWN);
        waiting.putMonitor(VmField.MONITOR_STACK_LOCKER, STACK_BASE - 16);
        assertThat(waiting.owner()).isEqualTo(waiting.ofThread());
        waiting.putMonitor(VmField.MONITOR_STACK_LOCKER, 0);
        long stack = waiting.vm.at(VmField.THREAD_LOCK_STACK);
        long first = stack + waiting.vm.at(VmField.LOCK_STACK_BASE);
        long top = waiting.vm.thread + stack + waiting.vm.at(VmField.LOCK_STACK_TOP);
        waiting.heap.memory.putLong(waiting.vm.thread + first, waiting.object);
        waiting.heap.memory.putInt(top, (int) first);
        assertThat(waiting.owner()).as("an empty lock stack").isEqualTo(LockOwner.UNKNOWN);
        waiting.heap.memory.putInt(top, (int) first + 8);
        assertThat(waiting.owner()).isEqualTo(waiting.ofThread());
    }

    @Test
    void threadThatWaitsForANotificationWaitsForNoOwner() throws Exception {
        Waiting waiting = new Waiting(ForgedVm.jdk17(), Shape.NARROW, WAITING);
        waiting.putThread(VmField.THREAD_WAITING_MONITOR, waiting.monitor);
        waiting.putMonitor(VmField.MONITOR_OWNER, waiting.vm.thread);
        assertThat(waiting.owner()).isEqualTo(LockOwner.NONE);
    }

    @Test
    void synchronizerHasTheOwnerThatItRecords() throws Exception {
        Waiting waiting = parked("org/example/Sync", "exclusiveOwnerThread");
        assertThat(waiting.read().kind()).isEqualTo(Kind.ACQUIRE);
        assertThat(waiting.read().type()).isEqualTo("org.example.Sync");
        assertThat(waiting.owner()).isEqualTo(LockOwner.NONE);
        refer(waiting, blocker(waiting), "exclusiveOwnerThread", waiting.heap.thread);
        assertThat(waiting.owner()).isEqualTo(waiting.ofThread());
        long virtual = waiting.heap.object("java/lang/VirtualThread", "carrierThread", "tid", "eetop");
        waiting.heap.memory.putLong(virtual + waiting.heap.offsets.get("tid"), 99);
        refer(waiting, blocker(waiting), "exclusiveOwnerThread", virtual);
        assertThat(waiting.owner()).isEqualTo(new LockOwner.OfUnmounted(99));
    }

    @Test
    void threadAcquiresASynchronizerOrAStampedLockButNoLatch() throws Exception {
        assertThat(kindOf("java/util/concurrent/locks/StampedLock", "state")).isEqualTo(Kind.ACQUIRE);
        assertThat(kindOf("java/util/concurrent/Semaphore$FairSync", "exclusiveOwnerThread"))
                .isEqualTo(Kind.ACQUIRE);
        assertThat(kindOf("java/util/concurrent/CountDownLatch$Sync", "exclusiveOwnerThread"))
                .isEqualTo(Kind.PARK);
        assertThat(kindOf("java/util/concurrent/FutureTask", "outcome")).isEqualTo(Kind.PARK);
        assertThat(kindOf("[Ljava/lang/Object;")).isEqualTo(Kind.PARK);
    }

    private static Kind kindOf(String blocker, String... fields) throws Exception {
        return parked(blocker, fields).read().kind();
    }

    @Test
    void objectThatIsNoSynchronizerHasNoOwner() throws Exception {
        assertThat(parked("org/example/Semaphore", "permits").owner()).isEqualTo(LockOwner.NONE);
    }

    @Test
    void conditionHasAnOwnerOnlyForAThreadThatIsQueuedForItsLock() throws Exception {
        Waiting waiting =
                parked("java/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject", "first", "this$0");
        ForgedHeap heap = waiting.heap;
        long lock = heap.object("org/example/Sync", "exclusiveOwnerThread", "head");
        refer(waiting, lock, "exclusiveOwnerThread", heap.thread);
        refer(waiting, blocker(waiting), "this$0", lock);
        assertThat(waiting.owner()).isEqualTo(LockOwner.NONE);
        long head = heap.object("org/example/Node", "waiter", "next");
        long node = heap.object("org/example/Node", "waiter", "next");
        refer(waiting, lock, "head", head);
        refer(waiting, head, "next", node);
        assertThat(waiting.owner()).isEqualTo(LockOwner.NONE);
        refer(waiting, node, "waiter", heap.thread);
        assertThat(waiting.owner()).isEqualTo(waiting.ofThread());
        refer(waiting, node, "waiter", 0);
        refer(waiting, node, "next", head);
        assertThat(waiting.owner()).as("a cyclic queue").isEqualTo(LockOwner.NONE);
    }

    @Test
    void classObjectIsReportedWithTheNameOfItsClass() throws Exception {
        Waiting waiting = parked("java/lang/Class");
        ForgedVm vm = waiting.vm;
        waiting.heap.memory.putInt(vm.at(VmField.CLASS_KLASS_OFFSET), 24);
        assertThat(waiting.read().type()).isEqualTo("java.lang.Class");
        long named = waiting.heap.klassOf("org/example/Locked");
        waiting.heap.memory.putLong(blocker(waiting) + 24, named);
        assertThat(waiting.read().type()).isEqualTo("java.lang.Class for org.example.Locked");
    }

    @Test
    void lockThatCannotBeReadHasTheReason() throws Exception {
        Waiting unmapped = entering(ForgedVm.jdk25());
        unmapped.putThread(VmField.THREAD_PENDING_MONITOR, 0x1000);
        assertThat(unmapped.read()).isEqualTo(LockWait.unread(Unread.NOT_READABLE));
        assertThat(unmapped.owner()).isEqualTo(LockOwner.UNKNOWN);
        Waiting odd = entering(ForgedVm.jdk25());
        odd.heap.memory.putLong(odd.monitor + odd.vm.at(VmField.MONITOR_OBJECT), oddSlot(odd));
        assertThat(odd.read()).isEqualTo(LockWait.unread(Unread.IMPLAUSIBLE));
        Waiting moving = entering(ForgedVm.jdk25());
        moving.heap.memory.putByte(moving.heap.collectedHeap + moving.vm.at(VmField.HEAP_IS_STW_GC_ACTIVE), 1);
        assertThat(moving.read()).isEqualTo(LockWait.unread(Unread.MOVING));
        Waiting undescribed = entering(ForgedVm.jdk25().without(VmField.MONITOR_OWNER));
        assertThat(undescribed.read()).isEqualTo(LockWait.unread(Unread.NOT_DESCRIBED));
        Waiting gone = entering(ForgedVm.jdk25());
        assertThat(gone.vm.open().lockWait(new ManagedThread(1, gone.vm.thread)))
                .isEqualTo(LockWait.unread(Unread.THREAD_GONE));
    }

    private static long oddSlot(Waiting waiting) {
        long slot = waiting.vm.heap.allocate(8);
        waiting.heap.memory.putLong(slot, ForgedHeap.HEAP + 4);
        return slot;
    }

    @Test
    void monitorThatLosesItsObjectIsNoLongerWaitedFor() throws Exception {
        Waiting waiting = entering(ForgedVm.jdk25());
        waiting.putMonitor(VmField.MONITOR_OBJECT, 0);
        assertThat(waiting.read()).isEqualTo(LockWait.NONE);
    }

    private static ThreadLocks locks(ForgedVm vm) throws Exception {
        VmLayout layout = vm.layout();
        JdkRules rules = JdkRules.of(vm.feature);
        var readers =
                new VmReaders(vm.memory, layout, List.of(13, 14, 15, 16), rules, new Methods(vm.memory, layout, rules));
        return new ThreadLocks(readers, new ThreadList(vm.memory, layout));
    }

    private static MonitorSlot slot(long object) {
        return new MonitorSlot(0, false, MonitorSlot.Form.REFERENCE, object);
    }

    private static FrameMonitor monitor(Waiting waiting, FrameMonitor.State state) {
        return new FrameMonitor(0, state, TYPE, waiting.object, null);
    }

    private static MonitorState stateOf(Waiting waiting, ThreadLocks locks) throws Exception {
        locks.prepare(1);
        return locks.stateOf(waiting.vm.open().threads().getFirst());
    }

    @Test
    void monitorThatAThreadWaitsToEnterIsNotAmongItsMonitorsAndOneAtWhichItWaitsIsLeft() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Waiting waiting = new Waiting(vm, Shape.NARROW, WAITING);
            ThreadLocks locks = locks(vm);
            List<MonitorSlot> slots = List.of(slot(waiting.object));
            assertThat(locks.monitorsOf(slots, stateOf(waiting, locks), 1))
                    .containsExactly(monitor(waiting, FrameMonitor.State.ENTERED));
            waiting.putThread(VmField.THREAD_WAITING_MONITOR, waiting.monitor);
            assertThat(locks.monitorsOf(slots, stateOf(waiting, locks), 1))
                    .containsExactly(monitor(waiting, FrameMonitor.State.LEFT));
            waiting.putThread(VmField.THREAD_PENDING_MONITOR, waiting.monitor);
            assertThat(locks.monitorsOf(slots, stateOf(waiting, locks), 1))
                    .as("the wait has timed out")
                    .containsExactly(monitor(waiting, FrameMonitor.State.LEFT));
            waiting.putThread(VmField.THREAD_WAITING_MONITOR, 0);
            assertThat(locks.monitorsOf(slots, stateOf(waiting, locks), 1)).isEmpty();
        }
    }

    @Test
    void monitorHasItsObjectForEachFormOfItsReference() throws Exception {
        Waiting waiting = new Waiting(ForgedVm.jdk25(), Shape.NARROW, RUNNABLE);
        ThreadLocks locks = locks(waiting.vm);
        long address = waiting.vm.heap.allocate(8);
        waiting.heap.memory.putLong(address, waiting.object);
        MonitorState state = stateOf(waiting, locks);
        List<MonitorSlot> slots = List.of(
                new MonitorSlot(0, false, MonitorSlot.Form.NARROW, waiting.object >>> 3),
                new MonitorSlot(0, true, MonitorSlot.Form.ADDRESS, address),
                new MonitorSlot(1, true, MonitorSlot.Form.CLASS_ADDRESS, 0),
                new MonitorSlot(2, false, MonitorSlot.Form.UNKNOWN, 0));
        assertThat(locks.monitorsOf(slots, state, 1))
                .containsExactly(
                        monitor(waiting, FrameMonitor.State.ENTERED),
                        monitor(waiting, FrameMonitor.State.ELIMINATED),
                        new FrameMonitor(1, FrameMonitor.State.ELIMINATED, "", 0, null),
                        new FrameMonitor(2, FrameMonitor.State.ENTERED, "", 0, null));
    }

    @Test
    void monitorsCopiedBeforeACollectionAreUnread() throws Exception {
        Waiting waiting = new Waiting(ForgedVm.jdk25(), Shape.NARROW, RUNNABLE);
        ThreadLocks locks = locks(waiting.vm);
        List<MonitorSlot> slots = List.of(slot(waiting.object));
        MonitorState state = stateOf(waiting, locks);
        waiting.heap.memory.putInt(waiting.heap.collectedHeap + waiting.vm.at(VmField.HEAP_TOTAL_COLLECTIONS), 7);
        assertThat(locks.monitorsOf(slots, state, 1)).containsExactly(FrameMonitor.unread(0, Unread.MOVING));
        waiting.heap.memory.putByte(waiting.heap.collectedHeap + waiting.vm.at(VmField.HEAP_IS_STW_GC_ACTIVE), 1);
        assertThat(locks.monitorsOf(slots, stateOf(waiting, locks), 1))
                .containsExactly(FrameMonitor.unread(0, Unread.MOVING));
        assertThat(locks.monitorsOf(List.of(slot(1)), state, 1))
                .containsExactly(FrameMonitor.unread(0, Unread.IMPLAUSIBLE));
    }
}
