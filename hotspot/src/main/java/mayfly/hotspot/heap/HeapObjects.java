package mayfly.hotspot.heap;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.code.VmReaders;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.Unreadable;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.Unread;
import org.jspecify.annotations.Nullable;

/** Reads objects of the JDK's classes by the names of their fields: fields, arrays, maps and lists. */
public final class HeapObjects {
    /** Upper bound on the length of one text, in chars. */
    private static final int MAX_LENGTH = 64 * 1024;
    /** Upper bound on the length of all texts together, in chars. */
    private static final long MAX_TEXT = 4 << 20;

    private static final int MAX_ELEMENTS = 1 << 16;
    private static final int MAX_ENTRIES = 20_000;
    /** Upper bound on the depth of a class hierarchy; a tree node of a map has five superclasses. */
    private static final int MAX_DEPTH = 16;

    private static final String CLASS = "java.lang.Class";

    private final Memory memory;
    private final VmLayout layout;
    private final JdkRules rules;
    private final JavaHeap heap;
    private final Methods methods;
    private final JavaStrings strings;
    private final long stringKlass;
    /** The fields of classes, as of an epoch: the VM may unload a class and have another at its address later. */
    private final Map<Long, InstanceFields> classes = new HashMap<>();

    private long classesEpoch;
    /** The number of entries read so far from all maps, which may refer to one another. */
    private int entries;
    /** The number of chars read so far. */
    private long text;

    /** Receives an entry of a map. */
    public interface Entry {
        /**
         * Receives the addresses of the key and of the value; 0 for null.
         *
         * @throws MemoryFault if the target's memory cannot be read
         * @throws BadMetadata if the data read is inconsistent
         * @throws Unreadable if an object cannot be read; the exception has the reason
         */
        void entry(long key, long value) throws MemoryFault, BadMetadata, Unreadable;
    }

    /**
     * Finds the fields of String.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     * @throws Unreadable if the VM does not describe the fields of classes
     */
    public HeapObjects(VmReaders vm, JavaHeap heap) throws MemoryFault, BadMetadata, Unreadable {
        memory = vm.memory();
        layout = vm.layout();
        rules = vm.rules();
        methods = vm.methods();
        this.heap = heap;
        if (!InstanceFields.isDescribed(layout)) {
            throw new Unreadable(Unread.NOT_DESCRIBED);
        }
        stringKlass = memory.readLong(layout.at(VmField.STRING_KLASS));
        strings = new JavaStrings(heap, of(stringKlass), MAX_LENGTH);
    }

