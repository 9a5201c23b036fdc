package mayfly.api.thread;

/**
 * An object for which a thread waits, or whose lock a thread owns.
 *
 * @param className the name of the object's class as {@link Class#getName} returns it
 * @param identity the identity hash code of the object, which two objects may share
 */
public record Blocker(String className, int identity) {}
