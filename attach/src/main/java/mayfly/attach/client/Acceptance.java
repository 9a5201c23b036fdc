package mayfly.attach.client;

/** A consequence of an attach that the user accepts. An attach with a consequence that is not accepted is refused. */
public enum Acceptance {
    /** JVMTI may be used, although it slows virtual threads for the rest of the JVM's life. */
    LASTING_COST,
    /** The JVM may be one that never unloads classes: those of the profiler then remain after the detach. */
    REMAINING_CLASSES
}
