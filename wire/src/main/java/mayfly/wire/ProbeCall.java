package mayfly.wire;

/** The calls by which the Java half changes and reads the code of methods. {@code probes.c} has their arguments. */
public final class ProbeCall {
    /**
     * The JDK's map of time-zone providers, in which a probe finds its target. The argument is the loader of the
     * classes for probes.
     */
    public static final int SLOT = 0;
    /** Sets the classes that have probes. */
    public static final int WATCH = 1;
    /** The bytecodes of a class. */
    public static final int CODE = 2;
    /** Retransforms classes. */
    public static final int RETRANSFORM = 3;
    /** Counts the frames of replaced code. */
    public static final int FRAMES = 4;

    private ProbeCall() {}
}
