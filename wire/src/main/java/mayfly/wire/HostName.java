package mayfly.wire;

/** Names by which a host and its files are recognized from outside. */
public final class HostName {
    /** The host's thread, as the kernel and the JVM name it. */
    public static final String THREAD = "Mayfly host";
    /** The channel's thread, as the kernel names it. */
    public static final String CHANNEL_THREAD = "Mayfly channel";
    /** The beginning of the name of each directory, library and socket of a host. */
    public static final String FILE = ".mayfly-";
    /** The hexadecimal digits that follow in the name of a directory. */
    public static final int DIRECTORY_DIGITS = 16;
    /** The hexadecimal digits that follow in the name of a library, and of the socket beside it. */
    public static final int LIBRARY_DIGITS = 32;
    /** The end of the name of a library. */
    public static final String LIBRARY_SUFFIX = ".so";
    /** The name of the socket, in a directory of its own, of a host whose library has no file. */
    public static final String SOCKET = "s";
    /** The beginning of the name of each memfd of a host. */
    public static final String MEMFD = "mayfly-";
    /** The memfd from which a JVM that starts with a profiler loads the library. */
    public static final String LIBRARY_MEMFD = MEMFD + "library";
    /** The memfd to which the JVM writes its safepoint log. */
    public static final String LOG_MEMFD = MEMFD + "log";

    private HostName() {}
}
