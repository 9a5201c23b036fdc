package mayfly.hotspot;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.Unread;
import org.jspecify.annotations.Nullable;

/**
 * The system properties, from the map in {@code java.lang.System.props}: a java.util.Properties with a
 * ConcurrentHashMap inside, whose nodes hang in an array, each with the next of its bin behind it.
 */
final class SystemProperties {
    static final List<VmField> NEEDS = List.of(VmField.SYSTEM_KLASS, VmField.STRING_KLASS, VmField.KLASS_JAVA_MIRROR,
            VmField.KLASS_SUPER);
    private static final int LONGEST = 64 * 1024;
    private static final int MAX_BINS = 1 << 16;
    private static final int MAX_PROPERTIES = 20_000;
    private static final long MAX_TEXT = 4 << 20;
    /** Of the classes that are met; the deepest is a node of a tree, a node, an Object. */
    private static final int MAX_DEPTH = 8;

    private final Memory memory;
    private final VmLayout layout;
    private final JdkRules rules;
    private final JavaHeap heap;
    private final JavaStrings strings;
    private final long stringKlass;
    private final Map<Long, InstanceFields> classes = new HashMap<>();
    private final SortedMap<String, String> found = new TreeMap<>();
    /** Nodes met in all bins, which may lead to one another, and characters read. */
    private int nodes;
    private long text;

    SystemProperties(Memory memory, VmLayout layout, JdkRules rules, JavaHeap heap) throws MemoryFault, BadMetadata,
            Unreadable {
        if (!InstanceFields.isDescribed(layout)) {
            throw new Unreadable(Unread.NOT_DESCRIBED);
        }
        this.memory = memory;
        this.layout = layout;
        this.rules = rules;
        this.heap = heap;
        stringKlass = memory.readLong(layout.at(VmField.STRING_KLASS));
        strings = new JavaStrings(heap, of(stringKlass), LONGEST);
    }

    SortedMap<String, String> read() throws MemoryFault, BadMetadata, Unreadable {
        long system = memory.readLong(layout.at(VmField.SYSTEM_KLASS));
        long mirror = heap.root(memory.readLong(system + layout.at(VmField.KLASS_JAVA_MIRROR)));
        long properties = requireObject(heap.reference(mirror + of(system).requireStatic("props")));
        long map = requireObject(heap.reference(properties + field(properties, "map")));
        long[] bins = heap.references(requireObject(heap.reference(map + field(map, "table"))), MAX_BINS);
        for (long bin : bins) {
            if (bin != 0) {
                Integer first = inherited(bin, "first");
                chain(first == null ? bin : heap.reference(bin + first));
            }
        }
        return found;
    }

    /** The nodes of one bin. */
    private void chain(long first) throws MemoryFault, BadMetadata, Unreadable {
        for (long node = first; node != 0; node = heap.reference(node + field(node, "next"))) {
            if (inherited(node, "nextTable") != null) {
                throw new Unreadable(Unread.MOVING); // the map is just getting a larger array
            }
            if (++nodes > MAX_PROPERTIES || text > MAX_TEXT) {
                throw new Unreadable(Unread.TOO_LONG);
            }
            long key = heap.reference(node + field(node, "key"));
            long value = heap.reference(node + field(node, "val"));
            if (isString(key) && isString(value)) {
                String name = strings.text(key);
                String said = strings.text(value);
                text += name.length() + said.length();
                found.put(name, said);
            }
        }
    }

    private boolean isString(long object) throws MemoryFault, BadMetadata {
        return object != 0 && heap.klass(object) == stringKlass;
    }

    private static long requireObject(long object) throws BadMetadata {
        if (object == 0) {
            throw new BadMetadata("no properties yet");
        }
        return object;
    }

    private int field(long object, String name) throws MemoryFault, BadMetadata {
        Integer offset = inherited(object, name);
        if (offset == null) {
            throw new BadMetadata("an object without its field " + name);
        }
        return offset;
    }

    /** The offset of a field of an object's class or of those above it, null if there is none. */
    private @Nullable Integer inherited(long object, String name) throws MemoryFault, BadMetadata {
        long klass = heap.klass(object);
        for (int i = 0; i < MAX_DEPTH && klass != 0; i++) {
            Integer offset = of(klass).offset(name);
            if (offset != null) {
                return offset;
            }
            klass = memory.readLong(klass + layout.at(VmField.KLASS_SUPER));
        }
        return null;
    }

    private InstanceFields of(long klass) throws MemoryFault, BadMetadata {
        InstanceFields known = classes.get(klass);
        if (known == null) {
            known = new InstanceFields(memory, layout, rules, klass);
            classes.put(klass, known);
        }
        return known;
    }
}
