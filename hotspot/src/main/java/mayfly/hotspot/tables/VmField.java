package mayfly.hotspot.tables;

import java.util.List;

/**
 * Every field of the VM that Mayfly reads, by HotSpot's own names. A row lists the names that the field has had,
 * {@code Type.field}; the first one that a VM describes is used.
 *
 * <p>All differences between JDKs are in this class and in {@link JdkRules}.
 */
public enum VmField {
    ARRAY_LEN(true, "GrowableArrayBase._len", "GenericGrowableArray._len"),
    ARRAY_DATA(true, "GrowableArray<int>._data"),

    CODE_CACHE_HEAPS(true, "CodeCache._heaps"),
    CODE_CACHE_LOW_BOUND(true, "CodeCache._low_bound"),
    CODE_CACHE_HIGH_BOUND(true, "CodeCache._high_bound"),
    CODE_HEAP_MEMORY(true, "CodeHeap._memory"),
    CODE_HEAP_SEGMAP(true, "CodeHeap._segmap"),
    CODE_HEAP_LOG2_SEGMENT_SIZE(true, "CodeHeap._log2_segment_size"),
    VIRTUAL_SPACE_LOW(true, "VirtualSpace._low"),
    VIRTUAL_SPACE_HIGH(true, "VirtualSpace._high"),
    HEAP_BLOCK_LENGTH(true, "HeapBlock::Header._length"),
    HEAP_BLOCK_USED(true, "HeapBlock::Header._used"),

    BLOB_NAME(true, "CodeBlob._name"),
    BLOB_SIZE(true, "CodeBlob._size"),
    BLOB_FRAME_SIZE(true, "CodeBlob._frame_size"),
    BLOB_FRAME_COMPLETE(true, "CodeBlob._frame_complete_offset"),
    /** A pointer up to JDK 22. */
    BLOB_CODE_BEGIN(false, "CodeBlob._code_begin"),
    BLOB_CODE_END(false, "CodeBlob._code_end"),
    /** Offsets from the blob, since JDK 23. */
    BLOB_CODE_OFFSET(false, "CodeBlob._code_offset"),
    BLOB_DATA_OFFSET(false, "CodeBlob._data_offset"),
    BLOB_MUTABLE_DATA(false, "CodeBlob._mutable_data"),
    BLOB_MUTABLE_DATA_SIZE(false, "CodeBlob._mutable_data_size"),
    BLOB_RELOCATION_SIZE(false, "CodeBlob._relocation_size"),

    NMETHOD_METHOD(true, "nmethod._method", "CompiledMethod._method"),
    NMETHOD_COMPILE_ID(true, "nmethod._compile_id"),
    NMETHOD_COMP_LEVEL(true, "nmethod._comp_level"),
    NMETHOD_ENTRY_BCI(true, "nmethod._entry_bci"),
    NMETHOD_ORIG_PC_OFFSET(true, "nmethod._orig_pc_offset"),
    NMETHOD_SCOPES_PCS_OFFSET(true, "nmethod._scopes_pcs_offset"),
    NMETHOD_OSR_ENTRY_POINT(true, "nmethod._osr_entry_point"),
    /** A pointer up to JDK 22, then an offset from the code's start. */
    NMETHOD_VERIFIED_ENTRY_POINT(false, "nmethod._verified_entry_point"),
    NMETHOD_VERIFIED_ENTRY_OFFSET(false, "nmethod._verified_entry_offset"),
    NMETHOD_DEOPT_HANDLER_BEGIN(false, "CompiledMethod._deopt_handler_begin", "nmethod._deopt_handler_begin"),
    NMETHOD_DEOPT_MH_HANDLER_BEGIN(false, "CompiledMethod._deopt_mh_handler_begin", "nmethod._deopt_mh_handler_begin"),
    NMETHOD_DEOPT_HANDLER_OFFSET(false, "nmethod._deopt_handler_offset", "nmethod._deopt_handler_entry_offset"),
    NMETHOD_DEOPT_MH_HANDLER_OFFSET(false, "nmethod._deopt_mh_handler_offset"),
    /** A pointer in the blob up to JDK 22. */
    NMETHOD_SCOPES_DATA_BEGIN(false, "CompiledMethod._scopes_data_begin", "nmethod._scopes_data_begin"),
    NMETHOD_DEPENDENCIES_OFFSET(false, "nmethod._dependencies_offset"),
    NMETHOD_METADATA_OFFSET(false, "nmethod._metadata_offset"),
    /** Described up to JDK 22; since then the references are at the start of the blob's data. */
    NMETHOD_OOPS_OFFSET(false, "nmethod._oops_offset"),
    /** Separate data since JDK 23. */
    NMETHOD_IMMUTABLE_DATA(false, "nmethod._immutable_data"),
    NMETHOD_IMMUTABLE_DATA_SIZE(false, "nmethod._immutable_data_size"),
    NMETHOD_SCOPES_DATA_OFFSET(false, "nmethod._scopes_data_offset"),
    /** A two-byte offset from the immutable data since JDK 23; a four-byte offset from the nmethod before. */
    NMETHOD_IMPLICIT_EXCEPTIONS_OFFSET(false, "nmethod._nul_chk_table_offset"),
    BLOB_OOP_MAPS(false, "CodeBlob._oop_maps"),
    OOP_MAPS_COUNT(false, "ImmutableOopMapSet._count"),
    OOP_MAP_PC_OFFSET(false, "ImmutableOopMapPair._pc_offset"),
    PC_DESC_PC_OFFSET(true, "PcDesc._pc_offset"),
    PC_DESC_SCOPE_DECODE_OFFSET(true, "PcDesc._scope_decode_offset"),
    /** Used only for the classes of objects that compiled code does not allocate. */
    PC_DESC_OBJ_DECODE_OFFSET(false, "PcDesc._obj_decode_offset"),

