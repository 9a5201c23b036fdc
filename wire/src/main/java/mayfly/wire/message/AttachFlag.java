package mayfly.wire.message;

/** The flags of ATTACH. */
public final class AttachFlag {
    /** JVMTI may be used although it slows virtual threads for the rest of the JVM's life. */
    public static final int LASTING_COST = 1;
    /** {@link AttachBlob#CLIENT_DATA} is present. */
    public static final int DATA = 4;
    /** The JVM is starting: {@code Profiler.initialize} is called. */
    public static final int AT_LAUNCH = 8;
    /** The profiler is for the first JVM of a process only. */
    public static final int FIRST_ONLY = 16;

    private AttachFlag() {}
}
