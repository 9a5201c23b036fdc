package mayfly.wire.launch;

/** Offsets in a launch file, in bytes. The length and the bytes of ATTACH's payload follow the library. */
public final class LaunchOffset {
    public static final int MAGIC = 0;
    /** CRC-32 of everything after it. */
    public static final int CHECKSUM = 8;
    /** Values of {@link LaunchFlag}. */
    public static final int FLAGS = 12;
    /** Upper bound on the time that main waits, ns. */
    public static final int LIMIT = 16;
    /** The oldest feature version of Java that can host a profiler. */
    public static final int OLDEST = 24;
    /** The newest such version. */
    public static final int NEWEST = 28;

    public static final int LIBRARY_LENGTH = 32;
    public static final int LIBRARY = 36;

    private LaunchOffset() {}
}
