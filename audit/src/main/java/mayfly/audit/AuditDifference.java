package mayfly.audit;

/**
 * Something that is there more or less often than before.
 *
 * @param kind of which kind
 * @param item what it is: untrusted text
 * @param before how often it was there
 * @param after how often it is there now
 * @param verdict what that means
 * @param reason why, in words
 */
public record AuditDifference(AuditKind kind, String item, long before, long after, Verdict verdict, String reason) {

    /** Whether there is more of it now. */
    public boolean came() {
        return after > before;
    }
}
