package mayfly.hotspot.heap;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.tables.ForgedMemory;
import mayfly.hotspot.tables.Unsigned5;
import mayfly.hotspot.tables.VmField;
import mayfly.runtime.thread.ManagedThreadInfo;

/** A Java heap laid out by a test in a forged VM: the classes that a thread's object needs, and their instances. */
public final class ForgedHeap {
    public static final long HEAP = 0x6_0000_0000L;
    public static final long KLASSES = 0x8_0000_0000L;
    static final int COMPACT_SHIFT = 42;
    private static final int BYTE_ARRAY = 0xc0_00_08_00;
    private static final int FLAG_SIZE = 40;
    /** The offsets of the fields that the VM adds to each class. Their names are no indexes of the pool. */
    static final int[] INJECTED = {200, 208, 212};

    /** The encoding of references between objects and to their classes. */
    public enum Shape {
        NARROW,
        WIDE,
        COMPACT
    }

    public final ForgedVm vm;
    final Shape shape;
    public final ForgedMemory memory;
    public final ForgedMemory.Region objects;
    public final ForgedMemory.Region klasses;
    public final Map<String, Integer> offsets = new LinkedHashMap<>();
    final Map<String, Long> flags = new LinkedHashMap<>();
    public final long byteArrayKlass;
    public final long threadKlass;
    public final long collectedHeap;
    /** The object of the VM's one thread, its String, the String's array, and the object with its state. */
    public long thread;

    public long string;
    public long array;
    public long holder;

    public ForgedHeap(ForgedVm vm, Shape shape, String... setFlags) {
        this.vm = vm;
        this.shape = shape;
        memory = vm.memory;
        objects = memory.map(HEAP, 1 << 20);
        klasses = memory.map(KLASSES, 1 << 16);
        objects.allocate(16);
        klasses.allocate(16);
        memory.putLong(vm.at(VmField.NARROW_OOP_SHIFT), 3);
        memory.putLong(vm.at(VmField.NARROW_KLASS_BASE), KLASSES);
        vm.intConstants.put("markWord::klass_shift", COMPACT_SHIFT);
        writeFlags(setFlags);
        // A ZHeap is longer than its described fields.
        collectedHeap = vm.heap.allocate(vm.groupSize("CollectedHeap") + 512);
        memory.putLong(vm.at(VmField.COLLECTED_HEAP), collectedHeap);
        byteArrayKlass = klasses.allocate(vm.groupSize("Klass"));
        int header = arrayLength() + 4;
        memory.putInt(byteArrayKlass + vm.at(VmField.KLASS_LAYOUT_HELPER), BYTE_ARRAY | header << 16);
        threadKlass = klass(
                VmField.THREAD_KLASS,
                vm.feature >= 19
                        ? new String[] {"eetop", "tid", "name", "interrupted", "holder", "parkBlocker"}
                        : new String[] {"name", "priority", "daemon", "eetop", "tid", "threadStatus", "parkBlocker"});
        if (vm.feature >= 19) {
            klass(VmField.FIELD_HOLDER_KLASS, "group", "priority", "daemon", "threadStatus");
        }
        klass(VmField.STRING_KLASS, "value", "coder", "hash");
    }

    private void writeFlags(String... set) {
        flags.put("UseCompressedOops", shape == Shape.WIDE ? 0L : 1L);
        flags.put("UseCompressedClassPointers", shape == Shape.WIDE ? 0L : 1L);
        flags.put("UseCompactObjectHeaders", shape == Shape.COMPACT ? 1L : 0L);
        flags.put("UseSomethingElse", 1L);
        for (String flag : set) {
            flags.put(flag.substring(1), flag.startsWith("+") ? 1L : 0L);
        }
        vm.sizes.put("JVMFlag", (long) FLAG_SIZE);
        long table = vm.library.allocate(FLAG_SIZE * (flags.size() + 1));
        memory.putLong(vm.at(VmField.FLAGS), table);
        memory.putLong(vm.at(VmField.FLAGS_COUNT), flags.size() + 1);
        for (Map.Entry<String, Long> flag : flags.entrySet()) {
            long value = vm.library.allocate(8);
            memory.putByte(value, flag.getValue().intValue());
            memory.putLong(table + vm.at(VmField.FLAG_NAME), memory.string(vm.library, flag.getKey()));
            memory.putLong(table + vm.at(VmField.FLAG_ADDRESS), value);
            table += FLAG_SIZE;
        }
    }

    /**
     * Adds an InstanceKlass with these fields, 8 bytes each from offset 16 on, after a static field with the name of
     * the first.
     */
    private long klass(VmField where, String... names) {
        long klass = klass(names);
        memory.putLong(vm.at(where), klass);
        return klass;
    }

