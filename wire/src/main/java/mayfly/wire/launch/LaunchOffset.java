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
    /** The feature versions of Java that get the profiler: bit N is set for Java N. */
    public static final int VERSIONS = 24;

    public static final int LIBRARY_LENGTH = 32;
    public static final int LIBRARY = 36;

    private LaunchOffset() {}
}
