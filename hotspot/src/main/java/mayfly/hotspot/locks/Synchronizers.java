package mayfly.hotspot.locks;

import java.util.Set;
import java.util.function.LongFunction;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait.Kind;
import mayfly.runtime.thread.ManagedThread;
import org.jspecify.annotations.Nullable;

/** The locks of java.util.concurrent: which objects are some, and which thread owns one. */
public final class Synchronizers {
    private static final String ARRAY = "[";
    /** The field of AbstractOwnableSynchronizer, which the classes of most locks extend. */
    private static final String OWNER = "exclusiveOwnerThread";

    private static final String STAMPED_LOCK = "java.util.concurrent.locks.StampedLock";
    /** Classes that extend it and are no locks: no thread acquires a latch. */
    private static final Set<String> LATCHES =
            Set.of("java.util.concurrent.CountDownLatch$Sync", "scala.concurrent.impl.Promise$CompletionLatch");

    private static final String CONDITION = "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject";

    private final HeapObjects objects;
    private final LongFunction<@Nullable ManagedThread> withJavaThread;
    private final LockQueues queues;

    /**
     * @param objects the objects of the VM, which do not move while this object is used
     * @param withJavaThread returns the thread with a JavaThread; null if there is none any more
     */
    public Synchronizers(HeapObjects objects, LongFunction<@Nullable ManagedThread> withJavaThread) {
        this.objects = objects;
        this.withJavaThread = withJavaThread;
        this.queues = new LockQueues(objects);
    }

    /**
     * Returns the way in which a thread waits for the object that it has named while it is parked.
     *
     * @param type the name of the object's class
     * @throws MemoryFault if the target's memory cannot be read
     */
    public static Kind kindOf(HeapObjects objects, long blocker, String type) throws MemoryFault {
        return isLock(objects, blocker, type) ? Kind.ACQUIRE : Kind.PARK;
    }

    /** Returns true if this is the class of conditions, for which a thread waits until another one signals. */
    public static boolean isCondition(String type) {
        return type.equals(CONDITION);
    }

    private static boolean isLock(HeapObjects objects, long blocker, String type) throws MemoryFault {
        if (type.startsWith(ARRAY) || LATCHES.contains(type)) {
            return false;
        }
        try {
            return type.equals(STAMPED_LOCK) || objects.has(blocker, OWNER);
        } catch (BadMetadata e) {
            return false; // it has more fields than any lock
        }
    }

    /**
     * Returns the owner of the lock for which a parked thread waits. A thread that waited for a condition and was
     * signalled is moved to the queue of the lock by the thread that signals, and remains parked with the condition as
     * its blocker.
     *
     * @param thread the Thread
     * @param blocker the object that it has named
     * @param type the name of that object's class
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public LockOwner ownerOf(long thread, long blocker, String type) throws MemoryFault, BadMetadata {
        if (!isCondition(type)) {
            return owner(blocker);
        }
        long lock = objects.in(blocker, "this$0");
        return lock != 0 && queues.has(lock, thread) ? owner(lock) : LockOwner.NONE;
    }

    private LockOwner owner(long lock) throws MemoryFault, BadMetadata {
        long owner = objects.has(lock, OWNER) ? objects.in(lock, OWNER) : 0;
        if (owner == 0) {
            return LockOwner.NONE;
        }
        boolean isVirtual = objects.has(owner, "carrierThread");
        long carrier = isVirtual ? objects.in(owner, "carrierThread") : owner;
        if (carrier == 0) {
            return new LockOwner.OfUnmounted(objects.longIn(owner, "tid"));
        }
        ManagedThread thread = withJavaThread.apply(objects.longIn(carrier, "eetop"));
        return thread == null ? LockOwner.UNKNOWN : new LockOwner.OfThread(thread);
    }
}
