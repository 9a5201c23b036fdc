package mayfly.wire;

/** The options of the load, which are ASCII fields separated by commas. */
public final class LoadOption {
    /** Upper bound on the length, in bytes. */
    public static final int MAX_LENGTH = 200;
    /** The first field and the comma after it. */
    public static final String VERSION = "1,";
    /** A letter: the attach listener was started for this request, and the host stops it at the end. */
    public static final char STOP_LISTENER = 'l';
    /** A letter: the profiler may be attached to a JVM that never unloads classes. */
    public static final char REMAINING_CLASSES = 'd';
    /** A letter: the attach listener belongs to another JVM of the process. */
    public static final char LISTENER_OTHERS = 'o';
    /** Replaces the letters if there are none. */
    public static final char NONE = '-';

    private LoadOption() {}
}
