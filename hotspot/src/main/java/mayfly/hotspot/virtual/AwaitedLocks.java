package mayfly.hotspot.virtual;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.hotspot.code.VmReaders;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.locks.MonitorOwners;
import mayfly.hotspot.locks.Synchronizers;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.UnmountedThread.Awaited;
import mayfly.runtime.thread.Unread;

/**
 * The locks for which virtual threads wait, and their owners, while no thread runs. Many threads wait for the same
 * lock, or for locks of the same class.
 */
final class AwaitedLocks {
    /** The members of an ObjectWaiter since JDK 24, see objectMonitor.hpp: a handle of the thread, and the monitor. */
    private static final int WAITER_THREAD = 24;

    private static final int WAITER_MONITOR = 32;
    private static final String CLASS_OBJECT = "java.lang.Class";

    private final JavaHeap heap;
    private final HeapObjects objects;
    private final Synchronizers synchronizers;
    private final MonitorOwners monitors;
    private final boolean describesMonitors;
    private final Map<Long, Kind> kinds = new HashMap<>();
    private final Map<Long, Awaited> known = new HashMap<>();

    /** A class, and the way in which a thread waits for its objects. */
    private record Kind(String type, LockWait.Kind ofWait) {}

    /** @param javaThreads the threads of the VM that the kernel runs, by their JavaThreads */
    AwaitedLocks(VmReaders vm, JavaHeap heap, HeapObjects objects, Map<Long, ManagedThread> javaThreads) {
        this.heap = heap;
        this.objects = objects;
        this.synchronizers = new Synchronizers(objects, javaThreads::get);
        this.monitors = new MonitorOwners(vm, heap, List.copyOf(javaThreads.values()));
        this.describesMonitors = vm.layout().hasAll(MonitorOwners.NEEDS);
    }

    /**
     * Returns the object for which a thread is parked, with its owner.
     *
     * @param thread the Thread
     * @param blocker the object that it has named
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    Awaited parked(long thread, long blocker) throws MemoryFault, BadMetadata {
        Awaited found = known.get(blocker);
        if (found != null) {
            return found;
        }
        Kind kind = kind(blocker);
        LockOwner owner = synchronizers.ownerOf(thread, blocker, kind.type);
        found = new Awaited(new LockWait(kind.ofWait, kind.type, blocker, 0, null), owner);
        if (!Synchronizers.isCondition(kind.type)) {
            known.put(blocker, found); // the owner of a condition depends on the thread
        }
        return found;
    }

    /**
     * Returns the monitor at which a thread waits, with its owner; the owner is unknown if it has the object on its
     * lock stack and is not mounted.
     *
     * @param thread the Thread
     * @param waiter the address of its ObjectWaiter; 0 if it has none
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    Awaited atMonitor(long thread, long waiter, LockWait.Kind kind) throws MemoryFault, BadMetadata {
        if (!describesMonitors) {
            return new Awaited(LockWait.unread(Unread.NOT_DESCRIBED), LockOwner.UNKNOWN);
        }
        long handle = waiter == 0 ? 0 : heap.readLong(waiter + WAITER_THREAD);
        if (handle == 0 || heap.root(handle) != thread) {
            throw new BadMetadata("an ObjectWaiter of another thread");
        }
        long monitor = heap.readLong(waiter + WAITER_MONITOR);
        long object = monitors.object(monitor);
        if (object == 0) {
            throw new BadMetadata("a monitor without an object");
        }
        LockWait lock = new LockWait(kind, kind(object).type, object, monitor, null);
        return new Awaited(lock, kind.mayHaveOwner() ? monitors.ownerOf(monitor) : LockOwner.NONE);
    }

    /** Returns the class of an object; a class object is of a class of its own. */
    private Kind kind(long object) throws MemoryFault, BadMetadata {
        long klass = heap.klass(object);
        Kind kind = kinds.get(klass);
        if (kind == null) {
            String type = objects.typeOf(object);
            kind = new Kind(type, Synchronizers.kindOf(objects, object, type));
            if (!type.startsWith(CLASS_OBJECT)) {
                kinds.put(klass, kind);
            }
        }
        return kind;
    }
}
