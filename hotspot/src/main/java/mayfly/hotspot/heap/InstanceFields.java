package mayfly.hotspot.heap;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.CompressedBytes;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import org.jspecify.annotations.Nullable;

/**
 * The offsets of the fields of one Java class, by name: instance fields in its instances, static fields in its mirror.
 * The InstanceKlass describes only the fields it declares, not those of its superclasses.
 *
 * <p>Up to JDK 20 the description is an array of 16-bit numbers, since JDK 21 a stream of compressed numbers; see
 * fieldInfo.hpp.
 */
public final class InstanceFields {
    static final List<VmField> NEEDS = List.of(VmField.INSTANCE_KLASS_CONSTANTS, VmField.METASPACE_ARRAY_LENGTH);
    private static final List<VmField> NEEDS_ARRAY = List.of(
            VmField.INSTANCE_KLASS_FIELDS, VmField.INSTANCE_KLASS_JAVA_FIELDS_COUNT, VmField.METASPACE_ARRAY_U2_DATA);
    private static final List<VmField> NEEDS_STREAM =
            List.of(VmField.INSTANCE_KLASS_FIELDINFO_STREAM, VmField.METASPACE_ARRAY_U1_DATA);
    /** Upper bound on the fields of a class. The classes read here have about 30. */
    private static final int MAX_FIELDS = 1000;

    private static final int MAX_STREAM = 64 * 1024;
    private static final int MAX_NAME = 256;
    /** Upper bound on an offset. No field of a class read here has a larger offset. */
    private static final int MAX_OFFSET = 4096;

    private static final int JVM_ACC_STATIC = 0x0008;

    /** The FieldInfo of JDK 11 to 20: access flags, name, signature, initial value, low and high half of the offset. */
    private static final int SLOTS = 6;

    private static final int NAME_SLOT = 1;
    private static final int LOW_SLOT = 4;
    private static final int TAG_SIZE = 2;
    private static final int TAG_OFFSET = 1;

    /** FieldInfo::FieldFlags since JDK 21: the flags of a field that add one more number each. */
    private static final int[] WITH_ONE_MORE = {1 << 0, 1 << 2, 1 << 4};

    private final Memory memory;
    private final VmLayout layout;
    private final JdkRules rules;
    private final Map<String, Integer> offsets = new HashMap<>();
    private final Map<String, Integer> statics = new HashMap<>();
    private final List<Integer> injected = new ArrayList<>();

    /**
     * Reads the fields that a class itself declares, without those of its superclasses.
     *
     * @param klass the address of the Klass
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public InstanceFields(Memory memory, VmLayout layout, JdkRules rules, long klass) throws MemoryFault, BadMetadata {
        this.memory = memory;
        this.layout = layout;
        this.rules = rules;
        if (layout.has(VmField.INSTANCE_KLASS_FIELDINFO_STREAM)) {
            readStream(klass);
        } else {
            readArray(klass);
        }
    }

    public static boolean isDescribed(VmLayout layout) {
        return layout.hasAll(NEEDS) && (layout.hasAll(NEEDS_STREAM) || layout.hasAll(NEEDS_ARRAY));
    }

    /** Returns the offset of an instance field, or null if the class has none of that name. */
    @Nullable
    public Integer offset(String name) {
        return offsets.get(name);
    }

    /**
     * Returns the offset of a field that the class must have.
     *
     * @throws BadMetadata if the class has no such field
     */
    public int require(String name) throws BadMetadata {
        Integer offset = offsets.get(name);
        if (offset == null) {
            throw new BadMetadata("a class without its field " + name);
        }
        return offset;
    }

    /**
     * Returns the offset of a static field in the Class object, or null if the class has none of that name.
     */
    @Nullable
    Integer offsetOfStatic(String name) {
        return statics.get(name);
    }

    /** Returns the offset of a static field in the Class object. */
    int requireStatic(String name) throws BadMetadata {
        Integer offset = statics.get(name);
        if (offset == null) {
            throw new BadMetadata("a class without its static field " + name);
        }
        return offset;
    }