    METHOD_CONST_METHOD(true, "Method._constMethod"),
    METHOD_ACCESS_FLAGS(true, "Method._access_flags"),
    CONST_METHOD_CONSTANTS(true, "ConstMethod._constants"),
    CONST_METHOD_FLAGS(true, "ConstMethod._flags._flags", "ConstMethod._flags"),
    CONST_METHOD_CODE_SIZE(true, "ConstMethod._code_size"),
    CONST_METHOD_NAME_INDEX(true, "ConstMethod._name_index"),
    CONST_METHOD_SIGNATURE_INDEX(true, "ConstMethod._signature_index"),
    POOL_HOLDER(true, "ConstantPool._pool_holder"),
    POOL_LENGTH(true, "ConstantPool._length"),
    /** The index in the pool of the name of the class's source file, 0 for none; in the class up to JDK 15. */
    POOL_SOURCE_FILE(false, "ConstantPool._source_file_name_index"),
    KLASS_SOURCE_FILE(false, "InstanceKlass._source_file_name_index"),
    KLASS_NAME(true, "Klass._name"),
    /** Used only with a constant that gives the meaning of one of its bits. Described up to JDK 20. */
    INSTANCE_KLASS_MISC_FLAGS(false, "InstanceKlass._misc_flags"),
    SYMBOL_LENGTH(true, "Symbol._length"),
    SYMBOL_BODY(true, "Symbol._body"),

    INTERPRETER_CODE(true, "AbstractInterpreter._code"),
    STUB_QUEUE_BUFFER(true, "StubQueue._stub_buffer"),
    STUB_QUEUE_LIMIT(true, "StubQueue._buffer_limit"),
    STUB_QUEUE_BEGIN(true, "StubQueue._queue_begin"),
    STUB_QUEUE_END(true, "StubQueue._queue_end"),
    CODELET_DESCRIPTION(true, "InterpreterCodelet._description"),
    CODELET_SIZE(true, "InterpreterCodelet._size"),
    CODELET_BYTECODE(true, "InterpreterCodelet._bytecode"),
    CALL_STUB_RETURN_ADDRESS(true, "StubRoutines._call_stub_return_address"),
    /**
     * The return address in Continuation.enterSpecial; null until the VM sets it, see {@link Continuations}. JDK 19 to
     * 21 have it but do not describe it.
     */
    CONTINUATION_ENTRY_RETURN_PC(false, "ContinuationEntry._return_pc"),

