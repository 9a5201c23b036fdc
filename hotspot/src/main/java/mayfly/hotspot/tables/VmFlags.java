package mayfly.hotspot.tables;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/** The current values of a VM's boolean flags, such as UseZGC: the table of JVMFlags, see jvmFlag.hpp. */
public final class VmFlags {
    public static final List<VmField> NEEDS =
            List.of(VmField.FLAGS, VmField.FLAGS_COUNT, VmField.FLAG_NAME, VmField.FLAG_ADDRESS);
    /** Upper bound on the number of flags. JDK 26 has about 1,300. */
    private static final int MAX_FLAGS = 10_000;

    public static final int MAX_NAME = 128;

    private final Map<String, Boolean> values = new HashMap<>();

    /**
     * Reads the flags with these names. A flag that the VM does not have gets the given value.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public VmFlags(Memory memory, VmLayout layout, Map<String, Boolean> wanted) throws MemoryFault, BadMetadata {
        values.putAll(wanted);
        long count = memory.readLong(layout.at(VmField.FLAGS_COUNT));
        requirePlausible(count, layout);
        long flag = memory.readLong(layout.at(VmField.FLAGS));
        for (long i = 0; i < count; i++, flag += layout.flagSize) {
            long name = memory.readLong(flag + layout.at(VmField.FLAG_NAME));
            if (name == 0) {
                continue; // an empty entry ends the table
            }
            String text = VmStructs.string(memory, name, MAX_NAME);
            if (wanted.containsKey(text)) {
                values.put(text, memory.readByte(memory.readLong(flag + layout.at(VmField.FLAG_ADDRESS))) != 0);
            }
        }
    }

    /**
     * Checks the size of the table of flags.
     *
     * @throws BadMetadata if the number of flags or the size of a flag is absurd
     */
    public static void requirePlausible(long count, VmLayout layout) throws BadMetadata {
        if (count <= 0 || count > MAX_FLAGS || layout.flagSize == 0) {
            throw new BadMetadata(count + " flags of " + layout.flagSize + " bytes");
        }
    }

    /** Returns true if a flag is set; false for a flag that was not read. */
    public boolean isSet(String name) {
        return values.getOrDefault(name, false);
    }
}
