package mayfly.wire;

/** The subjects of the lines of the JVM's log that the library passes to its Java half. */
public final class LogTopic {
    /** A pause of a garbage collection has ended. */
    public static final int COLLECTION = 1;
    /** A thread has started or is about to end. */
    public static final int THREAD = 2;
    /** A class is being loaded, which has two lines, or has been unloaded. */
    public static final int CLASS = 3;
    /** The code of a method has been installed. */
    public static final int COMPILATION = 4;

    private LogTopic() {}
}
