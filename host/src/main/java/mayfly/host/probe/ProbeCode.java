package mayfly.host.probe;

import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Inserts probes into class files. */
public final class ProbeCode {
    private static final String INSERTER = "mayfly.host.probe.asm.ProbeInserter";

    private static @Nullable BiFunction<byte[], Map<String, Integer>, Insertion> inserter;

    private ProbeCode() {}

    /**
     * Inserts probes into methods of a class. All other parts of the class stay as they are, except that the constant
     * pool gets more constants at its end.
     *
     * @param classFile the class; it is not changed
     * @param probes the numbers of the methods' {@linkplain ProbeKeys keys}, by name and descriptor as in
     * {@code run()V}
     * @throws IllegalStateException if the trigger did not send the classes for it, because the profiler's manifest
     * does not list the event
     */
    public static Insertion insert(byte[] classFile, Map<String, Integer> probes) {
        return inserter().apply(classFile, probes);
    }

    /** Returns true if the calling thread is defining the classes for it. */
    public static boolean isInUse() {
        return Thread.holdsLock(ProbeCode.class) || DeferredClasses.isInUse();
    }

    /** Returns true if the object is a lock that a thread takes to define these classes. */
    public static boolean isOwnLock(Object object) {
        return object == ProbeCode.class || DeferredClasses.isOwnLock(object);
    }

    /** Defines the classes at the first call. */
    @SuppressWarnings("unchecked")
    private static synchronized BiFunction<byte[], Map<String, Integer>, Insertion> inserter() {
        if (inserter == null) {
            inserter = (BiFunction<byte[], Map<String, Integer>, Insertion>) DeferredClasses.create(INSERTER);
        }
        return inserter;
    }
}
