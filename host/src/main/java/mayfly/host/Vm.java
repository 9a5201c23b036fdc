package mayfly.host;

import org.jspecify.annotations.Nullable;

/** What the library does for the Java half. Its natives are registered by the library itself. */
final class Vm {

    private Vm() {}

    /** Whether whoever attached the profiler accepted that JVMTI slows virtual threads for ever. */
    static native boolean lastingCostAccepted();

    /** Whether the profiler came with the JVM: its other initialisation is called. */
    static native boolean atLaunch();

    /** Takes what the events of a mask need and enables none; 0, or an error of JNI (negative) or JVMTI. */
    static native int prepareEvents(int mask);

    /** Enables the events of a mask and disables all others; 0, or an error of JVMTI and nothing has changed. */
    static native int setEvents(int mask);

    /** A callback threw; the application has not seen it. */
    static native void countThrown();

    /** Whether a flag of the JVM that is true or false is set; false if it has no such flag. */
    static native boolean flag(String name);

    /** Events are delivered from now on. */
    static native void activate();

    /** No event is delivered from its return on; the rundown begins on the host's thread. */
    static native void beginDetach(long expectedNanos);

    /** For followers, or for the first that comes; false if there was no room. */
    static native boolean emit(byte[] bytes);

    /** Classes that are prepared, with null for each that is not; null if JVMTI refuses. */
    static native @Nullable Class<?> @Nullable [] loadedClasses();

    /** The tag of an object, 0 if it has none. */
    static native long tag(Object object);

    static native void setTag(Object object, long tag);

    /** What {@link Upcall#METHOD_COMPILED} would bring for each method; null if JVMTI refuses. */
    static native Object @Nullable [] compiledMethods();
}
