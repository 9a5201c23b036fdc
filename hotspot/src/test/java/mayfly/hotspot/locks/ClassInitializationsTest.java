package mayfly.hotspot.locks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.heap.ForgedHeap;
import mayfly.hotspot.heap.ForgedHeap.Shape;
import mayfly.hotspot.tables.VmField;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.LockWait.Kind;
import mayfly.runtime.thread.ManagedThread;
import org.junit.jupiter.api.Test;

class ClassInitializationsTest {
    private static final int VM_BLOCKED = 10;
    private static final int IN_JAVA = 8;
    private static final int RUNNABLE = 0x5;
    private static final int SLEEPING = 0xe1;
    private static final int BEING_INITIALIZED = 4;
    private static final int OTHER_TID = 4712;
    /** A word of the JavaThread that a lock is not read from. */
    private static final VmField WORD = VmField.THREAD_TLAB;

    /** A VM with two threads, one of which initializes a class. */
    private static final class Initializing {
        final ForgedVm vm;
        final ForgedHeap heap;
        final long other;
        final long klass;
        final long mirror;

        Initializing(ForgedVm vm, int vmState, int status) throws MemoryFault {
            this.vm = vm;
            vm.sizes.put("JavaThread", (long) vm.groupSize("JavaThread"));
            vm.intConstants.put("InstanceKlass::being_initialized", BEING_INITIALIZED);
            heap = new ForgedHeap(vm, Shape.NARROW).withThread("main", vmState, status, false, 1);
            heap.putKlass(heap.thread, heap.threadKlass);
            if (heap.holder != heap.thread) {
                heap.putKlass(heap.holder, heap.memory.readLong(vm.at(VmField.FIELD_HOLDER_KLASS)));
            }
            other = thread();
            klass = heap.klassOf("org/example/Initialized");
            mirror = heap.object("java/lang/Class");
            long slot = vm.heap.allocate(8);
            heap.memory.putLong(slot, mirror);
            heap.memory.putLong(klass + vm.at(VmField.KLASS_JAVA_MIRROR), slot);
            put(klass, BEING_INITIALIZED, other);
            putWord(klass);
        }

        /** Adds a second thread to the list. */
        private long thread() {
            long added = vm.heap.allocate(vm.groupSize("JavaThread"));
            long osThread = vm.heap.allocate(64);
            heap.memory.putLong(added + vm.at(VmField.THREAD_OSTHREAD), osThread);
            heap.memory.putInt(osThread + vm.at(VmField.OSTHREAD_THREAD_ID), OTHER_TID);
            long list = vm.heap.allocate(64);
            long array = vm.heap.allocate(16);
            heap.memory.putLong(array, vm.thread);
            heap.memory.putLong(array + 8, added);
            heap.memory.putInt(list + vm.at(VmField.THREADS_LENGTH), 2);
            heap.memory.putLong(list + vm.at(VmField.THREADS_THREADS), array);
            heap.memory.putLong(vm.at(VmField.JAVA_THREAD_LIST), list);
            return added;
        }

        void put(long ofKlass, int state, long thread) {
            heap.memory.putByte(ofKlass + vm.at(VmField.INSTANCE_KLASS_INIT_STATE), state);
            heap.memory.putLong(ofKlass + vm.at(VmField.INSTANCE_KLASS_INIT_THREAD), thread);
        }

        void putWord(long word) {
            heap.memory.putLong(vm.thread + vm.at(WORD), word);
        }

        LockWait read() throws Exception {
            HotSpot open = vm.open();
            return open.lockWait(open.threads().getFirst());
        }

        LockOwner owner() throws Exception {
            HotSpot open = vm.open();
            ManagedThread thread = open.threads().getFirst();
            return open.lockOwners(Map.of(thread, open.lockWait(thread))).get(thread);
        }
    }

    private static Initializing blocked(ForgedVm vm) throws MemoryFault {
        return new Initializing(vm, VM_BLOCKED, RUNNABLE);
    }