    /** The list and its array are described since JDK 12; before, only the chain of threads is. */
    JAVA_THREAD_LIST(false, "ThreadsSMRSupport._java_thread_list"),
    THREADS_LENGTH(false, "ThreadsList._length"),
    THREADS_THREADS(false, "ThreadsList._threads"),
    FIRST_THREAD(false, "Threads._thread_list"),
    NEXT_THREAD(false, "JavaThread._next"),
    THREAD_OSTHREAD(true, "JavaThread._osthread", "Thread._osthread"),
    THREAD_ANCHOR(true, "JavaThread._anchor"),
    ANCHOR_LAST_JAVA_SP(true, "JavaFrameAnchor._last_Java_sp"),
    ANCHOR_LAST_JAVA_PC(true, "JavaFrameAnchor._last_Java_pc"),
    ANCHOR_LAST_JAVA_FP(true, "JavaFrameAnchor._last_Java_fp"),
    OSTHREAD_THREAD_ID(true, "OSThread._thread_id"),

    /**
     * The fields from here to {@link #SYSTEM_KLASS} are used to read Java threads, flags and the heap, and for an
     * inventory. A VM without them can still be profiled.
     */
    THREAD_STATE(false, "JavaThread._thread_state"),
    THREAD_OBJECT(false, "JavaThread._threadObj"),
    THREAD_ALLOCATED_BYTES(false, "Thread._allocated_bytes"),
    THREAD_TLAB(false, "Thread._tlab"),
    TLAB_START(false, "ThreadLocalAllocBuffer._start"),
    TLAB_TOP(false, "ThreadLocalAllocBuffer._top"),
    TLAB_END(false, "ThreadLocalAllocBuffer._end"),
    /** The mounted virtual thread, or the thread itself. Described since JDK 21. */
    THREAD_VTHREAD(false, "JavaThread._vthread"),
    THREAD_KLASS(
            false,
            "vmClasses._klasses[static_cast<int>(vmClassID::Thread_klass_knum)]",
            "SystemDictionary._well_known_klasses[SystemDictionary::Thread_klass_knum]"),
    /** The class that contains most of a thread's fields since JDK 19. */
    FIELD_HOLDER_KLASS(false, "vmClasses._klasses[static_cast<int>(vmClassID::Thread_FieldHolder_klass_knum)]"),
    STRING_KLASS(
            false,
            "vmClasses._klasses[static_cast<int>(vmClassID::String_klass_knum)]",
            "SystemDictionary._well_known_klasses[SystemDictionary::String_klass_knum]"),
    KLASS_LAYOUT_HELPER(false, "Klass._layout_helper"),
    INSTANCE_KLASS_CONSTANTS(false, "InstanceKlass._constants"),
    /** Six 16-bit numbers for each field, up to JDK 20. */
    INSTANCE_KLASS_FIELDS(false, "InstanceKlass._fields"),
    INSTANCE_KLASS_JAVA_FIELDS_COUNT(false, "InstanceKlass._java_fields_count"),
    /** Compressed numbers, since JDK 21. */
    INSTANCE_KLASS_FIELDINFO_STREAM(false, "InstanceKlass._fieldinfo_stream"),
    METASPACE_ARRAY_LENGTH(false, "Array<int>._length"),
    METASPACE_ARRAY_U1_DATA(false, "Array<u1>._data"),
    METASPACE_ARRAY_U2_DATA(false, "Array<u2>._data"),
    NARROW_OOP_BASE(false, "CompressedOops._base", "CompressedOops._narrow_oop._base", "Universe._narrow_oop._base"),
    NARROW_OOP_SHIFT(
            false, "CompressedOops._shift", "CompressedOops._narrow_oop._shift", "Universe._narrow_oop._shift"),
    NARROW_KLASS_BASE(
            false,
            "CompressedKlassPointers._base",
            "CompressedKlassPointers._narrow_klass._base",
            "Universe._narrow_klass._base"),
    NARROW_KLASS_SHIFT(
            false,
            "CompressedKlassPointers._shift",
            "CompressedKlassPointers._narrow_klass._shift",
            "Universe._narrow_klass._shift"),
    FLAGS(false, "JVMFlag.flags"),
    FLAGS_COUNT(false, "JVMFlag.numFlags"),
    FLAG_NAME(false, "JVMFlag._name"),
    FLAG_ADDRESS(false, "JVMFlag._addr"),
    /** A number since JDK 16, a pointer to its name before. */
    FLAG_TYPE(false, "JVMFlag._type"),
    /** The origin of the value, in the lowest bits. */
    FLAG_FLAGS(false, "JVMFlag._flags"),
    COLLECTED_HEAP(false, "Universe._collectedHeap"),
    HEAP_IS_STW_GC_ACTIVE(false, "CollectedHeap._is_stw_gc_active", "CollectedHeap._is_gc_active"),
    HEAP_TOTAL_COLLECTIONS(false, "CollectedHeap._total_collections"),
    /** ZGC with one generation: up to JDK 23; if both kinds exist, its names begin with X. */
    X_GLOBALS(false, "XGlobalsForVMStructs._instance_p", "ZGlobalsForVMStructs._instance_p"),
    X_ADDRESS_GOOD_MASK(false, "XGlobalsForVMStructs._XAddressGoodMask", "ZGlobalsForVMStructs._ZAddressGoodMask"),
    X_ADDRESS_BAD_MASK(false, "XGlobalsForVMStructs._XAddressBadMask", "ZGlobalsForVMStructs._ZAddressBadMask"),
    /** A constant in JDK 11. */
    X_ADDRESS_OFFSET_MASK(
            false, "XGlobalsForVMStructs._XAddressOffsetMask", "ZGlobalsForVMStructs._ZAddressOffsetMask"),
    X_ALIGNMENT_SMALL_SHIFT(
            false,
            "XGlobalsForVMStructs._XObjectAlignmentSmallShift",
            "ZGlobalsForVMStructs._ZObjectAlignmentSmallShift"),
    X_COLLECTED_HEAP_HEAP(false, "XCollectedHeap._heap", "ZCollectedHeap._heap"),
    X_HEAP_FORWARDING_TABLE(false, "XHeap._forwarding_table", "ZHeap._forwarding_table"),
    X_FORWARDING_TABLE_MAP(false, "XForwardingTable._map", "ZForwardingTable._map"),
    X_GRANULE_MAP(false, "XGranuleMapForForwarding._map", "ZGranuleMapForForwarding._map"),
    X_FORWARDING_VIRTUAL(false, "XForwarding._virtual", "ZForwarding._virtual"),
    X_VIRTUAL_START(false, "XVirtualMemory._start", "ZVirtualMemory._start"),
    X_FORWARDING_SHIFT(false, "XForwarding._object_alignment_shift", "ZForwarding._object_alignment_shift"),
    X_FORWARDING_ENTRIES(false, "XForwarding._entries", "ZForwarding._entries"),
    X_ATTACHED_LENGTH(false, "XAttachedArrayForForwarding._length", "ZAttachedArrayForForwarding._length"),
    /** In JDK 11 each page has its own table. */
    Z_HEAP_PAGETABLE(false, "ZHeap._pagetable"),
    Z_PAGETABLE_MAP(false, "ZPageTable._map"),
    Z_ADDRESS_RANGE_MAP(false, "ZAddressRangeMapForPageTable._map"),
    Z_PAGE_TYPE(false, "ZPage._type"),
    Z_PAGE_VIRTUAL(false, "ZPage._virtual"),
    Z_PAGE_FORWARDING(false, "ZPage._forwarding"),
    Z_FORWARDING_TABLE_TABLE(false, "ZForwardingTable._table"),
    Z_FORWARDING_TABLE_SIZE(false, "ZForwardingTable._size"),
    /** ZGC with two generations, since JDK 21. */
    Z_GLOBALS(false, "ZGlobalsForVMStructs._instance_p"),
    Z_POINTER_LOAD_BAD_MASK(false, "ZGlobalsForVMStructs._ZPointerLoadBadMask"),
    Z_ADDRESS_OFFSET_MASK(false, "ZGlobalsForVMStructs._ZAddressOffsetMask"),
    Z_COLLECTED_HEAP_HEAP(false, "ZCollectedHeap._heap"),
    Z_HEAP_PAGE_ALLOCATOR(false, "ZHeap._page_allocator"),
    Z_HEAP_PAGE_TABLE(false, "ZHeap._page_table"),
    Z_FORWARDING_TABLE_MAP(false, "ZForwardingTable._map"),
    Z_GRANULE_MAP(false, "ZGranuleMapForForwarding._map"),
    Z_FORWARDING_VIRTUAL(false, "ZForwarding._virtual"),
    Z_VIRTUAL_START(false, "ZVirtualMemory._start"),
    Z_FORWARDING_SHIFT(false, "ZForwarding._object_alignment_shift"),
    Z_FORWARDING_ENTRIES(false, "ZForwarding._entries"),
    Z_ATTACHED_LENGTH(false, "ZAttachedArrayForForwarding._length"),

