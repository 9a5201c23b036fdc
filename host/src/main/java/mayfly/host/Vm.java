package mayfly.host;

import java.util.concurrent.atomic.AtomicInteger;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import org.jspecify.annotations.Nullable;

/**
 * What the library does for the Java half. Its natives are registered by the library itself.
 *
 * <p>Each call is counted before it is known whether it may begin, and until it is back in Java: when calls are refused and none is
 * counted, no thread is in the library by way of here, nor will one be. Stacks alone do not tell that, for those of virtual threads are
 * not to be had. Each is written out: a lambda would be one more class of the JDK's in the target.
 */
final class Vm {
    private static final AtomicInteger calls = new AtomicInteger();
    private static volatile boolean refusing;

    private Vm() {}

    /** Refuses all calls from now on, for ever. Says that some have not returned, or null. */
    static @Nullable String refuse() {
        refusing = true;
        return calls.get() == 0 ? null : "a call of the profiler into its runtime that has not returned";
    }

    private static void enter() {
        calls.incrementAndGet();
        if (refusing) {
            calls.decrementAndGet();
            throw new ProfilerException(Status.PROFILER_DETACHING);
        }
    }

    /** Whether whoever attached the profiler accepted that JVMTI slows virtual threads for ever. */
    static boolean lastingCostAccepted() {
        enter();
        try {
            return lastingCostAccepted0();
        } finally {
            calls.decrementAndGet();
        }
    }

    /** Takes what the events of a mask need and enables none; 0, or an error of JNI (negative) or JVMTI. */
    static int prepareEvents(int mask) {
        enter();
        try {
            return prepareEvents0(mask);
        } finally {
            calls.decrementAndGet();
        }
    }

    /** Enables the events of a mask and disables all others; 0, or an error of JVMTI and nothing has changed. */
    static int setEvents(int mask) {
        enter();
        try {
            return setEvents0(mask);
        } finally {
            calls.decrementAndGet();
        }
    }

    /** Whether a flag of the JVM that is true or false is set; false if it has no such flag. */
    static boolean flag(String name) {
        enter();
        try {
            return flag0(name);
        } finally {
            calls.decrementAndGet();
        }
    }

    /** No event is delivered from its return on; the rundown begins on the host's thread. */
    static void beginDetach(long expectedNanos) {
        enter();
        try {
            beginDetach0(expectedNanos);
        } finally {
            calls.decrementAndGet();
        }
    }

    /** For followers, or for the first that comes; false if there was no room. */
    static boolean emit(byte[] bytes) {
        enter();
        try {
            return emit0(bytes);
        } finally {
            calls.decrementAndGet();
        }
    }

    /** Classes that are prepared, with null for each that is not; null if JVMTI refuses. */
    static @Nullable Class<?> @Nullable [] loadedClasses() {
        enter();
        try {
            return loadedClasses0();
        } finally {
            calls.decrementAndGet();
        }
    }

    /** What {@code UpcallKind.METHOD_COMPILED} would bring for each method; null if JVMTI refuses. */
    static Object @Nullable [] compiledMethods() {
        enter();
        try {
            return compiledMethods0();
        } finally {
            calls.decrementAndGet();
        }
    }

    /** The number that {@code Thread.getId} answers unless a class of the program overrides it. */
    static long threadId(Thread thread) {
        enter();
        try {
            return threadId0(thread);
        } finally {
            calls.decrementAndGet();
        }
    }

    /** The platform threads that live now; null if the JVM does not enumerate them. */
    static Thread @Nullable [] liveThreads() {
        enter();
        try {
            return liveThreads0();
        } finally {
            calls.decrementAndGet();
        }
    }

    /** The whole stacks of threads, taken at one safepoint, with hidden frames; null for a thread that does not live. */
    static StackTraceElement @Nullable [] @Nullable [] stacks(Thread[] threads) {
        enter();
        try {
            return stacks0(threads);
        } finally {
            calls.decrementAndGet();
        }
    }

    /**
     * The stack of another thread without hidden frames, cut at {@link #mostFrames}; null if the thread does not live, or the JDK
     * is older than 21.
     */
    static StackTraceElement @Nullable [] stack(Thread thread) {
        enter();
        try {
            return stack0(thread);
        } finally {
            calls.decrementAndGet();
        }
    }

    /** How many frames of a stack the JVM gives to a {@code Throwable} (-XX:MaxJavaStackTraceDepth); all if it is 0. */
    static int mostFrames() {
        enter();
        try {
            return mostFrames0();
        } finally {
            calls.decrementAndGet();
        }
    }

    private static native boolean lastingCostAccepted0();

    private static native int prepareEvents0(int mask);

    private static native int setEvents0(int mask);

    private static native boolean flag0(String name);

    private static native void beginDetach0(long expectedNanos);

    private static native boolean emit0(byte[] bytes);

    private static native @Nullable Class<?> @Nullable [] loadedClasses0();

    private static native Object @Nullable [] compiledMethods0();

    private static native long threadId0(Thread thread);

    private static native StackTraceElement @Nullable [] stack0(Thread thread);

    private static native int mostFrames0();

    // By the library's own threads, or in callbacks, which the library counts, or in the shutdown hook, whose stack is seen.

    /** Whether the profiler came with the JVM: its other initialisation is called. */
    static native boolean atLaunch();

    /** A callback threw; the application has not seen it. */
    static native void countThrown();

    /** Events are delivered from now on. */
    static native void activate();

    /** As {@link #liveThreads}, also when calls of the profiler are refused. */
    static native Thread @Nullable [] liveThreads0();

    /** As {@link #stacks}, also when calls of the profiler are refused. */
    static native StackTraceElement @Nullable [] @Nullable [] stacks0(Thread[] threads);

    /** A system property as it was when the JVM began; null if there was none. */
    static native @Nullable String savedProperty(String name);
}
