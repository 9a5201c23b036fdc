package mayfly.audit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The differences between two audits of a process.
 *
 * @param differences the differences, by kind
 * @param uncompared the kinds that were not seen in one of the two, with the reason
 */
public record AuditComparison(List<AuditDifference> differences, Map<AuditKind, String> uncompared) {
    public AuditComparison {
        differences = List.copyOf(differences);
        uncompared = Collections.unmodifiableMap(new LinkedHashMap<>(uncompared));
    }

    /**
     * Compares two audits.
     *
     * @throws NotComparable if they are of different processes
     */
    public static AuditComparison of(Audit before, Audit after) throws NotComparable {
        if (!before.process().equals(after.process())) {
            throw new NotComparable("it is of another process: " + before.process() + ", not " + after.process());
        }
        KnownCauses known = KnownCauses.of(before, after);
        List<AuditDifference> differences = new ArrayList<>();
        Map<AuditKind, String> uncompared = new LinkedHashMap<>();
        for (AuditKind kind : AuditKind.values()) {
            AuditSection was = before.section(kind);
            AuditSection is = after.section(kind);
            if (was.isSeen() && is.isSeen()) {
                add(kind, was, is, known, differences);
            } else {
                uncompared.put(kind, is.isSeen() ? "it was not seen before: " + was.problem() : is.problem());
            }
        }
        return new AuditComparison(differences, uncompared);
    }

    private static void add(
            AuditKind kind, AuditSection was, AuditSection is, KnownCauses known, List<AuditDifference> to) {
        ItemPairs pairs = ItemPairs.of(was.items(), is.items());
        if (kind == AuditKind.THREADS) {
            pairs.pairThreads();
        }
        for (String item : pairs.items()) {
            long before = pairs.before(item);
            long after = pairs.after(item);
            if (before != after) {
                Rule rule = after > before ? known.ruleInsteadOf(Rule.came(kind, item)) : Rule.WENT;
                to.add(new AuditDifference(kind, item, before, after, rule.verdict(), rule.reason()));
            }
        }
    }

    /** Returns the differences with a verdict. */
    public List<AuditDifference> of(Verdict verdict) {
        return differences.stream()
                .filter(difference -> difference.verdict() == verdict)
                .toList();
    }

    /** Thrown if two audits cannot be compared. */
    public static final class NotComparable extends Exception {
        private static final long serialVersionUID = 1L;

        NotComparable(String message) {
            super(message, null, false, false);
        }
    }
}
