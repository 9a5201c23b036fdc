package mayfly.audit;

/** What a difference between two audits means. */
public enum Verdict {
    /** It is on the list of what may remain: docs/footprint.md. */
    ALLOWED,
    /** It may be the program's own doing, or the JVM's: from outside nobody can tell. */
    CHANGED,
    /** A profiler, or what attached one, has left it. */
    TRACE
}