    /** The fields from here to {@link #CLASS_KLASS_OFFSET} are used only to read locks. */
    THREAD_PENDING_MONITOR(false, "JavaThread._current_pending_monitor", "Thread._current_pending_monitor"),
    THREAD_WAITING_MONITOR(false, "JavaThread._current_waiting_monitor", "Thread._current_waiting_monitor"),
    THREAD_STACK_BASE(false, "JavaThread._stack_base", "Thread._stack_base"),
    THREAD_STACK_SIZE(false, "JavaThread._stack_size", "Thread._stack_size"),
    /** The objects whose monitors the thread has entered without an ObjectMonitor, since JDK 21. */
    THREAD_LOCK_STACK(false, "JavaThread._lock_stack"),
    /** The offset of the first free slot, from the JavaThread. */
    LOCK_STACK_TOP(false, "LockStack._top"),
    LOCK_STACK_BASE(false, "LockStack._base[0]"),
    /** The id of the Thread that runs on it, mounted or its own, since JDK 24. */
    THREAD_MONITOR_OWNER_ID(false, "JavaThread._monitor_owner_id"),
    MONITOR_OBJECT(false, "ObjectMonitor._object"),
    MONITOR_OWNER(false, "ObjectMonitor._owner"),
    /** The lock record on the owner's stack, with -XX:LockingMode=1, in JDK 24 and 25. */
    MONITOR_STACK_LOCKER(false, "ObjectMonitor._stack_locker"),
    /** One byte: {@link VmLayout#beingInitialized} while a thread initializes the class. */
    INSTANCE_KLASS_INIT_STATE(false, "InstanceKlass._init_state"),
    /** The JavaThread that initializes the class. */
    INSTANCE_KLASS_INIT_THREAD(false, "InstanceKlass._init_thread"),
    /** The offset of the Klass in an object of java.lang.Class; a variable of the VM. */
    CLASS_KLASS_OFFSET(false, "java_lang_Class._klass_offset"),

