package mayfly.hotspot.locks;

import java.util.List;
import mayfly.hotspot.code.VmReaders;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.JdkRules.MonitorOwner;
import mayfly.hotspot.tables.VmField;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.ManagedThread;
import org.jspecify.annotations.Nullable;

/** The objects and the owners of ObjectMonitors, at about one moment. */
public final class MonitorOwners {
    /** The fields that the monitors of virtual threads need, since JDK 24. */
    public static final List<VmField> NEEDS = List.of(
            VmField.MONITOR_OBJECT,
            VmField.MONITOR_OWNER,
            VmField.THREAD_MONITOR_OWNER_ID,
            VmField.THREAD_STACK_BASE,
            VmField.THREAD_STACK_SIZE);
    /** The value of an owner that has the object on its lock stack. */
    private static final long ANONYMOUS = 1;
    /** The greatest value that names no thread: 2, up to JDK 20 also 1, marks a monitor that is about to be freed. */
    private static final long MAX_MARKER = 2;

    private final Monitors monitors;
    private final MonitorOwner meaning;
    private final OwnerTable table;

    /** @param all all threads of the VM that the kernel runs */
    public MonitorOwners(VmReaders vm, JavaHeap heap, List<ManagedThread> all) {
        this(
                new Monitors(vm.layout(), vm.rules(), heap),
                vm.rules().monitorOwner(),
                new OwnerTable(vm.layout(), heap, all));
    }

    MonitorOwners(Monitors monitors, MonitorOwner meaning, OwnerTable table) {
        this.monitors = monitors;
        this.meaning = meaning;
        this.table = table;
    }

    /**
     * Returns the object of a monitor, or 0 if it has none any more.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public long object(long monitor) throws MemoryFault, BadMetadata {
        return monitors.object(monitor);
    }

    /**
     * Returns the owner of a monitor. It is unknown if it has the object on its lock stack and no thread of the kernel
     * runs it.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public LockOwner ownerOf(long monitor) throws MemoryFault, BadMetadata {
        long value = monitors.owner(monitor);
        if (value == ANONYMOUS && meaning != MonitorOwner.ADDRESS) {
            ManagedThread locking = table.withLocked(monitors.object(monitor));
            return of(locking != null ? locking : table.withStack(monitors.lockRecord(monitor)));
        }
        if (value >= 0 && value <= MAX_MARKER) {
            return LockOwner.NONE;
        }
        if (meaning == MonitorOwner.THREAD_ID) {
            ManagedThread running = table.running(value);
            return running == null ? new LockOwner.OfUnmounted(value) : new LockOwner.OfThread(running);
        }
        ManagedThread thread = table.withAddress(value);
        return of(thread != null ? thread : table.withStack(value));
    }

    private static LockOwner of(@Nullable ManagedThread thread) {
        return thread == null ? LockOwner.UNKNOWN : new LockOwner.OfThread(thread);
    }
}
