package mayfly.wire;

/** The reasons why the host does not ask the JVM's management for the locks of threads. */
public final class ManagementState {
    public static final int READY = 0;
    /** The program has not loaded the JDK's library, which the first question would load. */
    public static final int NOT_LOADED = 1;
    /** The runtime has no module java.management. */
    public static final int NO_MODULE = 2;
    /** The JVM's functions have an unknown version. */
    public static final int UNKNOWN_VERSION = 3;
    /** A question would call a method of the program on the thread that asks. */
    public static final int CALLS_PROGRAM = 4;

    private ManagementState() {}
}