    /**
     * Returns the value of a static reference field of a class; 0 for null.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public long inStatic(long klass, String name) throws MemoryFault, BadMetadata {
        long mirror = heap.root(memory.readLong(klass + layout.at(VmField.KLASS_JAVA_MIRROR)));
        return mirror == 0 ? 0 : heap.reference(mirror + of(klass).requireStatic(name));
    }

    /**
     * Returns the value of a static field of a class that contains a 32-bit number; null if the class has no static
     * field of that name.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public @Nullable Integer intInStatic(long klass, String name) throws MemoryFault, BadMetadata {
        Integer offset = of(klass).offsetOfStatic(name);
        long mirror = offset == null ? 0 : heap.root(memory.readLong(klass + layout.at(VmField.KLASS_JAVA_MIRROR)));
        return offset == null || mirror == 0 ? null : heap.readInt(mirror + offset);
    }

    /**
     * Returns the offset of an instance field of an object; null if neither its class nor a superclass has one of that
     * name.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public @Nullable Integer offset(long object, String name) throws MemoryFault, BadMetadata {
        return inherited(object, name);
    }

    /**
     * Returns the Thread of a JavaThread; 0 if it has none.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public long threadOf(long javaThread) throws MemoryFault, BadMetadata {
        long field = javaThread + layout.at(VmField.THREAD_OBJECT);
        long slot = rules.objectHandles() ? heap.readLong(field) : field;
        return slot == 0 ? 0 : heap.root(slot);
    }

    /**
     * Returns the Thread that runs on a JavaThread: the mounted virtual thread, or its own; 0 if it has none.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public long currentThreadOf(long javaThread) throws MemoryFault, BadMetadata {
        long slot =
                layout.has(VmField.THREAD_VTHREAD) ? heap.readLong(javaThread + layout.at(VmField.THREAD_VTHREAD)) : 0;
        long mounted = slot == 0 ? 0 : heap.root(slot);
        return mounted == 0 ? threadOf(javaThread) : mounted;
    }

    /**
     * Returns the value of a reference field of an object; 0 for null.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public long in(long object, String name) throws MemoryFault, BadMetadata {
        return heap.reference(object + field(object, name));
    }

    /**
     * Returns the object reached through several fields, or 0 at the first null.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public long along(long object, String... names) throws MemoryFault, BadMetadata {
        long at = object;
        for (int i = 0; i < names.length && at != 0; i++) {
            at = in(at, names[i]);
        }
        return at;
    }

    /**
     * Returns the value of a 64-bit field of an object.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public long longIn(long object, String name) throws MemoryFault, BadMetadata {
        return heap.readLong(object + field(object, name));
    }

    /**
     * Returns the value of a 32-bit field of an object.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public int intIn(long object, String name) throws MemoryFault, BadMetadata {
        return heap.readInt(object + field(object, name));
    }

    /**
     * Returns true if an object's class, or one of its superclasses, has an instance field of this name.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public boolean has(long object, String name) throws MemoryFault, BadMetadata {
        return inherited(object, name) != null;
    }

    /**
     * Returns the name of an object's class, untrusted text.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public String className(long object) throws MemoryFault, BadMetadata {
        return methods.className(heap.klass(object));
    }

    /**
     * Returns the name of an object's class, untrusted text; for a class object, {@code java.lang.Class for NAME}.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public String typeOf(long object) throws MemoryFault, BadMetadata {
        String name = className(object);
        String represented = name.equals(CLASS) ? represented(object) : "";
        return represented.isEmpty() ? name : name + " for " + represented;
    }

    /**
     * Returns the name of the class that a class object represents, untrusted text; empty for a primitive type, and if
     * the VM does not describe it.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public String represented(long mirror) throws MemoryFault, BadMetadata {
        if (!layout.has(VmField.CLASS_KLASS_OFFSET)) {
            return "";
        }
        long klass = heap.readLong(mirror + memory.readInt(layout.at(VmField.CLASS_KLASS_OFFSET)));
        return klass == 0 ? "" : methods.className(klass);
    }

    /**
     * Returns true if an object is a String. Returns false for null.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public boolean isString(long object) throws MemoryFault, BadMetadata {
        return object != 0 && heap.klass(object) == stringKlass;
    }

    /**
     * Returns the text of a String, untrusted; empty for null.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     * @throws Unreadable if an object cannot be read; the exception has the reason
     */
    public String text(long string) throws MemoryFault, BadMetadata, Unreadable {
        if (string == 0) {
            return "";
        }
        String read = strings.text(string);
        text += read.length();
        if (text > MAX_TEXT) {
            throw new Unreadable(Unread.TOO_LONG);
        }
        return read;
    }

    /**
     * Returns the elements of an array of objects.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     * @throws Unreadable if an object cannot be read; the exception has the reason
     */
    public long[] elements(long array) throws MemoryFault, BadMetadata, Unreadable {
        return heap.references(array, MAX_ELEMENTS);
    }

    /**
     * Reports the entries of a HashMap or a ConcurrentHashMap: an array of bins, each a linked list of nodes.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     * @throws Unreadable if an object cannot be read; the exception has the reason
     */
    public void entries(long map, Entry each) throws MemoryFault, BadMetadata, Unreadable {
        long table = map == 0 ? 0 : in(map, "table");
        if (table == 0) {
            return;
        }
        for (long bin : elements(table)) {
            if (bin == 0) {
                continue;
            }
            for (long node = has(bin, "first") ? in(bin, "first") : bin; node != 0; node = in(node, "next")) {
                if (has(node, "nextTable") || ++entries > MAX_ENTRIES) {
                    // The map is being resized, or the list is cyclic.
                    throw new Unreadable(entries > MAX_ENTRIES ? Unread.TOO_LONG : Unread.MOVING);
                }
                each.entry(in(node, "key"), in(node, has(node, "val") ? "val" : "value"));
            }
        }
    }

    private int field(long object, String name) throws MemoryFault, BadMetadata {
        Integer offset = inherited(object, name);
        if (offset == null) {
            throw new BadMetadata("an object without its field " + name);
        }
        return offset;
    }

    /** Returns the offset of a field of an object's class or its superclasses, or null if there is none. */
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

    /**
     * Returns the offsets of the fields that the VM has added to the class of an object: {@link
     * InstanceFields#injected}.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public List<Integer> injected(long object) throws MemoryFault, BadMetadata {
        return of(heap.klass(object)).injected();
    }

    /** Forgets the classes of an earlier epoch. */
    public void retainClassesOf(long epoch) {
        if (epoch != classesEpoch) {
            classesEpoch = epoch;
            classes.clear();
        }
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
