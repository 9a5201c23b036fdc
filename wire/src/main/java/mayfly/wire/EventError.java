package mayfly.wire;

/**
 * The errors with which the library refuses an event, in addition to those of JNI (from -1 to -6) and JVMTI (positive).
 * They are below every {@link LoadResult}, so that no number has two meanings.
 */
public final class EventError {
    /** The JVM's attach listener did not execute the command. */
    public static final int LISTENER_SILENT = -10_001;
    /** The JVM never collects, and only a collection releases an environment of JVMTI. */
    public static final int NEVER_COLLECTS = -10_002;
    /** The attach listener of the process belongs to another of its JVMs. */
    public static final int LISTENER_OTHERS = -10_003;
    /** Another agent holds the capability to sample allocations, which one agent of a JVM can hold. */
    public static final int SAMPLING_HELD = -10_004;

    private EventError() {}
}
