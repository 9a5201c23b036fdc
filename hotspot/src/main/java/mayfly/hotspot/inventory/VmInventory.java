package mayfly.hotspot.inventory;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.locks.LockSupport;
import mayfly.hotspot.code.VmReaders;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.Unreadable;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.threads.ThreadList;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.thread.Unread;

/**
 * An inventory of a VM's classes, flags and settings, for an audit. Each query returns a complete answer as of one
 * moment, or fails with the reason. Each query discards the memory's cached pages before it reads, except {@link
 * #threadOwners}, before which the caller discards them.
 */
public final class VmInventory implements InventoryQueries {
    /** Upper bound on the attempts to read data that moves or disappears during the read. */
    private static final int ATTEMPTS = 10;
    /** The wait before a further attempt if objects move is 1 ms before the second one, and doubles each time. */
    private static final long WAIT_NANOS = 500_000;

    private final VmReaders vm;
    private final ModuleSymbols symbols;
    private final Runnable forget;
    private final OwnerReading owners;

    /**
     * Creates an inventory. Nothing is read before the first query.
     *
     * @param forget discards the cached pages of the VM's memory
     * @param owners reads the owners of the VM's threads
     */
    public VmInventory(VmReaders vm, ModuleSymbols symbols, Runnable forget, OwnerReading owners) {
        this.vm = vm;
        this.symbols = symbols;
        this.forget = forget;
        this.owners = owners;
    }

    /** Reads the owners of a VM's threads once. */
    public interface OwnerReading {
        /**
         * Returns the owners by the thread ids in the process's own pid namespace.
         *
         * @throws MemoryFault if the list of threads cannot be read
         */
        Map<Integer, ThreadOwner> read() throws MemoryFault;
    }

    @Override
    public Map<Integer, ThreadOwner> threadOwners() throws MemoryFault {
        return owners.read();
    }

    /**
     * Thrown if a fact about this VM cannot be determined, either at this moment or in principle. The message gives the
     * reason.
     */
    public static final class Undetermined extends Exception {
        private static final long serialVersionUID = 1L;

        /** @param reason the reason, for a human reader */
        public Undetermined(String reason) {
            super(reason, null, false, false);
        }
    }

    /** Reads data once. */
    private interface Reading<T> {
        T read() throws MemoryFault, BadMetadata, Unreadable;
    }

    @Override
    public LoadedClasses classes() throws Undetermined {
        return settled(ClassGraph.NEEDS, () -> ClassGraph.read(vm.memory(), vm.layout(), vm.methods(), heap()));
    }

    @Override
    public List<SetFlag> flags() throws Undetermined {
        return settled(SetFlags.NEEDS, () -> SetFlags.read(vm.memory(), vm.layout(), vm.rules()));
    }

    @Override
    public JvmtiState jvmti() throws Undetermined {
        if (symbols.address(JvmtiStates.HEAD) == 0) {
            throw new Undetermined("this libjvm.so is stripped: it has no symbol for the list of environments");
        }
        return settled(List.of(), () -> JvmtiStates.read(vm.memory(), symbols));
    }

    @Override
    public SortedMap<String, String> systemProperties() throws Undetermined {
        return unmoved(SystemProperties.NEEDS, objects -> SystemProperties.read(objects, vm.memory(), vm.layout()));
    }

    @Override
    public Registrations registrations() throws Undetermined {
        Map<String, Long> klasses = settled(
                ClassGraph.NEEDS,
                () -> ClassGraph.klasses(vm.memory(), vm.layout(), vm.methods(), heap(), Registrations.CLASSES));
        if (!vm.layout().hasAll(Registrations.NEEDS)) {
            throw new Undetermined("this JVM does not describe the location of this data");
        }
        long thread = settled(List.of(), () -> vm.memory().readLong(vm.layout().at(VmField.THREAD_KLASS)));
        return new Registrations(this, new ThreadList(vm.memory(), vm.layout()), thread, klasses);
    }

    @Override
    public List<String> logOutputs() throws Undetermined {
        if (symbols.address(LogOutputs.OUTPUTS) == 0 || symbols.address(LogOutputs.COUNT) == 0) {
            throw new Undetermined("this libjvm.so is stripped: it has no symbol for the outputs of the log");
        }
        return settled(List.of(), () -> LogOutputs.read(vm.memory(), symbols));
    }

    /** Reads objects once. */
    interface ObjectReading<T extends Object> {
        T read(HeapObjects objects) throws MemoryFault, BadMetadata, Unreadable;
    }

    /**
     * Reads twice and returns the result if both reads agree: a concurrent collector moves objects without changing the
     * count of collections.
     */
    <T> T unmoved(List<VmField> needs, ObjectReading<T> reading) throws Undetermined {
        return settled(needs, () -> {
            JavaHeap heap = heap();
            return unmoved(heap, () -> {
                T first = reading.read(new HeapObjects(vm, heap));
                T second = reading.read(new HeapObjects(vm, heap));
                if (!first.equals(second)) {
                    throw new Unreadable(Unread.MOVING);
                }
                return second;
            });
        });
    }

    private JavaHeap heap() throws MemoryFault, BadMetadata, Unreadable {
        return new JavaHeap(vm.memory(), vm.layout(), vm.referenceShifts());
    }

    /** Returns the result of a reading only if no collection moved objects meanwhile. */
    private static <T> T unmoved(JavaHeap heap, Reading<T> reading) throws MemoryFault, BadMetadata, Unreadable {
        long collections = heap.collections();
        if (collections == JavaHeap.COLLECTING) {
            throw new Unreadable(Unread.MOVING);
        }
        T read = reading.read();
        if (heap.collections() != collections) {
            throw new Unreadable(Unread.MOVING);
        }
        return read;
    }

    private <T> T settled(List<VmField> needs, Reading<T> reading) throws Undetermined {
        if (!vm.layout().hasAll(needs)) {
            throw new Undetermined("this JVM does not describe the location of this data");
        }
        String reason = "";
        boolean isMoving = false;
        for (int i = 0; i < ATTEMPTS; i++) {
            if (isMoving) {
                LockSupport.parkNanos(WAIT_NANOS << i); // a pause of a collector is longer than a reading
            }
            forget.run();
            try {
                return reading.read();
            } catch (MemoryFault | BadMetadata e) {
                reason = "it changes while it is read, or is inconsistent: " + e.getMessage();
            } catch (Unreadable e) {
                reason = e.reason.label();
                isMoving = e.reason == Unread.MOVING;
            }
        }
        throw new Undetermined(reason);
    }
}
