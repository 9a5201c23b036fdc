package mayfly.hotspot.locks;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.ManagedThread;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a VM at about one moment, by each value by which a lock can name its owner. A thread that ends while
 * it is read is not in the table.
 */
final class OwnerTable {
    private static final List<VmField> LOCK_STACK =
            List.of(VmField.THREAD_LOCK_STACK, VmField.LOCK_STACK_TOP, VmField.LOCK_STACK_BASE);
    /** Upper bound on the entries of a lock stack; LockStack::CAPACITY is 8. */
    private static final int MAX_ENTRIES = 64;

    private final VmLayout layout;
    private final JavaHeap heap;
    private final List<ManagedThread> threads;
    private final Map<Long, ManagedThread> byAddress = new HashMap<>();
    private @Nullable Map<Long, ManagedThread> byId;
    private @Nullable Map<Long, ManagedThread> byLockedObject;
    private @Nullable TreeMap<Long, Stack> byStack;

    /** A stack, up to its base, which is its highest address. */
    private record Stack(ManagedThread thread, long base) {}

    OwnerTable(VmLayout layout, JavaHeap heap, List<ManagedThread> threads) {
        this.layout = layout;
        this.heap = heap;
        this.threads = threads;
        threads.forEach(thread -> byAddress.put(thread.handle(), thread));
    }

    /** Returns the thread with this JavaThread. */
    @Nullable
    ManagedThread withAddress(long javaThread) {
        return byAddress.get(javaThread);
    }

    /** Returns the thread that runs the Thread with this id, mounted or its own. */
    @Nullable
    ManagedThread running(long threadId) {
        Map<Long, ManagedThread> ids = byId;
        if (ids == null) {
            ids = new HashMap<>();
            for (ManagedThread thread : threads) {
                try {
                    ids.put(heap.readLong(thread.handle() + layout.at(VmField.THREAD_MONITOR_OWNER_ID)), thread);
                } catch (MemoryFault e) {
                    continue; // it has ended
                }
            }
            byId = ids;
        }
        ManagedThread thread = ids.get(threadId);
        return thread != null && isRunning(thread, threadId) ? thread : null;
    }

    /** Returns true if the thread has not mounted another one since its id was read. */
    private boolean isRunning(ManagedThread thread, long threadId) {
        try {
            return heap.readLong(thread.handle() + layout.at(VmField.THREAD_MONITOR_OWNER_ID)) == threadId;
        } catch (MemoryFault e) {
            return false; // it has ended
        }
    }

    /** Returns the thread on whose stack an address is. */
    @Nullable
    ManagedThread withStack(long address) {
        TreeMap<Long, Stack> stacks = byStack;
        if (stacks == null) {
            stacks = new TreeMap<>();
            for (ManagedThread thread : threads) {
                try {
                    long base = heap.readLong(thread.handle() + layout.at(VmField.THREAD_STACK_BASE));
                    long size = heap.readLong(thread.handle() + layout.at(VmField.THREAD_STACK_SIZE));
                    stacks.put(base - size, new Stack(thread, base));
                } catch (MemoryFault e) {
                    continue; // it has ended
                }
            }
            byStack = stacks;
        }
        Map.Entry<Long, Stack> below = stacks.floorEntry(address);
        return below != null && address < below.getValue().base ? below.getValue().thread : null;
    }

    /** Returns the thread that has an object on its lock stack. */
    @Nullable
    ManagedThread withLocked(long object) {
        Map<Long, ManagedThread> locked = byLockedObject;
        if (locked == null) {
            locked = new HashMap<>();
            for (ManagedThread thread : threads) {
                try {
                    addLockStack(thread, locked);
                } catch (MemoryFault | BadMetadata e) {
                    continue; // it has ended, or has just released a lock
                }
            }
            byLockedObject = locked;
        }
        ManagedThread thread = locked.get(object);
        return thread != null && hasLocked(thread, object) ? thread : null;
    }

    /** Returns true if the thread has not released the object since its lock stack was read. */
    private boolean hasLocked(ManagedThread thread, long object) {
        Map<Long, ManagedThread> now = new HashMap<>();
        try {
            addLockStack(thread, now);
        } catch (MemoryFault | BadMetadata e) {
            return false; // it has ended, or has just released a lock
        }
        return now.containsKey(object);
    }

    private void addLockStack(ManagedThread thread, Map<Long, ManagedThread> into) throws MemoryFault, BadMetadata {
        if (!layout.hasAll(LOCK_STACK)) {
            return;
        }
        long stack = layout.at(VmField.THREAD_LOCK_STACK);
        long slot = thread.handle() + stack + layout.at(VmField.LOCK_STACK_BASE);
        long top = thread.handle()
                + Integer.toUnsignedLong(heap.readInt(thread.handle() + stack + layout.at(VmField.LOCK_STACK_TOP)));
        for (int i = 0; i < MAX_ENTRIES && slot < top; i++, slot += Long.BYTES) {
            into.put(heap.local(slot), thread);
        }
    }
}
