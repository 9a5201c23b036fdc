package mayfly.api;

/**
 * The treatment of hidden frames: frames of methods that implement calls and are not part of the program, namely of
 * the classes generated for lambda expressions and method handles, and of some JDK methods. The JVM omits them from
 * the stack trace of an exception.
 */
public enum HiddenFrames {
    /** Hidden frames are omitted. */
    OMIT,
    /** Hidden frames are reported like all other frames. */
    SHOW
}
