package mayfly.hotspot;

import java.util.EnumSet;
import java.util.Set;
import mayfly.hotspot.tables.VmField;

/** The fields that a forged VM of an era has, and their structures. */
final class ForgedFields {
    /** The first JDK of the newer era. */
    static final int SPLIT = 23;

    private static final Set<VmField> ONLY_17 = EnumSet.of(
            VmField.BLOB_CODE_BEGIN,
            VmField.BLOB_CODE_END,
            VmField.NMETHOD_VERIFIED_ENTRY_POINT,
            VmField.NMETHOD_DEOPT_HANDLER_BEGIN,
            VmField.NMETHOD_DEOPT_MH_HANDLER_BEGIN,
            VmField.NMETHOD_SCOPES_DATA_BEGIN,
            VmField.NMETHOD_DEPENDENCIES_OFFSET,
            VmField.NMETHOD_METADATA_OFFSET,
            VmField.INSTANCE_KLASS_FIELDS,
            VmField.INSTANCE_KLASS_JAVA_FIELDS_COUNT,
            VmField.X_GLOBALS,
            VmField.X_ADDRESS_GOOD_MASK,
            VmField.X_ADDRESS_BAD_MASK,
            VmField.X_ADDRESS_OFFSET_MASK,
            VmField.X_ALIGNMENT_SMALL_SHIFT,
            VmField.X_COLLECTED_HEAP_HEAP,
            VmField.X_HEAP_FORWARDING_TABLE,
            VmField.X_FORWARDING_TABLE_MAP,
            VmField.X_GRANULE_MAP,
            VmField.X_FORWARDING_VIRTUAL,
            VmField.X_VIRTUAL_START,
            VmField.X_FORWARDING_SHIFT,
            VmField.X_FORWARDING_ENTRIES,
            VmField.X_ATTACHED_LENGTH,
            VmField.Z_HEAP_PAGETABLE,
            VmField.Z_PAGETABLE_MAP,
            VmField.Z_ADDRESS_RANGE_MAP,
            VmField.Z_PAGE_TYPE,
            VmField.Z_PAGE_VIRTUAL,
            VmField.Z_PAGE_FORWARDING,
            VmField.Z_FORWARDING_TABLE_TABLE,
            VmField.Z_FORWARDING_TABLE_SIZE);
    private static final Set<VmField> ONLY_25 = EnumSet.of(
            VmField.BLOB_CODE_OFFSET,
            VmField.BLOB_DATA_OFFSET,
            VmField.BLOB_MUTABLE_DATA,
            VmField.BLOB_MUTABLE_DATA_SIZE,
            VmField.BLOB_RELOCATION_SIZE,
            VmField.NMETHOD_VERIFIED_ENTRY_OFFSET,
            VmField.NMETHOD_DEOPT_HANDLER_OFFSET,
            VmField.NMETHOD_DEOPT_MH_HANDLER_OFFSET,
            VmField.NMETHOD_IMMUTABLE_DATA,
            VmField.NMETHOD_IMMUTABLE_DATA_SIZE,
            VmField.NMETHOD_SCOPES_DATA_OFFSET,
            VmField.CONTINUATION_ENTRY_RETURN_PC,
            VmField.INSTANCE_KLASS_FIELDINFO_STREAM,
            VmField.FIELD_HOLDER_KLASS,
            VmField.THREAD_VTHREAD,
            VmField.THREAD_LOCK_STACK,
            VmField.LOCK_STACK_TOP,
            VmField.LOCK_STACK_BASE,
            VmField.THREAD_MONITOR_OWNER_ID,
            VmField.MONITOR_STACK_LOCKER,
            VmField.Z_GLOBALS,
            VmField.Z_POINTER_LOAD_BAD_MASK,
            VmField.Z_ADDRESS_OFFSET_MASK,
            VmField.Z_COLLECTED_HEAP_HEAP,
            VmField.Z_HEAP_PAGE_ALLOCATOR,
            VmField.Z_HEAP_PAGE_TABLE,
            VmField.Z_FORWARDING_TABLE_MAP,
            VmField.Z_GRANULE_MAP,
            VmField.Z_FORWARDING_VIRTUAL,
            VmField.Z_VIRTUAL_START,
            VmField.Z_FORWARDING_SHIFT,
            VmField.Z_FORWARDING_ENTRIES,
            VmField.Z_ATTACHED_LENGTH);
    private static final Set<VmField> STATIC = EnumSet.of(
            VmField.CODE_CACHE_HEAPS,
            VmField.CODE_CACHE_LOW_BOUND,
            VmField.CODE_CACHE_HIGH_BOUND,
            VmField.INTERPRETER_CODE,
            VmField.CALL_STUB_RETURN_ADDRESS,
            VmField.CONTINUATION_ENTRY_RETURN_PC,
            VmField.JAVA_THREAD_LIST,
            VmField.VM_RELEASE,
            VmField.VM_MAJOR_VERSION,
            VmField.JDK_CURRENT,
            VmField.JAVA_COMMAND,
            VmField.PERF_MEMORY_START,
            VmField.PERF_MEMORY_CAPACITY,
            VmField.THREAD_KLASS,
            VmField.FIELD_HOLDER_KLASS,
            VmField.STRING_KLASS,
            VmField.NARROW_OOP_BASE,
            VmField.NARROW_OOP_SHIFT,
            VmField.NARROW_KLASS_BASE,
            VmField.NARROW_KLASS_SHIFT,
            VmField.FLAGS,
            VmField.FLAGS_COUNT,
            VmField.CLASS_KLASS_OFFSET,
            VmField.GRAPH_HEAD,
            VmField.SYSTEM_KLASS,
            VmField.COLLECTED_HEAP,
            VmField.X_GLOBALS,
            VmField.Z_GLOBALS);

    private final int feature;

    ForgedFields(int feature) {
        this.feature = feature;
    }

    boolean has(VmField field) {
        return !(feature >= SPLIT ? ONLY_17 : ONLY_25).contains(field);
    }

    static boolean isStatic(VmField field) {
        return STATIC.contains(field);
    }

    /** Returns the field's name in the VM's tables. */
    String name(VmField field) {
        return feature >= SPLIT ? field.names().getFirst() : field.names().getLast();
    }

    /**
     * Returns the structure that contains a field. If one type is the base of another, their fields share one
     * structure.
     */
    String group(VmField field) {
        String type = name(field).substring(0, name(field).indexOf('.'));
        return switch (type) {
            case "CompiledMethod", "nmethod" -> "CodeBlob";
            case "Thread" -> "JavaThread";
            case "InstanceKlass" -> "Klass";
            case "Array<u1>", "Array<u2>" -> "Array<int>";
            case "XCollectedHeap", "ZCollectedHeap" -> "CollectedHeap";
            case "GrowableArray<int>", "GenericGrowableArray" -> "GrowableArrayBase";
            default -> type;
        };
    }
}
