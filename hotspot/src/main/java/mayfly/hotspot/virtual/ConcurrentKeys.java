package mayfly.hotspot.virtual;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.Unreadable;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.Unread;
import org.jspecify.annotations.Nullable;

/**
 * The elements of sets that ConcurrentHashMap.newKeySet has created, at a moment at which no thread changes them.
 *
 * <p>A bin of the table is a list of nodes, a tree whose nodes are such a list too, or, while the table grows, a
 * reference to the next table.
 */
final class ConcurrentKeys {
    /** Upper bound on the elements of all sets together. */
    private static final int MAX_KEYS = 4_000_000;

    private static final int MAX_TABLE = 1 << 24;

    /** Receives an element. */
    interface Each {
        /**
         * Receives the address of an element.
         *
         * @throws MemoryFault if the target's memory cannot be read
         * @throws BadMetadata if the data read is inconsistent
         * @throws Unreadable if an object cannot be read; the exception has the reason
         */
        void key(long object) throws MemoryFault, BadMetadata, Unreadable;
    }

    /** The fields of a class of bins; null if it has none of that name. */
    private record Bin(
            @Nullable Integer key,
            @Nullable Integer next,
            @Nullable Integer first,
            @Nullable Integer table) {}

    private final JavaHeap heap;
    private final HeapObjects objects;
    private final Map<Long, Bin> bins = new HashMap<>();
    private int keys;

    ConcurrentKeys(JavaHeap heap, HeapObjects objects) {
        this.heap = heap;
        this.objects = objects;
    }

    /**
     * Reports the elements of a set, or the keys of a map; none for 0.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     * @throws Unreadable if an object cannot be read; the exception has the reason
     */
    void of(long set, Each each) throws MemoryFault, BadMetadata, Unreadable {
        if (set == 0) {
            return;
        }
        long map = objects.has(set, "map") ? objects.in(set, "map") : set;
        long table = map == 0 ? 0 : objects.in(map, "table");
        if (table != 0) {
            inTable(table, new HashSet<>(), each);
        }
    }

    private void inTable(long table, Set<Long> seen, Each each) throws MemoryFault, BadMetadata, Unreadable {
        if (!seen.add(table)) {
            return;
        }
        for (long head : heap.references(table, MAX_TABLE)) {
            if (head == 0) {
                continue;
            }
            Bin bin = bin(head);
            if (bin.table != null) {
                inTable(heap.reference(head + bin.table), seen, each);
            } else {
                inList(bin.first == null ? head : heap.reference(head + bin.first), each);
            }
        }
    }

    private void inList(long first, Each each) throws MemoryFault, BadMetadata, Unreadable {
        long node = first;
        while (node != 0) {
            if (++keys > MAX_KEYS) {
                throw new Unreadable(Unread.TOO_LONG);
            }
            Bin bin = bin(node);
            if (bin.key == null || bin.next == null) {
                throw new BadMetadata("a node of a map without a key");
            }
            long key = heap.reference(node + bin.key);
            if (key != 0) {
                each.key(key);
            }
            node = heap.reference(node + bin.next);
        }
    }

    private Bin bin(long object) throws MemoryFault, BadMetadata {
        long klass = heap.klass(object);
        Bin known = bins.get(klass);
        if (known == null) {
            known = new Bin(
                    objects.offset(object, "key"),
                    objects.offset(object, "next"),
                    objects.offset(object, "first"),
                    objects.offset(object, "nextTable"));
            bins.put(klass, known);
        }
        return known;
    }
}
