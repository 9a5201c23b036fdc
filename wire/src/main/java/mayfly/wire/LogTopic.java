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
    /** A compiler has begun to compile a method. */
    public static final int COMPILATION_START = 5;
    /** A thread has left compiled code because of an uncommon trap. */
    public static final int DEOPTIMIZATION = 6;
    /** A module has been defined, or the data of a class loader are being unloaded. */
    public static final int MODULE = 7;

    private LogTopic() {}
}
