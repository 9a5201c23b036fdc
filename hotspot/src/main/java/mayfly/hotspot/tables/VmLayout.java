package mayfly.hotspot.tables;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import mayfly.hotspot.tables.UnsupportedVm.Reason;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;

/**
 * The layout of one VM: the offset or address of each {@link VmField}, and the sizes of a few types.
 *
 * <p>It is derived only from the VM's own tables. A VM that lacks a required field, or has an absurd offset, is refused
 * before anything is read through the layout; the message names the field.
 */
public final class VmLayout {
    private static final long ABSENT = Long.MIN_VALUE;
    /** Upper bound on an offset. JavaThread, the largest structure that Mayfly reads, has about 2 KiB. */
    private static final long MAX_OFFSET = 64 * 1024;
    /** The alignment of ContinuationEntry::size. */
    private static final int STACK_ALIGNMENT = 16;

    private final long[] locations = new long[VmField.values().length];
    public final int heapBlockSize;
    final int methodSize;
    public final int constMethodSize;
    public final int constantPoolSize;
    public final int pcDescSize;
    public final int codeletSize;
    /** 0 if the VM does not describe it; the same applies to the next field. */
    public final int oopMapSetSize;

    public final int oopMapPairSize;
    /** The size of a ContinuationEntry on the stack; 0 if the VM does not describe it. */
    public final int continuationEntrySize;
    /** 0 if the VM does not describe it; the same applies to all following fields. */
    public final int flagSize;
    /** The size of ZGC's forwarding of one page; its entries follow it. */
    public final int xForwardingSize;

    public final int zForwardingSize;
    public final int zHeapSize;
    /** The shift from a mark word to its narrow klass, with compact object headers; since JDK 24. */
    public final int markKlassShift;
    /** The flag of an anonymous class, which no dictionary lists by name; 0 since JDK 15. */
    public final int anonymousClassFlag;
    /** The flag of a class that was redefined; 0 if the VM does not describe it, as since JDK 21. */
    public final int redefinedClassFlag;
    /** The state of a class that a thread initializes; -1 if the VM does not describe it. */
    public final int beingInitialized;
    /** The size of a JavaThread; 0 if the VM does not describe it. */
    public final int javaThreadSize;
    /** A constant in JDK 11 only. */
    public final long zAddressOffsetMask;

    /**
     * Returns the layout of a VM. The exception for a VM that is too old, or lacks a required field, contains the VM's
     * version.
     *
     * @throws UnsupportedVm if the VM is not a HotSpot VM, is too old, or does not describe a required field, or if its
     *         tables are inconsistent
     */
    public static VmLayout of(Memory memory, ModuleSymbols symbols) throws UnsupportedVm {
        VmStructs structs = VmStructs.read(memory, symbols);
        VmVersion version;
        try {
            version = VmVersion.read(structs, memory);
        } catch (MemoryFault e) {
            throw new UnsupportedVm(Reason.INCONSISTENT, "the VM's structures are inconsistent: " + e.getMessage());
        }
        version.requireSupported();
        try {
            return new VmLayout(structs);
        } catch (UnsupportedVm e) {
            throw e.of(version);
        }
    }

    /**
     * Finds all fields in the tables of a VM.
     *
     * @throws UnsupportedVm if the VM does not describe a required field, or an offset or size is implausible
     */
    public VmLayout(VmStructs structs) throws UnsupportedVm {
        Arrays.fill(locations, ABSENT);
        List<String> missing = new ArrayList<>();
        for (VmField field : VmField.values()) {
            find(structs, field);
            if (field.required() && locations[field.ordinal()] == ABSENT) {
                missing.add(field.names().getFirst());
            }
        }
        heapBlockSize = size(structs, "HeapBlock", missing);
        methodSize = size(structs, "Method", missing);
        constMethodSize = size(structs, "ConstMethod", missing);
        constantPoolSize = size(structs, "ConstantPool", missing);
        pcDescSize = size(structs, "PcDesc", missing);
        codeletSize = size(structs, "InterpreterCodelet", missing);
        oopMapSetSize = optionalSize(structs, "ImmutableOopMapSet");
        oopMapPairSize = optionalSize(structs, "ImmutableOopMapPair");
        continuationEntrySize = optionalSize(structs, "ContinuationEntry") + STACK_ALIGNMENT - 1 & -STACK_ALIGNMENT;
        flagSize = optionalSize(structs, "JVMFlag");
        zForwardingSize = optionalSize(structs, "ZForwarding");
        xForwardingSize = structs.size("XForwarding") == -1 ? zForwardingSize : optionalSize(structs, "XForwarding");
        zHeapSize = optionalSize(structs, "ZHeap");
        markKlassShift = (int) Math.max(0, Math.min(structs.constant("markWord::klass_shift", 0), Long.SIZE));
        anonymousClassFlag = has(VmField.INSTANCE_KLASS_MISC_FLAGS)
                ? (int) structs.constant(
                        "InstanceKlass::_misc_is_anonymous",
                        structs.constant("InstanceKlass::_misc_is_unsafe_anonymous", 0))
                : 0;
        redefinedClassFlag = has(VmField.INSTANCE_KLASS_MISC_FLAGS)
                ? (int) structs.constant("InstanceKlass::_misc_has_been_redefined", 0)
                : 0;
        beingInitialized = (int) structs.constant("InstanceKlass::being_initialized", -1);
        javaThreadSize = optionalSize(structs, "JavaThread");
        zAddressOffsetMask = structs.constant("ZAddressOffsetMask", 0);
        families(missing);
        if (!missing.isEmpty()) {
            throw new UnsupportedVm(Reason.INCONSISTENT, "the VM does not describe " + String.join(", ", missing));
        }
        requireInPcDesc(VmField.PC_DESC_PC_OFFSET);
        requireInPcDesc(VmField.PC_DESC_SCOPE_DECODE_OFFSET);
    }

