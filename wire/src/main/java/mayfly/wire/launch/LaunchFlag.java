package mayfly.wire.launch;

/** The flags of a launch file. */
public final class LaunchFlag {
    /** JAVA_TOOL_OPTIONS is left as it is. */
    public static final int KEEP_VARIABLE = 1;
    /** The profiler may be attached where the JVM never unloads classes. */
    public static final int DORMANT = 2;

    private LaunchFlag() {}
}
