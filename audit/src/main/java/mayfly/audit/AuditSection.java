package mayfly.audit;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import mayfly.hotspot.inventory.JvmtiState;

/**
 * The items of one kind in a process at one moment.
 *
 * @param kind the kind
 * @param items the count of each item, by its description: untrusted text
 * @param problem the reason why the kind could not be read; empty if it was. There are then no items, which does not
 *     mean that the process has none
 */
public record AuditSection(AuditKind kind, SortedMap<String, Long> items, String problem) {
    /** Precedes an item that the JVM does not undo when JVMTI is no longer used, of the kind JVMTI_ENVIRONMENTS. */
    public static final String PERMANENT = "permanent: ";
    /** The end of such an item, if JVMTI slows virtual threads until the process ends. */
    public static final String VIRTUAL_THREADS = JvmtiState.VIRTUAL_THREADS;

    public AuditSection {
        items = Collections.unmodifiableSortedMap(new TreeMap<>(items));
    }

    static AuditSection seen(AuditKind kind, SortedMap<String, Long> items) {
        return new AuditSection(kind, items, "");
    }

    static AuditSection unseen(AuditKind kind, String problem) {
        return new AuditSection(kind, new TreeMap<>(), problem);
    }

    /** Returns true if the kind was read. */
    public boolean isSeen() {
        return problem.isEmpty();
    }

    /** Returns the total of all counts. */
    public long count() {
        return items.values().stream().mapToLong(Long::longValue).sum();
    }
}
