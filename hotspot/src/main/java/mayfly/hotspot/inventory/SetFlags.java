package mayfly.hotspot.inventory;

import java.util.ArrayList;
import java.util.List;
import mayfly.hotspot.inventory.SetFlag.Origin;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmFlags;
import mayfly.hotspot.tables.VmLayout;
import mayfly.hotspot.tables.VmStructs;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/** Reads the VM's table of flags, see jvmFlag.hpp: the flags whose value has an origin other than the default. */
final class SetFlags {
    static final List<VmField> NEEDS = List.of(
            VmField.FLAGS,
            VmField.FLAGS_COUNT,
            VmField.FLAG_NAME,
            VmField.FLAG_ADDRESS,
            VmField.FLAG_TYPE,
            VmField.FLAG_FLAGS);
    private static final int MAX_TEXT = 1000;
    /** JVMFlag::VALUE_ORIGIN_MASK. */
    private static final int ORIGIN = 15;

    /** JVMFlag's types, by number. */
    private enum Type {
        BOOL,
        INT,
        UINT,
        INTX,
        UINTX,
        UINT64_T,
        SIZE_T,
        DOUBLE,
        CCSTR,
        CCSTRLIST
    }

    private final Memory memory;
    private final VmLayout layout;
    private final JdkRules rules;

    private SetFlags(Memory memory, VmLayout layout, JdkRules rules) {
        this.memory = memory;
        this.layout = layout;
        this.rules = rules;
    }

    static List<SetFlag> read(Memory memory, VmLayout layout, JdkRules rules) throws MemoryFault, BadMetadata {
        SetFlags flags = new SetFlags(memory, layout, rules);
        List<SetFlag> found = new ArrayList<>();
        long count = memory.readLong(layout.at(VmField.FLAGS_COUNT));
        VmFlags.requirePlausible(count, layout);
        long flag = memory.readLong(layout.at(VmField.FLAGS));
        for (long i = 0; i < count; i++, flag += layout.flagSize) {
            long name = memory.readLong(flag + layout.at(VmField.FLAG_NAME));
            int origin = memory.readInt(flag + layout.at(VmField.FLAG_FLAGS)) & ORIGIN;
            if (name != 0 && origin != Origin.DEFAULT.ordinal()) {
                if (origin >= Origin.values().length) {
                    throw new BadMetadata("a flag with the unknown origin " + origin);
                }
                found.add(new SetFlag(
                        VmStructs.string(memory, name, VmFlags.MAX_NAME), flags.value(flag), Origin.values()[origin]));
            }
        }
        return found;
    }

    private String value(long flag) throws MemoryFault, BadMetadata {
        long at = memory.readLong(flag + layout.at(VmField.FLAG_ADDRESS));
        return switch (type(flag)) {
            case BOOL -> Boolean.toString(memory.readByte(at) != 0);
            case INT -> Integer.toString(memory.readInt(at));
            case UINT -> Integer.toUnsignedString(memory.readInt(at));
            case INTX -> Long.toString(memory.readLong(at));
            case UINTX, UINT64_T, SIZE_T -> Long.toUnsignedString(memory.readLong(at));
            case DOUBLE -> Double.toString(Double.longBitsToDouble(memory.readLong(at)));
            case CCSTR, CCSTRLIST -> {
                long text = memory.readLong(at);
                yield text == 0 ? "" : VmStructs.string(memory, text, MAX_TEXT);
            }
        };
    }

    private Type type(long flag) throws MemoryFault, BadMetadata {
        long field = flag + layout.at(VmField.FLAG_TYPE);
        String name = rules.flagTypeNumbers() ? "" : VmStructs.string(memory, memory.readLong(field), VmFlags.MAX_NAME);
        int number = rules.flagTypeNumbers() ? memory.readInt(field) : -1;
        for (Type type : Type.values()) {
            if (type.ordinal() == number || type.name().equalsIgnoreCase(name)) {
                return type;
            }
        }
        throw new BadMetadata("a flag of the type " + (rules.flagTypeNumbers() ? Integer.toString(number) : name));
    }
}