    /**
     * Returns the offsets of the fields that the VM has added to the class, in the order in which javaClasses.hpp
     * declares them. Empty up to JDK 20.
     */
    public List<Integer> injected() {
        return List.copyOf(injected);
    }

    private void readArray(long klass) throws MemoryFault, BadMetadata {
        long array = memory.readLong(klass + layout.at(VmField.INSTANCE_KLASS_FIELDS));
        int length = memory.readInt(array + layout.at(VmField.METASPACE_ARRAY_LENGTH));
        int count = memory.readShort(klass + layout.at(VmField.INSTANCE_KLASS_JAVA_FIELDS_COUNT));
        if (count > MAX_FIELDS || length < count * SLOTS) {
            throw new BadMetadata(count + " fields in " + length + " numbers");
        }
        for (int i = 0; i < count; i++) {
            long field = array + layout.at(VmField.METASPACE_ARRAY_U2_DATA) + 2L * SLOTS * i;
            int packed = memory.readInt(field + 2L * LOW_SLOT);
            if ((packed & (1 << TAG_SIZE) - 1) == TAG_OFFSET) {
                put(klass, memory.readShort(field + 2L * NAME_SLOT), packed >>> TAG_SIZE, memory.readShort(field));
            }
        }
    }

    private void readStream(long klass) throws MemoryFault, BadMetadata {
        long array = memory.readLong(klass + layout.at(VmField.INSTANCE_KLASS_FIELDINFO_STREAM));
        int length = memory.readInt(array + layout.at(VmField.METASPACE_ARRAY_LENGTH));
        if (length <= 0 || length > MAX_STREAM) {
            throw new BadMetadata("fields in " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        memory.read(array + layout.at(VmField.METASPACE_ARRAY_U1_DATA), bytes, 0, length);
        CompressedBytes in = new CompressedBytes(bytes, 0, rules.unsigned5ExcludedBytes());
        int count = in.readUnsigned();
        int injectedCount = in.readUnsigned();
        if (count < 0 || count > MAX_FIELDS || injectedCount < 0 || injectedCount > MAX_FIELDS) {
            throw new BadMetadata(count + " fields, and " + injectedCount + " injected ones");
        }
        for (int i = 0; i < count + injectedCount; i++) {
            int name = in.readUnsigned();
            in.readUnsigned(); // the signature
            int offset = in.readUnsigned();
            int access = in.readUnsigned();
            int flags = in.readUnsigned();
            for (int flag : WITH_ONE_MORE) {
                if ((flags & flag) != 0) {
                    in.readUnsigned();
                }
            }
            if (i < count) {
                put(klass, name, offset, access);
            } else {
                injected.add(offset); // its name is an index of the VM's own symbols
            }
        }
    }

    private void put(long klass, int nameIndex, int offset, int access) throws MemoryFault, BadMetadata {
        long pool = memory.readLong(klass + layout.at(VmField.INSTANCE_KLASS_CONSTANTS));
        int poolLength = memory.readInt(pool + layout.at(VmField.POOL_LENGTH));
        if (nameIndex <= 0 || nameIndex >= poolLength || offset <= 0 || offset > MAX_OFFSET) {
            throw new BadMetadata("a field of the name " + nameIndex + " at " + offset);
        }
        long symbol = memory.readLong(pool + layout.constantPoolSize + 8L * nameIndex);
        int length = memory.readShort(symbol + layout.at(VmField.SYMBOL_LENGTH));
        if (length <= MAX_NAME) {
            byte[] name = new byte[length];
            memory.read(symbol + layout.at(VmField.SYMBOL_BODY), name, 0, length);
            Map<String, Integer> into = (access & JVM_ACC_STATIC) != 0 ? statics : offsets;
            into.put(new String(name, java.nio.charset.StandardCharsets.ISO_8859_1), offset);
        }
    }
}
