package mayfly.audit;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One kind of things in a process, as it was at one moment.
 *
 * @param kind which kind
 * @param items how often each is there, by what is told of it: untrusted text
 * @param problem why it could not be seen; empty if it was. Then there are no items, which does not mean that there are
 *     none
 */
public record AuditSection(AuditKind kind, SortedMap<String, Long> items, String problem) {
    public AuditSection {
        items = Collections.unmodifiableSortedMap(new TreeMap<>(items));
    }

    static AuditSection seen(AuditKind kind, SortedMap<String, Long> items) {
        return new AuditSection(kind, items, "");
    }

    static AuditSection unseen(AuditKind kind, String problem) {
        return new AuditSection(kind, new TreeMap<>(), problem);
    }

    /** Whether it was seen. */
    public boolean isSeen() {
        return problem.isEmpty();
    }

    /** How many there are, each counted as often as it is there. */
    public long count() {
        return items.values().stream().mapToLong(Long::longValue).sum();
    }
}
