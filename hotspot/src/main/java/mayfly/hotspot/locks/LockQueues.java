package mayfly.hotspot.locks;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.MemoryFault;

/**
 * The threads in the queues of AbstractQueuedSynchronizers, each queue at about one moment. Addresses are those before
 * any later collection.
 */
final class LockQueues {
    /** Upper bound on the nodes of all queues together; a queue may be cyclic, or change while it is read. */
    private static final int MAX_NODES = 100_000;
    /** The field of a node with the thread that waits, by the JDK. */
    private static final String SINCE_14 = "waiter";

    private static final String UP_TO_13 = "thread";

    private final HeapObjects objects;
    private final Map<Long, Set<Long>> queues = new HashMap<>();
    /** The locks whose queue could not be read, or is being read. */
    private final Set<Long> unreadable = new HashSet<>();

    private int nodes;

    LockQueues(HeapObjects objects) {
        this.objects = objects;
    }

    /**
     * Returns true if a Thread is in the queue of a lock.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent, or if there are too many nodes
     */
    boolean has(long lock, long thread) throws MemoryFault, BadMetadata {
        Set<Long> queued = queues.get(lock);
        if (queued == null && unreadable.add(lock)) {
            Set<Long> read = new HashSet<>();
            read(lock, read);
            queues.put(lock, read);
            unreadable.remove(lock);
            queued = read;
        }
        if (queued == null) {
            throw new BadMetadata("a queue that could not be read");
        }
        return queued.contains(thread);
    }

    private void read(long lock, Set<Long> into) throws MemoryFault, BadMetadata {
        Set<Long> seen = new HashSet<>();
        long node = objects.in(lock, "head");
        while (node != 0 && seen.add(node)) {
            if (nodes++ >= MAX_NODES) {
                throw new BadMetadata("more than " + MAX_NODES + " nodes in queues of locks");
            }
            into.add(objects.in(node, objects.has(node, SINCE_14) ? SINCE_14 : UP_TO_13));
            node = objects.in(node, "next");
        }
    }
}
