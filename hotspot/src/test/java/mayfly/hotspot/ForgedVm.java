package mayfly.hotspot;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import mayfly.arch.x86.X86_64;
import mayfly.hotspot.code.CodeCache;
import mayfly.hotspot.code.ForgedNmethod;
import mayfly.hotspot.code.Nmethods;
import mayfly.hotspot.tables.ForgedMemory;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.hotspot.tables.VmStructs;
import mayfly.profile.RuntimeId;
import mayfly.runtime.ModuleSymbols;
import org.jspecify.annotations.Nullable;

/**
 * A HotSpot VM laid out by a test: structure tables, an interpreter, stubs, one thread, and the blobs and methods that
 * the test adds. There are two eras: JDK 17, where an nmethod's tables lie in its blob, and JDK 25, where they are
 * malloc'ed. The offsets differ from those of every real VM, so that a hard-coded offset fails.
 */
public final class ForgedVm implements ModuleSymbols {
    static final long LIBRARY = 0x7f00_0000_0000L;
    public static final long CODE = 0x7e00_0000_0000L;
    static final int CODE_SIZE = 512 * 1024;
    public static final int LOG2_SEGMENT = 7;
    private static final int CODELETS = 110;
    /** The source file of every class. */
    public static final String SOURCE_FILE = "Source.java";

    /** One blob. The header of its heap block precedes its address. */
    public record Blob(long address, long codeBegin, long end) {}

    public final int feature;
    public final ForgedMemory memory = new ForgedMemory();
    public final ForgedMemory.Region library = memory.map(LIBRARY, 256 * 1024);
    public final ForgedMemory.Region code = memory.map(CODE, CODE_SIZE);
    public final ForgedMemory.Region segmap = memory.map(0x7d80_0000_0000L, CODE_SIZE >> LOG2_SEGMENT);
    public final ForgedMemory.Region heap = memory.map(0x7d00_0000_0000L, 1 << 20);
    public final Map<String, Long> symbols = new HashMap<>();
    public final List<Named> objects = new ArrayList<>();
    public final Map<VmField, Long> locations = new EnumMap<>(VmField.class);
    public final Map<String, Long> sizes = new LinkedHashMap<>();
    public final Map<String, Integer> intConstants = new LinkedHashMap<>();
    private final ForgedFields fields;
    private final Map<String, Integer> groupSizes = new HashMap<>();
    private boolean tablesWritten;
    private long nextBlock = CODE;
    long threadList;
    /** The JavaThread of its one thread, whose tid is 4711. */
    public long thread;

    public long stubQueue;
    long codeHeaps;
    long codeHeap;
    Blob interpreter = new Blob(0, 0, 0);
    public Blob stubs = new Blob(0, 0, 0);

    private ForgedVm(int feature) {
        this.feature = feature;
        this.fields = new ForgedFields(feature);
        for (VmField field : VmField.values()) {
            if (fields.has(field)) {
                locations.put(
                        field, ForgedFields.isStatic(field) ? library.allocate(8) : offsetInGroup(fields.group(field)));
            }
        }
        for (String type : List.of(
                "Method",
                "ConstMethod",
                "ConstantPool",
                "PcDesc",
                "InterpreterCodelet",
                "ImmutableOopMapSet",
                "ImmutableOopMapPair")) {
            sizes.put(type, (long) groupSizes.get(type));
        }
        sizes.put("HeapBlock", 16L);
        if (feature >= ForgedFields.SPLIT) {
            sizes.put("ContinuationEntry", 64L);
        }
        memory.putLong(at(VmField.VM_RELEASE), memory.string(library, feature + ".0.1+2-forged"));
        memory.putInt(at(VmField.VM_MAJOR_VERSION), feature);
        codeCache();
        threads();
        interpreter();
        stubs = blob("StubRoutines (initial stubs)", 0, new byte[512]);
        memory.putLong(at(VmField.CALL_STUB_RETURN_ADDRESS), stubs.codeBegin + 64);
        if (feature >= ForgedFields.SPLIT) {
            memory.putLong(at(VmField.CONTINUATION_ENTRY_RETURN_PC), stubs.codeBegin + 128);
        }
    }

    public static ForgedVm jdk17() {
        return new ForgedVm(17);
    }

    public static ForgedVm jdk25() {
        return new ForgedVm(25);
    }

    /** Creates a VM with another version number, laid out as one of the two eras. */
    public static ForgedVm jdk(int feature) {
        return new ForgedVm(feature);
    }

