package mayfly.hotspot.heap;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.UncachedMemory;
import mayfly.hotspot.tables.Unreadable;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmFlags;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.Unread;

/**
 * The current objects of a JVM's heap, for every collector: references, classes, arrays of bytes.
 *
 * <p>Data read from an object is valid only if the reference to it is unchanged afterwards, and no collection has run
 * meanwhile. During a stop-the-world pause a reference may already point to a location to which its object has not been
 * copied yet.
 */
public final class JavaHeap {
    private static final List<VmField> NEEDS = List.of(
            VmField.NARROW_OOP_BASE,
            VmField.NARROW_OOP_SHIFT,
            VmField.NARROW_KLASS_BASE,
            VmField.NARROW_KLASS_SHIFT,
            VmField.KLASS_LAYOUT_HELPER,
            VmField.COLLECTED_HEAP,
            VmField.HEAP_IS_STW_GC_ACTIVE,
            VmField.HEAP_TOTAL_COLLECTIONS);
    /** The flags that determine the layout of objects and references, with the value for a VM without the flag. */
    private static final Map<String, Boolean> FLAGS = Map.of(
            "UseCompressedOops",
            true,
            "UseCompressedClassPointers",
            true,
            "UseCompactObjectHeaders",
            false,
            "UseShenandoahGC",
            false,
            "UseZGC",
            false,
            "ZGenerational",
            true);
    /** Returned in place of a count of collections while objects are moved in a stop-the-world pause. */
    public static final long COLLECTING = -1;

    private static final int MAX_SHIFT = 10;
    private static final int MARK_BYTES = 8;
    /**
     * The fields of Klass::layout_helper of an array: its kind, the size of its header, the type and log size of its
     * elements.
     */
    private static final int TYPE_ARRAY = 0xc0;

    private static final int T_BYTE = 8;
    private static final int OBJECT_ARRAY = 0x80;

    /**
     * The location of the class in an object's header, and the size of that header in bytes; in an array the length
     * follows the header.
     */
    private enum Header {
        /** In the upper bits of the mark word, -XX:+UseCompactObjectHeaders. */
        COMPACT(8),
        /** 32 bits after the mark word. */
        NARROW_KLASS(12),
        /** A pointer after the mark word. */
        WIDE_KLASS(16);

        final int length;

        Header(int length) {
            this.length = length;
        }
    }

    private final Memory memory;
    private final Memory metadata;
    private final VmLayout layout;
    private final LoadBarrier barrier;
    private final long collectedHeap;
    private final Header header;
    private final boolean narrow;
    private final long oopBase;
    private final int oopShift;
    private final long klassBase;
    private final int klassShift;

    /**
     * Creates a heap whose objects are read at the moment of each call.
     *
     * @param metadata the target's memory; data that does not move may come from its cache
     * @param referenceShifts see {@code SiteDecoder.referenceShifts}
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     * @throws Unreadable if the layout of objects cannot be determined
     */
    public JavaHeap(Memory metadata, VmLayout layout, List<Integer> referenceShifts)
            throws MemoryFault, BadMetadata, Unreadable {
        this(metadata, new UncachedMemory(metadata), layout, referenceShifts);
    }

    /**
     * Creates a heap.
     *
     * @param metadata the target's memory; data that does not move may come from its cache
     * @param memory the target's memory, from which objects and the state of collections are read
     * @param referenceShifts see {@code SiteDecoder.referenceShifts}
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     * @throws Unreadable if the layout of objects cannot be determined
     */
    public JavaHeap(Memory metadata, Memory memory, VmLayout layout, List<Integer> referenceShifts)
            throws MemoryFault, BadMetadata, Unreadable {
        if (!layout.hasAll(NEEDS) || !layout.hasAll(VmFlags.NEEDS)) {
            throw new Unreadable(Unread.NOT_DESCRIBED);
        }
        this.metadata = metadata;
        this.layout = layout;
        this.memory = memory;
        VmFlags flags = new VmFlags(metadata, layout, FLAGS);
        narrow = flags.isSet("UseCompressedOops");
        header = header(flags);
        oopBase = narrow ? metadata.readLong(layout.at(VmField.NARROW_OOP_BASE)) : 0;
        oopShift = narrow ? shift(metadata.readInt(layout.at(VmField.NARROW_OOP_SHIFT))) : 0;
        // Values that are not used may be unset: without compressed class pointers the shift is -1 in JDK 25.
        boolean narrowKlass = header != Header.WIDE_KLASS;
        klassBase = narrowKlass ? metadata.readLong(layout.at(VmField.NARROW_KLASS_BASE)) : 0;
        klassShift = narrowKlass ? shift(metadata.readInt(layout.at(VmField.NARROW_KLASS_SHIFT))) : 0;
        if (header == Header.COMPACT && layout.markKlassShift < Integer.SIZE) {
            throw new BadMetadata("a class in the upper bits from " + layout.markKlassShift + " on");
        }
        barrier = LoadBarriers.of(flags, memory, layout, referenceShifts);
        collectedHeap = metadata.readLong(layout.at(VmField.COLLECTED_HEAP));
    }

