package mayfly.hotspot;

import java.util.List;
import java.util.Map;
import mayfly.hotspot.tables.ForgedMemory;
import mayfly.hotspot.tables.VmField;

/** Writes the tables by which a forged VM describes its structures, and the symbols that lead to them. */
final class ForgedTables {
    private static final int STRIDE = 56;

    private final ForgedMemory memory;
    private final ForgedMemory.Region library;
    private final Map<String, Long> symbols;

    ForgedTables(ForgedMemory memory, ForgedMemory.Region library, Map<String, Long> symbols) {
        this.memory = memory;
        this.library = library;
        this.symbols = symbols;
    }

    void write(
            ForgedFields fields,
            Map<VmField, Long> locations,
            Map<String, Long> sizes,
            Map<String, Integer> intConstants) {
        structs(fields, locations);
        types(sizes);
        constants(intConstants);
    }

    private void structs(ForgedFields fields, Map<VmField, Long> locations) {
        parameter("gHotSpotVMStructEntryTypeNameOffset", 0);
        parameter("gHotSpotVMStructEntryFieldNameOffset", 8);
        parameter("gHotSpotVMStructEntryIsStaticOffset", 24);
        parameter("gHotSpotVMStructEntryOffsetOffset", 32);
        parameter("gHotSpotVMStructEntryAddressOffset", 40);
        parameter("gHotSpotVMStructEntryArrayStride", STRIDE);
        long table = library.allocate((locations.size() + 1) * STRIDE);
        parameter("gHotSpotVMStructs", table);
        for (Map.Entry<VmField, Long> row : locations.entrySet()) {
            String name = fields.name(row.getKey());
            int dot = name.indexOf('.');
            boolean fixed = ForgedFields.isStatic(row.getKey());
            memory.putLong(table, memory.string(library, name.substring(0, dot)));
            memory.putLong(table + 8, memory.string(library, name.substring(dot + 1)));
            memory.putInt(table + 24, fixed ? 1 : 0);
            memory.putLong(table + (fixed ? 40 : 32), row.getValue());
            table += STRIDE;
        }
    }

    private void types(Map<String, Long> sizes) {
        parameter("gHotSpotVMTypeEntryTypeNameOffset", 0);
        parameter("gHotSpotVMTypeEntrySizeOffset", 40);
        parameter("gHotSpotVMTypeEntryArrayStride", STRIDE);
        long types = library.allocate((sizes.size() + 1) * STRIDE);
        parameter("gHotSpotVMTypes", types);
        for (Map.Entry<String, Long> type : sizes.entrySet()) {
            memory.putLong(types, memory.string(library, type.getKey()));
            memory.putLong(types + 40, type.getValue());
            types += STRIDE;
        }
    }

    private void constants(Map<String, Integer> intConstants) {
        for (String kind : List.of("Int", "Long")) {
            parameter("gHotSpotVM" + kind + "ConstantEntryNameOffset", 0);
            parameter("gHotSpotVM" + kind + "ConstantEntryValueOffset", 8);
            parameter("gHotSpotVM" + kind + "ConstantEntryArrayStride", 16);
            long constants = library.allocate(32 + 16 * intConstants.size());
            parameter("gHotSpotVM" + kind + "Constants", constants);
            if (kind.equals("Int")) {
                for (Map.Entry<String, Integer> constant : intConstants.entrySet()) {
                    memory.putLong(constants, memory.string(library, constant.getKey()));
                    memory.putInt(constants + 8, constant.getValue());
                    constants += 16;
                }
            }
            memory.putLong(constants, memory.string(library, kind + "::least"));
            memory.putLong(constants + 8, kind.equals("Int") ? 0xdead_beef_8000_0000L : Long.MIN_VALUE);
        }
    }

    private void parameter(String symbol, long value) {
        long address = library.allocate(8);
        memory.putLong(address, value);
        symbols.put(symbol, address);
    }
}
