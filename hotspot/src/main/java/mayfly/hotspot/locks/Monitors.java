package mayfly.hotspot.locks;

import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.MemoryFault;

/** Reads ObjectMonitors, see objectMonitor.hpp. */
final class Monitors {
    private final VmLayout layout;
    private final JdkRules rules;
    private final JavaHeap heap;

    Monitors(VmLayout layout, JdkRules rules, JavaHeap heap) {
        this.layout = layout;
        this.rules = rules;
        this.heap = heap;
    }

    /** Returns the object of a monitor, or 0 if it has none any more. */
    long object(long monitor) throws MemoryFault, BadMetadata {
        long field = monitor + layout.at(VmField.MONITOR_OBJECT);
        long slot = rules.objectHandles() ? heap.readLong(field) : field;
        return slot == 0 ? 0 : heap.root(slot);
    }

    /** Returns the value that names the owner of a monitor: {@link JdkRules.MonitorOwner}. */
    long owner(long monitor) throws MemoryFault {
        return heap.readLong(monitor + layout.at(VmField.MONITOR_OWNER));
    }

    /** Returns the address of the owner's lock record, or 0 if the VM records none. */
    long lockRecord(long monitor) throws MemoryFault {
        return layout.has(VmField.MONITOR_STACK_LOCKER)
                ? heap.readLong(monitor + layout.at(VmField.MONITOR_STACK_LOCKER))
                : 0;
    }
}