    public static List<ForgedVm> both() {
        return List.of(jdk17(), jdk25());
    }

    private long offsetInGroup(String group) {
        return groupSizes.merge(group, 8, Integer::sum) - 8;
    }

    public int groupSize(String group) {
        return groupSizes.get(group);
    }

    /** Returns the offset of a field, or its address if it is static. */
    public long at(VmField field) {
        return locations.get(field);
    }

    private void codeCache() {
        memory.putLong(at(VmField.CODE_CACHE_LOW_BOUND), CODE);
        memory.putLong(at(VmField.CODE_CACHE_HIGH_BOUND), CODE + CODE_SIZE);
        codeHeaps = heap.allocate(64);
        memory.putLong(at(VmField.CODE_CACHE_HEAPS), codeHeaps);
        memory.putInt(codeHeaps + at(VmField.ARRAY_LEN), 1);
        long data = heap.allocate(64);
        memory.putLong(codeHeaps + at(VmField.ARRAY_DATA), data);
        // CodeHeap contains its two VirtualSpaces: reserve room for them.
        locations.put(VmField.CODE_HEAP_MEMORY, 8L);
        locations.put(VmField.CODE_HEAP_SEGMAP, 64L);
        locations.put(VmField.CODE_HEAP_LOG2_SEGMENT_SIZE, 128L);
        codeHeap = heap.allocate(160);
        memory.putLong(data, codeHeap);
        memory.putLong(codeHeap + 8 + at(VmField.VIRTUAL_SPACE_LOW), CODE);
        memory.putLong(codeHeap + 8 + at(VmField.VIRTUAL_SPACE_HIGH), CODE + CODE_SIZE);
        memory.putLong(codeHeap + 64 + at(VmField.VIRTUAL_SPACE_LOW), segmap.base);
        memory.putLong(codeHeap + 64 + at(VmField.VIRTUAL_SPACE_HIGH), segmap.end());
        memory.putInt(codeHeap + 128, LOG2_SEGMENT);
        for (long at = segmap.base; at < segmap.end(); at++) {
            memory.putByte(at, 0xff);
        }
    }

    private void threads() {
        threadList = heap.allocate(64);
        memory.putLong(at(VmField.JAVA_THREAD_LIST), threadList);
        long array = heap.allocate(64);
        memory.putInt(threadList + at(VmField.THREADS_LENGTH), 1);
        memory.putLong(threadList + at(VmField.THREADS_THREADS), array);
        thread = heap.allocate(groupSize("JavaThread"));
        memory.putLong(array, thread);
        long osThread = heap.allocate(64);
        memory.putLong(thread + at(VmField.THREAD_OSTHREAD), osThread);
        memory.putInt(osThread + at(VmField.OSTHREAD_THREAD_ID), 4711);
    }

    private void interpreter() {
        int header = groupSize("InterpreterCodelet");
        int size = header + 40;
        interpreter = blob("Interpreter", 0, new byte[CODELETS * size]);
        stubQueue = heap.allocate(groupSize("StubQueue"));
        memory.putLong(at(VmField.INTERPRETER_CODE), stubQueue);
        memory.putLong(stubQueue + at(VmField.STUB_QUEUE_BUFFER), interpreter.codeBegin);
        memory.putInt(stubQueue + at(VmField.STUB_QUEUE_LIMIT), CODELETS * size);
        memory.putInt(stubQueue + at(VmField.STUB_QUEUE_BEGIN), 0);
        memory.putInt(stubQueue + at(VmField.STUB_QUEUE_END), CODELETS * size);
        for (int i = 0; i < CODELETS; i++) {
            long codelet = interpreter.codeBegin + (long) i * size;
            String text = i < 5 ? "return entry points" : "op" + i;
            if (i == 0) {
                text = "method entry point (kind = zerolocals)";
            }
            memory.putLong(codelet + at(VmField.CODELET_DESCRIPTION), memory.string(library, text));
            memory.putInt(codelet + at(VmField.CODELET_SIZE), size);
            memory.putInt(codelet + at(VmField.CODELET_BYTECODE), i < 5 ? -1 : i);
        }
    }

    /** Returns the first instruction of a codelet. */
    public long codelet(int i) {
        int header = groupSize("InterpreterCodelet");
        return interpreter.codeBegin + (long) i * (header + 40) + header;
    }