    private static Header header(VmFlags flags) {
        if (flags.isSet("UseCompactObjectHeaders")) {
            return Header.COMPACT;
        }
        return flags.isSet("UseCompressedClassPointers") ? Header.NARROW_KLASS : Header.WIDE_KLASS;
    }

    private static int shift(int shift) throws BadMetadata {
        if (shift < 0 || shift > MAX_SHIFT) {
            throw new BadMetadata("narrow pointers shifted by " + shift);
        }
        return shift;
    }

    /**
     * Returns the number of collections begun so far, or {@link #COLLECTING} during a stop-the-world collection.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    public long collections() throws MemoryFault {
        // A collection that begins after the count was read is seen by its flag, or by the next count.
        int count = memory.readInt(collectedHeap + layout.at(VmField.HEAP_TOTAL_COLLECTIONS));
        return memory.readByte(collectedHeap + layout.at(VmField.HEAP_IS_STW_GC_ACTIVE)) != 0
                ? COLLECTING
                : Integer.toUnsignedLong(count);
    }

    /**
     * Returns the object that a slot outside the heap refers to; 0 for null.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public long root(long slot) throws MemoryFault, BadMetadata {
        return object(barrier.resolve(memory.readLong(slot)));
    }

    /**
     * Returns the object that a slot on a stack refers to; 0 for null.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public long local(long slot) throws MemoryFault, BadMetadata {
        return object(barrier.resolveLocal(memory.readLong(slot)));
    }

    /**
     * Returns the object that a reference copied from a stack refers to; 0 for null.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     * @throws Unreadable if a relocation has perhaps moved the object since the thread ran
     */
    public long copied(long reference) throws MemoryFault, BadMetadata, Unreadable {
        if (reference != 0 && barrier.isAmbiguous(reference)) {
            throw new Unreadable(Unread.MOVING);
        }
        return object(barrier.resolveLocal(reference));
    }

    /**
     * Returns the object that a compressed reference copied from a stack refers to; 0 for null.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     * @throws Unreadable as for {@link #copied}
     */
    public long copiedNarrow(long reference) throws MemoryFault, BadMetadata, Unreadable {
        return reference == 0 ? 0 : copied(oopBase + (reference << oopShift));
    }

    /** Resolves a reference of one form. */
    private interface Form {
        long object() throws MemoryFault, BadMetadata, Unreadable;
    }

    /**
     * Returns the objects to which a word can refer whose form is not known: as on a stack, as in the heap, or
     * compressed. Usually at most one of them exists. A stack chunk has references of each form, as its flags say.
     *
     * @throws MemoryFault if the word cannot be read
     */
    public Set<Long> possible(long word) throws MemoryFault {
        long value = memory.readLong(word);
        Set<Long> objects = new HashSet<>();
        add(() -> copied(value), objects);
        if (!narrow) {
            add(() -> root(word), objects);
        } else if (value >>> Integer.SIZE == 0) {
            add(() -> copiedNarrow(value), objects);
        }
        objects.remove(0L);
        return objects;
    }

    private static void add(Form form, Set<Long> to) {
        try {
            to.add(form.object());
        } catch (MemoryFault | BadMetadata | Unreadable e) {
            return; // it has another form, or is not known
        }
    }

