package mayfly.wire.launch;

/** A launch file as a whole. */
public final class LaunchFileFormat {
    public static final String MAGIC = "MAYFLYL1";
    /** The most bytes. */
    public static final int MAX_SIZE = 64 << 20;

    private LaunchFileFormat() {}
}
