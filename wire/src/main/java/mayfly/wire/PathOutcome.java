package mayfly.wire;

/** The outcomes of a question for which the host uses JVMTI, such as the path of references to an object. */
public final class PathOutcome {
    public static final int FOUND = 0;
    /** No strong reference leads to the object, or there are more objects between it and a root than are searched. */
    public static final int NOT_FOUND = 1;
    /** JVMTI is needed, and its lasting cost was not accepted. */
    public static final int NOT_ACCEPTED = 2;
    /** The heap in use is too large to stop the program for a search. */
    public static final int HEAP_TOO_LARGE = 3;
    /** A pass over the heap took too long. */
    public static final int TOO_LATE = 4;
    /** The object has been collected. */
    public static final int GONE = 5;
    /** There is no memory, or JVMTI refuses. */
    public static final int FAILED = 6;
    /** There are more different references than are counted. */
    public static final int TOO_MANY = 7;

    private PathOutcome() {}
}