    /** The fields from here to {@link #SYSTEM_KLASS} are used only for an inventory. */
    GRAPH_HEAD(false, "ClassLoaderDataGraph._head"),
    LOADER_DATA_NEXT(false, "ClassLoaderData._next"),
    LOADER_DATA_KLASSES(false, "ClassLoaderData._klasses"),
    LOADER_DATA_LOADER(false, "ClassLoaderData._class_loader"),
    /** True if it belongs to one hidden class instead of a loader. */
    LOADER_DATA_OF_CLASS(
            false,
            "ClassLoaderData._has_class_mirror_holder",
            "ClassLoaderData._is_anonymous",
            "ClassLoaderData._is_unsafe_anonymous"),
    KLASS_NEXT_LINK(false, "Klass._next_link"),
    KLASS_LOADER_DATA(false, "Klass._class_loader_data"),
    KLASS_SUPER(false, "Klass._super"),
    KLASS_JAVA_MIRROR(false, "Klass._java_mirror"),
    SYSTEM_KLASS(
            false,
            "vmClasses._klasses[static_cast<int>(vmClassID::System_klass_knum)]",
            "SystemDictionary._well_known_klasses[SystemDictionary::System_klass_knum]"),

    /** The main class, module or jar with its arguments, as the launcher has passed them to the VM. */
    JAVA_COMMAND(false, "Arguments._java_command"),
    /** The area of the performance counters; null with -XX:-UsePerfData. */
    PERF_MEMORY_START(false, "PerfMemory._start"),
    PERF_MEMORY_CAPACITY(false, "PerfMemory._capacity"),
    /** The version of Java. Up to JDK 8 the VM had a version number of its own. */
    JDK_CURRENT(false, "JDK_Version._current"),
    JDK_MAJOR(false, "JDK_Version._major"),
    VM_RELEASE(true, "Abstract_VM_Version._s_vm_release"),
    VM_MAJOR_VERSION(true, "Abstract_VM_Version._vm_major_version");

    private final boolean required;
    private final List<String> names;

    VmField(boolean required, String... names) {
        this.required = required;
        this.names = List.of(names);
    }

    /** Returns true if a VM without this field is refused. */
    public boolean required() {
        return required;
    }

    /** Returns the names that the field has had, as {@code Type.field}, in the order of preference. */
    public List<String> names() {
        return names;
    }
}