    /** Adds a blob of any kind except an nmethod in the next free block. */
    public Blob blob(String name, int frameWords, byte[] instructions) {
        return blob(nextBlock, name, frameWords, 0, instructions, 0);
    }

    /** Adds a blob whose heap block begins at an address, and overwrites the previous content. */
    public Blob blob(long block, String name, int frameWords, int frameComplete, byte[] instructions, int tableBytes) {
        long address = block + 16;
        long codeBegin = address + groupSize("CodeBlob");
        long codeEnd = codeBegin + instructions.length;
        long end = codeEnd + 7 + tableBytes & -8;
        int segments = (int) (end - block + (1 << LOG2_SEGMENT) - 1 >> LOG2_SEGMENT);
        use(block, segments);
        memory.putLong(address + at(VmField.BLOB_NAME), memory.string(library, name));
        memory.putInt(address + at(VmField.BLOB_SIZE), (int) (end - address));
        memory.putInt(address + at(VmField.BLOB_FRAME_SIZE), frameWords);
        memory.putShort(address + at(VmField.BLOB_FRAME_COMPLETE), frameComplete);
        if (feature >= ForgedFields.SPLIT) {
            memory.putInt(address + at(VmField.BLOB_CODE_OFFSET), (int) (codeBegin - address));
            memory.putInt(address + at(VmField.BLOB_DATA_OFFSET), (int) (codeEnd - address));
        } else {
            memory.putLong(address + at(VmField.BLOB_CODE_BEGIN), codeBegin);
            memory.putLong(address + at(VmField.BLOB_CODE_END), codeEnd);
        }
        memory.put(codeBegin, instructions);
        return new Blob(address, codeBegin, end);
    }

    private void use(long block, int segments) {
        memory.putLong(block + at(VmField.HEAP_BLOCK_LENGTH), segments);
        memory.putByte(block + at(VmField.HEAP_BLOCK_USED), 1);
        long first = segmap.base + (block - CODE >> LOG2_SEGMENT);
        for (int i = 0; i < segments; i++) {
            memory.putByte(first + i, Math.min(i, 0xfe));
        }
        nextBlock = Math.max(nextBlock, block + ((long) segments << LOG2_SEGMENT));
    }

    public long nextBlock() {
        return nextBlock;
    }

    /** Frees a blob as CodeHeap::deallocate does: marks the block unused and leaves its segments unchanged. */
    public void free(Blob blob) {
        memory.putByte(blob.address - 16 + at(VmField.HEAP_BLOCK_USED), 0);
    }

    /** Marks the segments of a freed block free, as a merge with its neighbour does. */
    public void clearSegments(Blob blob) {
        for (long at = blob.address - 16; at < blob.end; at += 1 << LOG2_SEGMENT) {
            memory.putByte(segmap.base + (at - CODE >> LOG2_SEGMENT), 0xff);
        }
    }

    /** Adds an nmethod in the next free block. */
    public Blob nmethod(ForgedNmethod spec) {
        return nmethod(nextBlock, spec);
    }

