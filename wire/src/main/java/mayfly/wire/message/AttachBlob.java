package mayfly.wire.message;

/** The blobs of ATTACH, in their order. Each is a length of 4 bytes and its content. */
public final class AttachBlob {
    public static final int LOADER_CLASS = 0;
    public static final int BOOTSTRAP_CLASS = 1;
    /** The classes of the host and of the api. */
    public static final int HOST_ENTRIES = 2;
    /** The content of the profiler's jar. */
    public static final int PROFILER_ENTRIES = 3;
    /** The name of the profiler's class. */
    public static final int PROFILER_CLASS = 4;
    /** A byte for each event in the profiler's manifest: {@code mayfly.api.Event.number()}. */
    public static final int EVENTS = 5;

    public static final int CLIENT_DATA = 6;
    /** The rank of the JVM in its process (4 bytes) and the address of its libjvm (8 bytes). */
    public static final int RUNTIME = 7;

    public static final int EVENT_LOG = 8;
    /** The number of blobs. */
    public static final int COUNT = 9;

    private AttachBlob() {}
}
