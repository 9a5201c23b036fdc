package mayfly.api.heap;

/** The outcome of a requested garbage collection. */
public enum CollectionOutcome {
    /** Objects that were unreachable at the time of the request have been collected. */
    COLLECTED,
    /**
     * The JVM has accepted the request and collected nothing: its garbage collector ignores requests, as Shenandoah
     * does with {@code -XX:+DisableExplicitGC}, or it never collects, as Epsilon.
     */
    IGNORED
}
