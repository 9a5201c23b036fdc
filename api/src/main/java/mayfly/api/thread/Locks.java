package mayfly.api.thread;

/**
 * The locks that a walk of all threads reports. The JVM states them by its management. The first use of the management
 * loads the JDK's library {@code libmanagement.so}, which stays mapped until the process ends, and initialises some of
 * the JDK's classes (docs/footprint.md). Many programs have used it themselves.
 */
public enum Locks {
    /** None. */
    OMIT,
    /** The locks that threads own and want, if the program has loaded the library itself; otherwise a refusal. */
    SHOW_IF_LOADED,
    /** The locks that threads own and want. Loads the library if necessary. */
    SHOW
}
