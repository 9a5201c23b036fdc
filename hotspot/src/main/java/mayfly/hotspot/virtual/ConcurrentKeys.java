package mayfly.hotspot.virtual;

import java.util.HashMap;
import java.util.Map;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.Unreadable;
import mayfly.process.MemoryFault;
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
    private final Budget budget;
    private final Map<Long, Bin> bins = new HashMap<>();
    /** The tables that have been read. */
    private final AddressSet tables = new AddressSet();

    private int keys;

    ConcurrentKeys(JavaHeap heap, HeapObjects objects, Budget budget) {
        this.heap = heap;
        this.objects = objects;
        this.budget = budget;
    }

    /**
     * Reports the elements of a set; none for 0.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     * @throws Unreadable if an object cannot be read; the exception has the reason
     */
    void of(long set, Each each) throws MemoryFault, BadMetadata, Unreadable {
        long map = set == 0 ? 0 : objects.in(set, "map");
        long table = map == 0 ? 0 : objects.in(map, "table");
        while (table != 0 && tables.add(table)) {
            table = inTable(table, each);
        }
    }

    /** Returns the next table, to which the bins that have moved refer; 0 if there is none. */
    private long inTable(long table, Each each) throws MemoryFault, BadMetadata, Unreadable {
        JavaHeap.ObjectArray heads = heap.objectArray(table);
        long next = 0;
        for (int i = 0; i < heads.length(); i++) {
            budget.step();
            long head = heap.element(heads, i);
            if (head == 0) {
                continue;
            }
            Bin bin = bin(head);
            if (bin.table != null) {
                next = heap.reference(head + bin.table);
            } else {
                inList(bin.first == null ? head : heap.reference(head + bin.first), each);
            }
        }
        return next;
    }

    private void inList(long first, Each each) throws MemoryFault, BadMetadata, Unreadable {
        long node = first;
        while (node != 0) {
            budget.step();
            if (++keys > MAX_KEYS) {
                throw new BadMetadata("more than " + MAX_KEYS + " virtual threads and containers");
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
