package mayfly.hotspot.inventory;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.Unreadable;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * Reads the system properties from {@code java.lang.System.props}: a java.util.Properties with a ConcurrentHashMap
 * inside.
 */
final class SystemProperties {
    static final List<VmField> NEEDS =
            List.of(VmField.SYSTEM_KLASS, VmField.STRING_KLASS, VmField.KLASS_JAVA_MIRROR, VmField.KLASS_SUPER);

    private SystemProperties() {}

    static SortedMap<String, String> read(HeapObjects objects, Memory memory, VmLayout layout)
            throws MemoryFault, BadMetadata, Unreadable {
        long properties = objects.inStatic(memory.readLong(layout.at(VmField.SYSTEM_KLASS)), "props");
        long map = properties == 0 ? 0 : objects.in(properties, "map");
        if (map == 0) {
            throw new BadMetadata("no properties yet");
        }
        SortedMap<String, String> found = new TreeMap<>();
        objects.entries(map, (key, value) -> {
            if (objects.isString(key) && objects.isString(value)) {
                found.put(objects.text(key), objects.text(value));
            }
        });
        return found;
    }
}
