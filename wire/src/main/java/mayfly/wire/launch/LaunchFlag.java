package mayfly.wire.launch;

/** The flags of a launch file. */
public final class LaunchFlag {
    /** JAVA_TOOL_OPTIONS is left unchanged. */
    public static final int KEEP_VARIABLE = 1;
    /** The profiler may be attached to a JVM that never unloads classes. */
    public static final int REMAINING_CLASSES = 2;
    /** The profiler may subscribe to exceptions, which the JVM offers only at its start. */
    public static final int EXCEPTIONS = 4;
    /** The user has chosen the versions of Java; without this flag they are those that can host a profiler. */
    public static final int CHOSEN_VERSIONS = 8;

    private LaunchFlag() {}
}
