package mayfly.api;

/**
 * The treatment of hidden frames. A hidden frame is a frame of a class that the JDK generates for a lambda expression
 * or a method handle, or of certain JDK methods that implement calls. The JVM omits hidden frames from the stack trace
 * of an exception.
 */
public enum HiddenFrames {
    /** Hidden frames are omitted. */
    OMIT,
    /** Hidden frames are reported like all other frames. */
    SHOW
}