    @Test
    void blockedThreadWithAClassThatAnotherThreadInitializesWaitsForThatThread() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Initializing from = blocked(vm);
            assertThat(from.read())
                    .as("JDK %d", vm.feature)
                    .isEqualTo(new LockWait(
                            Kind.INITIALIZATION, "org.example.Initialized", from.mirror, from.klass, null));
            assertThat(from.owner()).isEqualTo(new LockOwner.OfThread(new ManagedThread(OTHER_TID, from.other)));
        }
    }

    @Test
    void classThatIsInitializedOrIsInitializedByTheThreadItselfIsNotAwaited() throws Exception {
        Initializing from = blocked(ForgedVm.jdk25());
        from.put(from.klass, BEING_INITIALIZED + 1, 0);
        assertThat(from.read()).isEqualTo(LockWait.NONE);
        from.put(from.klass, BEING_INITIALIZED + 1, from.other);
        assertThat(from.read()).isEqualTo(LockWait.NONE);
        from.put(from.klass, BEING_INITIALIZED, from.vm.thread);
        assertThat(from.read()).isEqualTo(LockWait.NONE);
        from.put(from.klass, BEING_INITIALIZED, 0x1234_5678);
        assertThat(from.read()).as("no thread of the VM").isEqualTo(LockWait.NONE);
    }

    @Test
    void threadThatRunsOrSleepsWaitsForNoClass() throws Exception {
        assertThat(new Initializing(ForgedVm.jdk25(), IN_JAVA, RUNNABLE).read()).isEqualTo(LockWait.NONE);
        assertThat(new Initializing(ForgedVm.jdk25(), VM_BLOCKED, SLEEPING).read())
                .isEqualTo(LockWait.NONE);
    }

    @Test
    void wordThatIsNoAddressOfAClassIsPassedOver() throws Exception {
        Initializing from = blocked(ForgedVm.jdk25());
        for (long word : new long[] {0, 8, -8, from.klass + 4, 0x7fff_0000_0000L, Long.MIN_VALUE}) {
            from.putWord(word);
            assertThat(from.read()).as(Long.toHexString(word)).isEqualTo(LockWait.NONE);
        }
    }

    @Test
    void classIsNotKnownIfSeveralAreInitialized() throws Exception {
        Initializing from = blocked(ForgedVm.jdk25());
        long second = from.heap.klassOf("org/example/Second");
        from.put(second, BEING_INITIALIZED, from.other);
        from.heap.memory.putLong(from.vm.thread + from.vm.at(VmField.THREAD_ALLOCATED_BYTES), second);
        assertThat(from.read()).isEqualTo(LockWait.NONE);
    }

    @Test
    void threadAtAMonitorOfTheVmHasTheClassOnItsStack() throws Exception {
        for (ForgedVm vm : ForgedVm.both()) {
            Initializing from = blocked(vm);
            from.putWord(0);
            long stack = vm.heap.allocate(8192);
            from.heap.memory.putLong(vm.thread + vm.at(VmField.THREAD_STACK_BASE), stack + 8192);
            from.heap.memory.putLong(vm.thread + vm.at(VmField.THREAD_STACK_SIZE), 8192);
            from.heap.memory.putLong(
                    vm.thread + vm.at(VmField.THREAD_ANCHOR) + vm.at(VmField.ANCHOR_LAST_JAVA_SP), stack + 8000);
            from.heap.memory.putLong(stack + 7000, from.klass);
            assertThat(from.read()).as("it waits at no monitor").isEqualTo(LockWait.NONE);
            from.heap.memory.putLong(
                    vm.thread + vm.at(VmField.THREAD_WAITING_MONITOR), vm.heap.allocate(vm.groupSize("ObjectMonitor")));
            assertThat(from.read().monitor()).isEqualTo(from.klass);
            from.heap.memory.putLong(stack + 7000, 0);
            from.heap.memory.putLong(stack + 8000, from.klass);
            assertThat(from.read()).as("above the last Java frame").isEqualTo(LockWait.NONE);
            for (long bad : new long[] {0, 8, stack + 8004, stack + 8200, Long.MAX_VALUE - 7, Long.MIN_VALUE, -8}) {
                from.heap.memory.putLong(
                        vm.thread + vm.at(VmField.THREAD_ANCHOR) + vm.at(VmField.ANCHOR_LAST_JAVA_SP), bad);
                assertThat(from.read()).as(Long.toHexString(bad)).isEqualTo(LockWait.NONE);
            }
        }
    }

    @Test
    void classIsNotReadIfTheVmDoesNotDescribeTheStateOfClasses() throws Exception {
        Initializing from = blocked(ForgedVm.jdk25());
        from.vm.intConstants.remove("InstanceKlass::being_initialized");
        assertThat(from.read()).isEqualTo(LockWait.NONE);
    }
}