    private long klass(String... names) {
        long klass = klasses.allocate(vm.groupSize("Klass"));
        int header = vm.groupSize("ConstantPool");
        long pool = vm.heap.allocate(header + 8 * (names.length + 1));
        memory.putInt(pool + vm.at(VmField.POOL_LENGTH), names.length + 1);
        memory.putLong(klass + vm.at(VmField.INSTANCE_KLASS_CONSTANTS), pool);
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        long array = vm.heap.allocate(64 + 12 * (names.length + 1));
        long fields = array + vm.at(VmField.METASPACE_ARRAY_U2_DATA);
        stream.writeBytes(Unsigned5.encode(names.length + 1, 1));
        stream.writeBytes(Unsigned5.encode(INJECTED.length, 1));
        for (int i = 0; i <= names.length; i++) {
            if (names.length == 0) {
                break;
            }
            int name = Math.max(i, 1);
            int access = i == 0 ? 0x0008 : 0x0002;
            int offset = i == 0 ? 104 : 8 + 8 * i;
            offsets.put(names[name - 1], offset);
            memory.putLong(pool + header + 8L * name, vm.symbol(names[name - 1]));
            field(stream, fields + 12L * i, name, access, offset);
        }
        for (int offset : INJECTED) {
            for (int number : new int[] {4711, 1, offset, 0x0002, 0}) {
                stream.writeBytes(Unsigned5.encode(number, 1));
            }
        }
        if (vm.feature >= 21) {
            long bytes = vm.heap.allocate(64 + stream.size());
            memory.putInt(bytes + vm.at(VmField.METASPACE_ARRAY_LENGTH), stream.size());
            memory.put(bytes + vm.at(VmField.METASPACE_ARRAY_U1_DATA), stream.toByteArray());
            memory.putLong(klass + vm.at(VmField.INSTANCE_KLASS_FIELDINFO_STREAM), bytes);
        } else {
            memory.putInt(array + vm.at(VmField.METASPACE_ARRAY_LENGTH), 6 * (names.length + 1));
            memory.putLong(klass + vm.at(VmField.INSTANCE_KLASS_FIELDS), array);
            memory.putShort(klass + vm.at(VmField.INSTANCE_KLASS_JAVA_FIELDS_COUNT), names.length + 1);
        }
        return klass;
    }

    /** Adds one field in both encodings. Every second field has all optional numbers. */
    private void field(ByteArrayOutputStream stream, long slots, int name, int access, int offset) {
        int flags = name % 2 == 0 ? 0b10101 : 0;
        for (int number : new int[] {name, 1, offset, access, flags}) {
            stream.writeBytes(Unsigned5.encode(number, 1));
        }
        for (int i = 0; i < Integer.bitCount(flags); i++) {
            stream.writeBytes(Unsigned5.encode(77, 1));
        }
        if (vm.feature < 21) {
            memory.putShort(slots, access);
            memory.putShort(slots + 2, name);
            memory.putInt(slots + 8, offset << 2 | 1);
        }
    }

    private int arrayLength() {
        return switch (shape) {
            case NARROW -> 12;
            case WIDE -> 16;
            case COMPACT -> 8;
        };
    }

    /** Creates an object for the VM's thread. */
    public ForgedHeap withThread(String name, int vmState, int status, boolean daemon, long number) {
        thread = objects.allocate(128);
        holder = vm.feature >= 19 ? objects.allocate(64) : thread;
        putString(name, name.chars().allMatch(c -> c < 256));
        memory.putLong(thread + offsets.get("eetop"), vm.thread);
        memory.putLong(thread + offsets.get("tid"), number);
        putReference(thread + offsets.get("name"), string);
        if (vm.feature >= 19) {
            putReference(thread + offsets.get("holder"), holder);
        }
        memory.putInt(holder + offsets.get("threadStatus"), status);
        memory.putByte(holder + offsets.get("daemon"), daemon ? 1 : 0);
        memory.putInt(vm.thread + vm.at(VmField.THREAD_STATE), vmState);
        putRoot(VmField.THREAD_OBJECT, thread);
        if (vm.feature >= 21) {
            putRoot(VmField.THREAD_VTHREAD, thread);
        }
        return this;
    }

    public void putString(String text, boolean latin1) {
        byte[] bytes = latin1 ? text.getBytes(StandardCharsets.ISO_8859_1) : new byte[2 * text.length()];
        for (int i = 0; !latin1 && i < text.length(); i++) {
            bytes[2 * i] = (byte) text.charAt(i);
            bytes[2 * i + 1] = (byte) (text.charAt(i) >> 8);
        }
        string = objects.allocate(48);
        array = objects.allocate(32 + bytes.length);
        putReference(string + offsets.get("value"), array);
        memory.putByte(string + offsets.get("coder"), latin1 ? 0 : 1);
        putKlass(array, byteArrayKlass);
        memory.putInt(array + arrayLength(), bytes.length);
        memory.put(array + arrayLength() + 4, bytes);
    }

    /** Writes the class of an object. */
    public void putKlass(long object, long klass) {
        switch (shape) {
            case NARROW -> memory.putInt(object + 8, (int) (klass - KLASSES));
            case WIDE -> memory.putLong(object + 8, klass);
            case COMPACT -> memory.putLong(object, klass - KLASSES << COMPACT_SHIFT | 1);
        }
    }

    /** Creates an object of a new class with these fields. */
    public long object(String internalClass, String... fields) {
        long object = objects.allocate(128);
        putKlass(object, klassOf(internalClass, fields));
        return object;
    }

    /** Creates a class with these fields. */
    public long klassOf(String internalClass, String... fields) {
        long klass = klass(fields);
        memory.putLong(klass + vm.at(VmField.KLASS_NAME), vm.symbol(internalClass));
        return klass;
    }

    public void putArrayLength(int length) {
        memory.putInt(array + arrayLength(), length);
    }

    /** Writes a reference to an object into a field of another. */
    public void putReference(long field, long object) {
        if (shape == Shape.WIDE) {
            memory.putLong(field, object);
        } else {
            memory.putInt(field, (int) (object >>> 3));
        }
    }

    /** Writes a reference to an object at the address that a handle in the JavaThread contains. */
    public long putRoot(VmField field, long reference) {
        long slot = vm.heap.allocate(8);
        memory.putLong(slot, reference);
        memory.putLong(vm.thread + vm.at(field), slot);
        return slot;
    }

    /** Returns the VM's data on its thread, from a newly opened VM. */
    public ManagedThreadInfo info() throws Exception {
        HotSpot open = vm.open();
        return open.info(open.threads().getFirst());
    }
}
