package mayfly.wire;

/** The JVMs in which virtual threads become permanently slower once a profiler has used JVMTI. */
public final class LastingCost {
    /** The first feature version of Java with this cost. */
    public static final int SINCE = 21;
    /** The same as a version of JNI. */
    public static final int SINCE_JNI = SINCE << 16;

    private LastingCost() {}
}