    private void find(VmStructs structs, VmField field) throws UnsupportedVm {
        for (String name : field.names()) {
            int dot = name.indexOf('.');
            VmStructs.Field found = structs.field(name.substring(0, dot), name.substring(dot + 1));
            if (found == null) {
                continue;
            }
            if (!found.isStatic() && (found.location() < 0 || found.location() > MAX_OFFSET)) {
                throw new UnsupportedVm(Reason.INCONSISTENT, name + " has the offset " + found.location());
            }
            locations[field.ordinal()] = found.location();
            return;
        }
    }

    /**
     * Requires that a member lies in a PcDesc: PcDescs are read from a copied array, where a larger offset would reach
     * another entry or the end.
     */
    private void requireInPcDesc(VmField field) throws UnsupportedVm {
        if (at(field) < 0 || at(field) > pcDescSize - Integer.BYTES) {
            throw new UnsupportedVm(Reason.INCONSISTENT, field.names().getFirst() + " lies outside PcDesc");
        }
    }

    private static int optionalSize(VmStructs structs, String type) {
        long size = structs.size(type);
        return size < 0 || size > MAX_OFFSET ? 0 : (int) size;
    }

    private static int size(VmStructs structs, String type, List<String> missing) throws UnsupportedVm {
        long size = structs.size(type);
        if (size == -1) {
            missing.add("the size of " + type);
        } else if (size <= 0 || size > MAX_OFFSET) {
            throw new UnsupportedVm(Reason.INCONSISTENT, type + " has the size " + size);
        }
        return (int) size;
    }

    /**
     * Adds the missing fields of each family. A family is a group of fields that some JDKs have instead of another
     * group; one group of each pair must be complete.
     */
    private void families(List<String> missing) {
        if (has(VmField.BLOB_CODE_BEGIN)) {
            require(missing, VmField.BLOB_CODE_END);
        } else {
            require(missing, VmField.BLOB_CODE_OFFSET, VmField.BLOB_DATA_OFFSET);
        }
        if (!has(VmField.NMETHOD_VERIFIED_ENTRY_POINT) && !has(VmField.NMETHOD_VERIFIED_ENTRY_OFFSET)) {
            missing.add("nmethod._verified_entry_offset");
        }
        if (!has(VmField.NMETHOD_DEOPT_HANDLER_BEGIN) && !has(VmField.NMETHOD_DEOPT_HANDLER_OFFSET)) {
            missing.add("nmethod._deopt_handler_offset");
        }
        if (has(VmField.NMETHOD_IMMUTABLE_DATA)) {
            require(missing, VmField.NMETHOD_IMMUTABLE_DATA_SIZE, VmField.NMETHOD_SCOPES_DATA_OFFSET);
        } else {
            require(missing, VmField.NMETHOD_SCOPES_DATA_BEGIN, VmField.NMETHOD_DEPENDENCIES_OFFSET);
        }
        if (has(VmField.FIRST_THREAD) && !has(VmField.JAVA_THREAD_LIST)) {
            require(missing, VmField.NEXT_THREAD);
        } else {
            require(missing, VmField.JAVA_THREAD_LIST, VmField.THREADS_LENGTH, VmField.THREADS_THREADS);
        }
        if (has(VmField.BLOB_MUTABLE_DATA)) {
            require(missing, VmField.BLOB_MUTABLE_DATA_SIZE, VmField.BLOB_RELOCATION_SIZE);
        } else {
            require(missing, VmField.NMETHOD_METADATA_OFFSET);
        }
    }

    private void require(List<String> missing, VmField... fields) {
        for (VmField field : fields) {
            if (!has(field)) {
                missing.add(field.names().getFirst());
            }
        }
    }

    /** Returns true if the VM describes a field. */
    public boolean has(VmField field) {
        return locations[field.ordinal()] != ABSENT;
    }

    public boolean hasAll(List<VmField> fields) {
        return fields.stream().allMatch(this::has);
    }

    /**
     * Returns the offset of a field in its structure, or for a static field its address in the target.
     *
     * @throws IllegalStateException if this VM does not describe the field
     */
    public long at(VmField field) {
        long location = locations[field.ordinal()];
        if (location == ABSENT) {
            throw new IllegalStateException("this VM has no " + field);
        }
        return location;
    }

    /**
     * Returns the offset of a field, which fits an int.
     *
     * @throws IllegalStateException if this VM does not describe the field
     */
    public int offset(VmField field) {
        return (int) at(field);
    }
}
