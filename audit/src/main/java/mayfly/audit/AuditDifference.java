package mayfly.audit;

/**
 * An item whose count differs between two audits.
 *
 * @param kind the kind of the item
 * @param item the description of the item: untrusted text
 * @param before its count in the first audit
 * @param after its count in the second audit
 * @param verdict the meaning of the difference
 * @param reason the reason for the verdict, in words
 */
public record AuditDifference(AuditKind kind, String item, long before, long after, Verdict verdict, String reason) {

    /** Returns true if the count has increased. */
    public boolean came() {
        return after > before;
    }
}
