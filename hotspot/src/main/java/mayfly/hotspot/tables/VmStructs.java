package mayfly.hotspot.tables;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import mayfly.hotspot.tables.UnsupportedVm.Reason;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;
import org.jspecify.annotations.Nullable;

/**
 * The tables in which a HotSpot VM describes its own structures: gHotSpotVMStructs and related symbols, see
 * vmStructs.hpp.
 *
 * <p>Strides and member offsets are separate symbols, so the reader does not depend on the layout of the tables. Every
 * count and length is bounded: the memory of the target is untrusted.
 */
public final class VmStructs {
    private static final int MAX_ENTRIES = 20_000;
    private static final int MAX_STRIDE = 4096;
    private static final int MAX_NAME = 512;

    /**
     * One field.
     *
     * @param isStatic true if {@code location} is its address in the target; otherwise it is an offset in the structure
     */
    record Field(boolean isStatic, long location) {}

    private final Memory memory;
    private final ModuleSymbols symbols;
    private final Map<String, Field> fields = new HashMap<>(2048);
    private final Map<String, Long> sizes = new HashMap<>(2048);
    private final Map<String, Long> constants = new HashMap<>(1024);

    private VmStructs(Memory memory, ModuleSymbols symbols) {
        this.memory = memory;
        this.symbols = symbols;
    }

    /**
     * Reads the tables of a VM.
     *
     * @throws UnsupportedVm if the library does not export them, or they are inconsistent or cannot be read
     */
    public static VmStructs read(Memory memory, ModuleSymbols symbols) throws UnsupportedVm {
        if (symbols.address("gHotSpotVMStructs") == 0) {
            throw new UnsupportedVm(Reason.NOT_HOTSPOT, "the library does not export gHotSpotVMStructs");
        }
        VmStructs structs = new VmStructs(memory, symbols);
        try {
            structs.readFields();
            structs.readTypes();
            structs.readConstants("Int", false);
            structs.readConstants("Long", true);
        } catch (MemoryFault e) {
            throw new UnsupportedVm(Reason.INCONSISTENT, "the VM's tables cannot be read: " + e.getMessage());
        }
        return structs;
    }

    /** Returns the field, or null if this VM does not describe it. */
    @Nullable
    Field field(String type, String name) {
        return fields.get(type + "." + name);
    }

    /** Returns the size of a type in bytes, or -1 if this VM does not describe it. */
    long size(String type) {
        return sizes.getOrDefault(type, -1L);
    }

    /** Returns the value of a constant, or the given one if this VM does not describe it. */
    long constant(String name, long otherwise) {
        return constants.getOrDefault(name, otherwise);
    }

    private void readFields() throws MemoryFault, UnsupportedVm {
        long typeName = parameter("gHotSpotVMStructEntryTypeNameOffset");
        long fieldName = parameter("gHotSpotVMStructEntryFieldNameOffset");
        long isStatic = parameter("gHotSpotVMStructEntryIsStaticOffset");
        long offset = parameter("gHotSpotVMStructEntryOffsetOffset");
        long address = parameter("gHotSpotVMStructEntryAddressOffset");
        long stride = parameter("gHotSpotVMStructEntryArrayStride");
        long entry = pointer("gHotSpotVMStructs");
        for (int i = 0; i < MAX_ENTRIES; i++, entry += stride) {
            long name = memory.readLong(entry + typeName);
            if (name == 0) {
                return;
            }
            boolean fixed = memory.readInt(entry + isStatic) != 0;
            fields.put(
                    string(name) + "." + string(memory.readLong(entry + fieldName)),
                    new Field(fixed, memory.readLong(entry + (fixed ? address : offset))));
        }
        throw endless("gHotSpotVMStructs");
    }

    private void readTypes() throws MemoryFault, UnsupportedVm {
        long typeName = parameter("gHotSpotVMTypeEntryTypeNameOffset");
        long size = parameter("gHotSpotVMTypeEntrySizeOffset");
        long stride = parameter("gHotSpotVMTypeEntryArrayStride");
        long entry = pointer("gHotSpotVMTypes");
        for (int i = 0; i < MAX_ENTRIES; i++, entry += stride) {
            long name = memory.readLong(entry + typeName);
            if (name == 0) {
                return;
            }
            sizes.put(string(name), memory.readLong(entry + size));
        }
        throw endless("gHotSpotVMTypes");
    }

    private void readConstants(String kind, boolean wide) throws MemoryFault, UnsupportedVm {
        String table = "gHotSpotVM" + kind + "Constants";
        long nameOffset = parameter("gHotSpotVM" + kind + "ConstantEntryNameOffset");
        long value = parameter("gHotSpotVM" + kind + "ConstantEntryValueOffset");
        long stride = parameter("gHotSpotVM" + kind + "ConstantEntryArrayStride");
        long entry = pointer(table);
        for (int i = 0; i < MAX_ENTRIES; i++, entry += stride) {
            long name = memory.readLong(entry + nameOffset);
            if (name == 0) {
                return;
            }
            constants.put(string(name), wide ? memory.readLong(entry + value) : memory.readInt(entry + value));
        }
        throw endless(table);
    }

    private long parameter(String symbol) throws MemoryFault, UnsupportedVm {
        long value = pointer(symbol);
        if (value < 0 || value > MAX_STRIDE) {
            throw new UnsupportedVm(Reason.INCONSISTENT, symbol + " is " + value);
        }
        return value;
    }

    private long pointer(String symbol) throws MemoryFault, UnsupportedVm {
        long address = symbols.address(symbol);
        if (address == 0) {
            throw new UnsupportedVm(Reason.INCONSISTENT, "the library does not export " + symbol);
        }
        return memory.readLong(address);
    }

    private static UnsupportedVm endless(String table) {
        return new UnsupportedVm(Reason.INCONSISTENT, table + " has no end within " + MAX_ENTRIES + " entries");
    }

    private String string(long address) throws MemoryFault {
        return string(memory, address, MAX_NAME);
    }

    /**
     * Returns the bytes at an address up to the first zero, at most {@code limit} of them, as Latin-1 text.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    public static String string(Memory memory, long address, int limit) throws MemoryFault {
        byte[] bytes = new byte[64];
        int n = 0;
        for (int b; n < limit && (b = memory.readByte(address + n)) != 0; n++) {
            if (n == bytes.length) {
                bytes = java.util.Arrays.copyOf(bytes, n * 2);
            }
            bytes[n] = (byte) b;
        }
        return new String(bytes, 0, n, StandardCharsets.ISO_8859_1);
    }
}
