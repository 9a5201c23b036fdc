package mayfly.hotspot.tables;

import mayfly.hotspot.tables.UnsupportedVm.Reason;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import org.jspecify.annotations.Nullable;

/**
 * The version of a VM. It is read before anything else, so that the report of a VM that cannot be read includes the
 * version.
 *
 * @param feature the feature release, such as 25; 0 if the VM does not describe it
 * @param release the VM's release string, such as {@code 25.0.3+9-LTS}; empty if the VM does not describe it
 */
record VmVersion(int feature, String release) {
    private static final int MAX_RELEASE = 128;
    /**
     * The last feature release whose VM had its own version, such as 25.504-b01. The release string then begins with
     * Java's version.
     */
    private static final int LAST_OF_ITS_OWN = 8;

    static VmVersion read(VmStructs structs, Memory memory) throws MemoryFault {
        int vms = number(structs, memory);
        int javas = javas(structs, memory);
        int feature = javas > 0 && javas <= LAST_OF_ITS_OWN ? javas : vms;
        VmStructs.Field release = field(structs, VmField.VM_RELEASE);
        String text = release == null ? "" : VmStructs.string(memory, memory.readLong(release.location()), MAX_RELEASE);
        return new VmVersion(feature, feature == vms ? text : feature + " (HotSpot " + text + ")");
    }

    private static int number(VmStructs structs, Memory memory) throws MemoryFault {
        VmStructs.Field major = field(structs, VmField.VM_MAJOR_VERSION);
        return major == null ? 0 : memory.readInt(major.location());
    }

    /**
     * Returns Java's version; 0 if the VM does not describe it or it cannot be read, as in a recorded process that
     * lacks these bytes.
     */
    private static int javas(VmStructs structs, Memory memory) {
        VmStructs.Field current = field(structs, VmField.JDK_CURRENT);
        VmStructs.Field major = field(structs, VmField.JDK_MAJOR);
        try {
            return current == null || major == null ? 0 : memory.readByte(current.location() + major.location());
        } catch (MemoryFault e) {
            return 0;
        }
    }

    private static VmStructs.@Nullable Field field(VmStructs structs, VmField wanted) {
        String name = wanted.names().getFirst();
        int dot = name.indexOf('.');
        return structs.field(name.substring(0, dot), name.substring(dot + 1));
    }

    /** Refuses a VM that is older than the oldest supported one. */
    void requireSupported() throws UnsupportedVm {
        if (feature > 0 && feature < JdkRules.OLDEST) {
            throw new UnsupportedVm(
                    Reason.TOO_OLD,
                    "JDK " + feature + " is not supported; the oldest supported JDK is " + JdkRules.OLDEST,
                    release);
        }
    }
}
