package mayfly.hotspot;

import java.util.List;

/**
 * Every field of the VM that Mayfly reads, by HotSpot's own names. A row lists the names it has had, {@code
 * Type.field}; the first that a VM knows is taken.
 *
 * <p>What differs between JDKs stands here and in {@link JdkRules}, nowhere else.
 */
enum VmField {
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
    /** A pointer up to JDK 22, then an offset from the code's begin. */
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
    /** Data of their own since JDK 23. */
    NMETHOD_IMMUTABLE_DATA(false, "nmethod._immutable_data"),
    NMETHOD_IMMUTABLE_DATA_SIZE(false, "nmethod._immutable_data_size"),
    NMETHOD_SCOPES_DATA_OFFSET(false, "nmethod._scopes_data_offset"),
    PC_DESC_PC_OFFSET(true, "PcDesc._pc_offset"),
    PC_DESC_SCOPE_DECODE_OFFSET(true, "PcDesc._scope_decode_offset"),

    METHOD_CONST_METHOD(true, "Method._constMethod"),
    METHOD_ACCESS_FLAGS(true, "Method._access_flags"),
    CONST_METHOD_CONSTANTS(true, "ConstMethod._constants"),
    CONST_METHOD_FLAGS(true, "ConstMethod._flags._flags", "ConstMethod._flags"),
    CONST_METHOD_CODE_SIZE(true, "ConstMethod._code_size"),
    CONST_METHOD_NAME_INDEX(true, "ConstMethod._name_index"),
    CONST_METHOD_SIGNATURE_INDEX(true, "ConstMethod._signature_index"),
    POOL_HOLDER(true, "ConstantPool._pool_holder"),
    POOL_LENGTH(true, "ConstantPool._length"),
    KLASS_NAME(true, "Klass._name"),
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
    /** The return address in Continuation.enterSpecial, since JDK 19. */
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

    VM_RELEASE(true, "Abstract_VM_Version._s_vm_release"),
    VM_MAJOR_VERSION(true, "Abstract_VM_Version._vm_major_version");

    private final boolean required;
    private final List<String> names;

    VmField(boolean required, String... names) {
        this.required = required;
        this.names = List.of(names);
    }

    boolean required() {
        return required;
    }

    List<String> names() {
        return names;
    }
}