    public Blob nmethod(long block, ForgedNmethod spec) {
        byte[] pcs = spec.pcDescs(
                groupSize("PcDesc"), at(VmField.PC_DESC_PC_OFFSET), at(VmField.PC_DESC_SCOPE_DECODE_OFFSET));
        byte[] metadata = spec.metadataTable();
        byte[] scopes = spec.scopeBytes();
        byte[] exceptions = implicitExceptions(spec.implicitExceptions);
        Blob blob = blob(
                block,
                spec.isNative ? "native nmethod" : "nmethod",
                spec.frameWords,
                spec.frameComplete,
                spec.instructions,
                feature >= ForgedFields.SPLIT ? 0 : metadata.length + scopes.length + pcs.length + exceptions.length);
        long address = blob.address;
        memory.putLong(address + at(VmField.NMETHOD_METHOD), spec.method);
        memory.putLong(address + at(VmField.BLOB_OOP_MAPS), oopMaps(spec.oopMaps));
        memory.putInt(address + at(VmField.NMETHOD_COMPILE_ID), spec.compileId);
        memory.putInt(address + at(VmField.NMETHOD_COMP_LEVEL), spec.level);
        memory.putInt(address + at(VmField.NMETHOD_ENTRY_BCI), spec.osrEntry < 0 ? -1 : 5);
        memory.putLong(
                address + at(VmField.NMETHOD_OSR_ENTRY_POINT), spec.osrEntry < 0 ? 0 : blob.codeBegin + spec.osrEntry);
        memory.putInt(address + at(VmField.NMETHOD_ORIG_PC_OFFSET), spec.origPcOffset);
        if (feature >= ForgedFields.SPLIT) {
            memory.putShort(address + at(VmField.NMETHOD_VERIFIED_ENTRY_OFFSET), spec.verifiedEntry);
            memory.putInt(
                    address + at(VmField.NMETHOD_DEOPT_HANDLER_OFFSET),
                    spec.deoptHandler < 0 ? -1 : (int) (blob.codeBegin - address) + spec.deoptHandler);
            memory.putInt(address + at(VmField.NMETHOD_DEOPT_MH_HANDLER_OFFSET), -1);
            int relocation = 24;
            long mutable = heap.allocate(relocation + metadata.length);
            memory.put(mutable + relocation, metadata);
            memory.putLong(address + at(VmField.BLOB_MUTABLE_DATA), mutable);
            memory.putInt(address + at(VmField.BLOB_RELOCATION_SIZE), relocation);
            memory.putInt(address + at(VmField.BLOB_MUTABLE_DATA_SIZE), relocation + metadata.length);
            int exceptionsAt = 16;
            int dependencies = exceptionsAt + exceptions.length;
            long immutable = heap.allocate(dependencies + pcs.length + scopes.length);
            memory.put(immutable + exceptionsAt, exceptions);
            memory.putShort(address + at(VmField.NMETHOD_IMPLICIT_EXCEPTIONS_OFFSET), exceptionsAt);
            memory.put(immutable + dependencies, pcs);
            memory.put(immutable + dependencies + pcs.length, scopes);
            memory.putLong(address + at(VmField.NMETHOD_IMMUTABLE_DATA), immutable);
            memory.putInt(address + at(VmField.NMETHOD_IMMUTABLE_DATA_SIZE), dependencies + pcs.length + scopes.length);
            memory.putInt(address + at(VmField.NMETHOD_SCOPES_PCS_OFFSET), dependencies);
            memory.putInt(address + at(VmField.NMETHOD_SCOPES_DATA_OFFSET), dependencies + pcs.length);
        } else {
            memory.putLong(address + at(VmField.NMETHOD_VERIFIED_ENTRY_POINT), blob.codeBegin + spec.verifiedEntry);
            memory.putLong(
                    address + at(VmField.NMETHOD_DEOPT_HANDLER_BEGIN),
                    spec.deoptHandler < 0 ? 0 : blob.codeBegin + spec.deoptHandler);
            memory.putLong(address + at(VmField.NMETHOD_DEOPT_MH_HANDLER_BEGIN), 0);
            long table = blob.codeBegin + spec.instructions.length + 7 & -8;
            memory.putInt(address + at(VmField.NMETHOD_METADATA_OFFSET), (int) (table - address));
            memory.put(table, metadata);
            table += metadata.length;
            memory.putLong(address + at(VmField.NMETHOD_SCOPES_DATA_BEGIN), table);
            memory.put(table, scopes);
            table += scopes.length;
            memory.putInt(address + at(VmField.NMETHOD_SCOPES_PCS_OFFSET), (int) (table - address));
            memory.put(table, pcs);
            memory.putInt(address + at(VmField.NMETHOD_DEPENDENCIES_OFFSET), (int) (table + pcs.length - address));
            memory.put(table + pcs.length, exceptions);
            memory.putInt(
                    address + at(VmField.NMETHOD_IMPLICIT_EXCEPTIONS_OFFSET), (int) (table + pcs.length - address));
        }
        return blob;
    }

    private long oopMaps(int @Nullable [] offsets) {
        if (offsets == null) {
            return 0;
        }
        int header = groupSize("ImmutableOopMapSet");
        int pair = groupSize("ImmutableOopMapPair");
        long set = heap.allocate(header + offsets.length * pair);
        memory.putInt(set + at(VmField.OOP_MAPS_COUNT), offsets.length);
        for (int i = 0; i < offsets.length; i++) {
            memory.putInt(set + header + (long) i * pair + at(VmField.OOP_MAP_PC_OFFSET), offsets[i]);
        }
        return set;
    }

    private static byte[] implicitExceptions(int[] pairs) {
        ByteBuffer bytes = ByteBuffer.allocate(8 + 4 * pairs.length & -8).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(pairs.length / 2);
        for (int each : pairs) {
            bytes.putInt(each);
        }
        return bytes.array();
    }