    /**
     * Returns the object that a field in the heap refers to; 0 for null.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public long reference(long field) throws MemoryFault, BadMetadata {
        if (!narrow) {
            return root(field);
        }
        long value = Integer.toUnsignedLong(memory.readInt(field));
        return value == 0 ? 0 : object(barrier.resolve(oopBase + (value << oopShift)));
    }

    private static long object(long address) throws BadMetadata {
        if ((address & 7) != 0 || address >>> 47 != 0) {
            throw new BadMetadata("no object at 0x" + Long.toHexString(address));
        }
        return address;
    }

    /**
     * Returns the 32-bit number at an address of the target.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    public int readInt(long address) throws MemoryFault {
        return memory.readInt(address);
    }

    /**
     * Returns the 64-bit number at an address of the target.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    public long readLong(long address) throws MemoryFault {
        return memory.readLong(address);
    }

    /**
     * Returns the byte at an address of the target, 0 to 255.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    public int readByte(long address) throws MemoryFault {
        return memory.readByte(address);
    }

    /**
     * Returns the content of a byte array.
     *
     * @param most the maximum length in bytes
     * @throws Unreadable if the array is longer
     */
    byte[] bytes(long array, int most) throws MemoryFault, BadMetadata, Unreadable {
        int helper = metadata.readInt(klass(array) + layout.at(VmField.KLASS_LAYOUT_HELPER));
        int data = helper >>> 16 & 0xff;
        if (helper >>> 24 != TYPE_ARRAY || (helper >>> 8 & 0xff) != T_BYTE || data < header.length + Integer.BYTES) {
            throw new BadMetadata("no array of bytes at 0x" + Long.toHexString(array));
        }
        int length = memory.readInt(array + header.length);
        if (length < 0) {
            throw new BadMetadata("an array of the length " + length);
        }
        if (length > most) {
            throw new Unreadable(Unread.TOO_LONG);
        }
        byte[] bytes = new byte[length];
        memory.read(array + data, bytes, 0, length);
        return bytes;
    }

    /**
     * Returns the objects that an array of objects refers to; 0 for null.
     *
     * @param most the maximum length
     * @throws Unreadable if the array is longer
     */
    long[] references(long array, int most) throws MemoryFault, BadMetadata, Unreadable {
        ObjectArray all = objectArray(array);
        if (all.length > most) {
            throw new Unreadable(Unread.TOO_LONG);
        }
        long[] elements = new long[all.length];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = element(all, i);
        }
        return elements;
    }

    /**
     * An array of objects.
     *
     * @param first the address of the first reference
     * @param length the number of references, not negative
     */
    public record ObjectArray(long first, int length) {}

    /**
     * Returns the location of the elements of an array of objects.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public ObjectArray objectArray(long array) throws MemoryFault, BadMetadata {
        int helper = metadata.readInt(klass(array) + layout.at(VmField.KLASS_LAYOUT_HELPER));
        int data = helper >>> 16 & 0xff;
        if (helper >>> 24 != OBJECT_ARRAY || data < header.length + Integer.BYTES) {
            throw new BadMetadata("no array of objects at 0x" + Long.toHexString(array));
        }
        int length = memory.readInt(array + header.length);
        if (length < 0) {
            throw new BadMetadata("an array of the length " + length);
        }
        return new ObjectArray(array + data, length);
    }

    /**
     * Returns the object to which an element of an array refers; 0 for null.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public long element(ObjectArray array, int at) throws MemoryFault, BadMetadata {
        return reference(array.first + (narrow ? 4L : 8L) * at);
    }

    /**
     * Returns the Klass of an object.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public long klass(long object) throws MemoryFault, BadMetadata {
        long klass = switch (header) {
            case WIDE_KLASS -> memory.readLong(object + MARK_BYTES);
            case NARROW_KLASS -> narrowKlass(Integer.toUnsignedLong(memory.readInt(object + MARK_BYTES)));
            case COMPACT -> narrowKlass(memory.readLong(object) >>> layout.markKlassShift);
        };
        return object(klass);
    }

    private long narrowKlass(long narrowKlass) {
        return klassBase + (narrowKlass << klassShift);
    }
}
