package mayfly.wire.launch;

/** The format of a complete launch file. */
public final class LaunchFileFormat {
    public static final String MAGIC = "MAYFLYL1";
    /** Upper bound on the size of the file, in bytes. */
    public static final int MAX_SIZE = 64 << 20;

    private LaunchFileFormat() {}
}