    public long symbol(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        long address = heap.allocate(16 + utf8.length);
        memory.putShort(address + at(VmField.SYMBOL_LENGTH), utf8.length);
        memory.put(address + at(VmField.SYMBOL_BODY), utf8);
        return address;
    }

    /** Adds a Method with its ConstMethod, ConstantPool and Klass. A line table follows the code if one is given. */
    public long method(String internalClass, String name, String descriptor, int codeSize, byte... lines) {
        long method = heap.allocate(groupSize("Method"));
        method(method, internalClass, name, descriptor, codeSize, lines);
        return method;
    }

    /** Adds a Method at an address. */
    public void method(long method, String internalClass, String name, String descriptor, int codeSize, byte... lines) {
        long klass = heap.allocate(64);
        memory.putLong(klass + at(VmField.KLASS_NAME), symbol(internalClass));
        int header = groupSize("ConstantPool");
        long pool = heap.allocate(header + 5 * 8);
        memory.putLong(pool + at(VmField.POOL_HOLDER), klass);
        memory.putInt(pool + at(VmField.POOL_LENGTH), 5);
        if (locations.containsKey(VmField.POOL_SOURCE_FILE)) {
            memory.putShort(pool + at(VmField.POOL_SOURCE_FILE), 4);
        } else if (locations.containsKey(VmField.KLASS_SOURCE_FILE)) {
            memory.putShort(klass + at(VmField.KLASS_SOURCE_FILE), 4);
        }
        memory.putLong(pool + header + 32, symbol(SOURCE_FILE));
        memory.putLong(pool + header + 16, symbol(name));
        memory.putLong(pool + header + 24, symbol(descriptor));
        long constMethod = heap.allocate(groupSize("ConstMethod") + codeSize + lines.length);
        memory.putLong(constMethod + at(VmField.CONST_METHOD_CONSTANTS), pool);
        memory.putShort(constMethod + at(VmField.CONST_METHOD_CODE_SIZE), codeSize);
        memory.putShort(constMethod + at(VmField.CONST_METHOD_NAME_INDEX), 2);
        memory.putShort(constMethod + at(VmField.CONST_METHOD_SIGNATURE_INDEX), 3);
        memory.putShort(constMethod + at(VmField.CONST_METHOD_FLAGS), lines.length > 0 ? 1 : 0);
        memory.put(constMethod + groupSize("ConstMethod") + codeSize, lines);
        memory.putLong(method + at(VmField.METHOD_CONST_METHOD), constMethod);
    }

    public long constMethod(long method) throws mayfly.process.MemoryFault {
        return memory.readLong(method + at(VmField.METHOD_CONST_METHOD));
    }

    /** Leaves a field out of the tables. */
    public ForgedVm without(VmField field) {
        locations.remove(field);
        return this;
    }

    public VmLayout layout() throws UnsupportedVm {
        return new VmLayout(structs());
    }

    public VmStructs structs() throws UnsupportedVm {
        writeTables();
        return VmStructs.read(memory, this);
    }

    public HotSpot open() throws UnsupportedVm {
        writeTables();
        return HotSpot.open(new RuntimeId(1), X86_64.ARCHITECTURE, memory, this, LIBRARY);
    }

    public CodeCache cache() throws Exception {
        VmLayout layout = layout();
        return new CodeCache(memory, layout, new Nmethods(memory, layout));
    }

    /** Writes the tables once, with the current fields. */
    public void writeTables() {
        if (tablesWritten) {
            return;
        }
        tablesWritten = true;
        new ForgedTables(memory, library, symbols).write(fields, locations, sizes, intConstants);
    }

    /** Changes one of the parameters of the tables. */
    public void setParameter(String symbol, long value) {
        writeTables();
        memory.putLong(symbols.get(symbol), value);
    }

    /** Adds a static field that the tables do not describe and that has a symbol. */
    public void variable(String mangled, long value) {
        long address = library.allocate(8);
        memory.putLong(address, value);
        symbols.put(mangled, address);
        objects.add(new Named(address, mangled));
    }

    @Override
    public long address(String name) {
        return symbols.getOrDefault(name, 0L);
    }

    @Override
    public List<Named> objectsWithPrefix(String prefix) {
        return objects.stream().filter(named -> named.name().startsWith(prefix)).toList();
    }
}
