package mayfly.api;

/**
 * The frames of methods that carry a call and are not part of the program: of lambda expressions' and method handles' own classes, and
 * of some methods of the JDK. The JVM hides them in the stack trace of an exception.
 */
public enum HiddenFrames {
    /** They are left out. */
    OMIT,
    /** They are reported like any other frame. */
    SHOW
}
