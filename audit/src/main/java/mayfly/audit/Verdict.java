package mayfly.audit;

/** The meaning of a difference between two audits. */
public enum Verdict {
    /** The item is in the list of permitted remains: docs/footprint.md. */
    ALLOWED,
    /** The program or the JVM may have caused the difference: the cause cannot be determined from outside. */
    CHANGED,
    /** A profiler, or the tool that attached the profiler, has left the item. */
    LEFTOVER
}
