package mayfly.host;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicInteger;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import org.jspecify.annotations.Nullable;

/**
 * The library's services for the Java half. The library itself registers the native methods.
 *
 * <p>Each call is counted from before the check that it may begin until it has returned to Java. If the profiler is
 * being detached and the count is zero, no thread is in a native method of this class, and none will enter one. Stacks
 * alone do not prove this, because the stacks of virtual threads are unavailable. Each call is written out: a lambda
 * would add a JDK class to the target.
 */
final class Vm {
    private static final AtomicInteger calls = new AtomicInteger();

    private Vm() {}

    /** Returns a description of calls that have not returned, or null. While the profiler detaches, none begins. */
    static @Nullable String unreturnedCall() {
        return calls.get() == 0 ? null : "a call of the profiler into its runtime that has not returned";
    }

    /** Begins a call; it ends with {@link #leave}. */
    static void enter() {
        calls.incrementAndGet();
        if (Life.HOSTED.state() == Life.State.DETACHING) {
            leave();
            throw new ProfilerException(Status.PROFILER_DETACHING);
        }
    }

    static void leave() {
        calls.decrementAndGet();
    }

    /** Returns true if the user who attached the profiler accepted that JVMTI slows virtual threads permanently. */
    static boolean lastingCostAccepted() {
        enter();
        try {
            return lastingCostAccepted0();
        } finally {
            leave();
        }
    }

    /** Returns the number that the kernel has given to each thread, or 0; null if the JVM does not describe them. */
    static long @Nullable [] osThreads(Thread[] threads) {
        enter();
        try {
            return osThreads0(threads);
        } finally {
            leave();
        }
    }

    /** Returns true if virtual threads already have the cost of JVMTI, because of an earlier profiler. */
    static boolean hasEnvironment() {
        enter();
        try {
            return hasEnvironment0();
        } finally {
            leave();
        }
    }

    /**
     * Returns the loaded classes except array classes, read without JVMTI: a long[] with two addresses for each, and
     * their names. Returns null if they cannot be read.
     */
    static Object @Nullable [] presentClasses() {
        enter();
        try {
            return presentClasses0();
        } finally {
            leave();
        }
    }

    /**
     * Acquires what the events of a mask need and enables none. Returns 0, an error of JNI (negative) or JVMTI, or an
     * {@code EventError}.
     */
    static int prepareEvents(int mask) {
        enter();
        try {
            return prepareEvents0(mask);
        } finally {
            leave();
        }
    }

    /**
     * Enables the events of one mask by JVMTI and those of the other by the JVM's log, and disables all others. Returns
     * 0, or an error of JVMTI or an {@code EventError}; after an error, the previous mask is in effect.
     */
    static int setEvents(int mask, int logged) {
        enter();
        try {
            return setEvents0(mask, logged);
        } finally {
            leave();
        }
    }

    /**
     * Sets the mean number of bytes between two sampled allocations, now if they are enabled and otherwise for later.
     * Returns 0 or an error of JVMTI.
     */
    static int setSamplingInterval(int bytes) {
        enter();
        try {
            return setSamplingInterval0(bytes);
        } finally {
            leave();
        }
    }

    /**
     * Returns the owner of the monitor of this thread's callback, or null.
     *
     * @param outcome receives 0, an error of JVMTI, or -1 if this thread runs no such callback
     */
    static @Nullable Thread monitorOwner(int[] outcome) {
        enter();
        try {
            return monitorOwner0(outcome);
        } finally {
            leave();
        }
    }

    /** Stops the events for exceptions of a subscription, or starts them again. Returns 0 or an error of JVMTI. */
    static int reportExceptions(boolean reported) {
        enter();
        try {
            return reportExceptions0(reported);
        } finally {
            leave();
        }
    }

    /** Returns true if a boolean flag of the JVM is set; false if it has no such flag. */
    static boolean flag(String name) {
        enter();
        try {
            return flag0(name);
        } finally {
            leave();
        }
    }

    /**
     * Begins a detach. No event is delivered after this returns; the rundown begins on the host's thread. Only the call
     * that has changed the life to DETACHING calls this, once, so this call is not refused. The library is not unloaded
     * before this call, because without it the rundown does not begin.
     */
    static void beginDetach(long expectedNanos) {
        calls.incrementAndGet();
        try {
            beginDetach0(expectedNanos);
        } finally {
            leave();
        }
    }

    /** Returns the number of an enumeration or a request that begins now. */
    static long nextSequence() {
        enter();
        try {
            return nextSequence0();
        } finally {
            leave();
        }
    }

    /** Sends to followers, or keeps the bytes for the first one. Returns false if there was no room. */
    static boolean emit(byte[] bytes) {
        enter();
        try {
            return emit0(bytes);
        } finally {
            leave();
        }
    }

    /** Returns the prepared classes, with null for each class that is not prepared; null if JVMTI refuses. */
    static @Nullable Class<?> @Nullable [] loadedClasses() {
        enter();
        try {
            return loadedClasses0();
        } finally {
            leave();
        }
    }

    /**
     * Returns the data of {@code UpcallKind.METHOD_COMPILED} for each method; null if JVMTI or its capability is not
     * available, if another thread is enumerating the methods, or if the program's heap has no room for all of them.
     *
     * @param inlined false to leave out the methods that are inlined in each
     */
    static Object @Nullable [] compiledMethods(boolean inlined) {
        enter();
        try {
            return compiledMethods0(inlined);
        } finally {
            leave();
        }
    }

    /** Returns the number that {@code Thread.getId} returns unless a class of the program overrides it. */
    static long threadId(Thread thread) {
        enter();
        try {
            return threadId0(thread);
        } finally {
            leave();
        }
    }

    /** Returns the live platform threads; null if the JVM does not enumerate them. */
    static Thread @Nullable [] liveThreads() {
        enter();
        try {
            return liveThreads0();
        } finally {
            leave();
        }
    }

    /**
     * Returns the complete stacks of threads, taken at one safepoint, with hidden frames; null for a thread that is not
     * alive.
     */
    static StackTraceElement @Nullable [] @Nullable [] stacks(Thread[] threads) {
        enter();
        try {
            return stacks0(threads);
        } finally {
            leave();
        }
    }

    /**
     * Returns the stack of another thread without hidden frames, cut at {@link #maxFrames}; null if the JDK is older
     * than 21, and for a virtual thread that is not mounted. A thread that is not alive has no frames.
     */
    static StackTraceElement @Nullable [] stack(Thread thread) {
        enter();
        try {
            return stack0(thread);
        } finally {
            leave();
        }
    }

    /**
     * Upper bound on the frames that the JVM gives to a {@code Throwable} (-XX:MaxJavaStackTraceDepth); 0 means no
     * bound.
     */
    static int maxFrames() {
        enter();
        try {
            return maxFrames0();
        } finally {
            leave();
        }
    }

    /**
     * Returns the classes of frames that another method of this class has returned, with null for a frame without one.
     */
    static @Nullable Class<?>[] classesOf(StackTraceElement[] frames) {
        enter();
        try {
            return classesOf0(frames);
        } finally {
            leave();
        }
    }

    /**
     * Returns the frames of a stack trace that has this number of frames: a {@code Class<?>[]}, an {@code int[]} of the
     * numbers of the methods in their classes, and an {@code int[]} with the bytecode index in the high half; null if
     * the JVM's form of a stack trace is unknown.
     */
    static Object @Nullable [] backtrace(Throwable throwable, int frames) {
        enter();
        try {
            return backtrace0(throwable, frames);
        } finally {
            leave();
        }
    }

    /** Returns the number of the only method of that name in a class; -1 if there is not exactly one. */
    static int methodNumber(Class<?> type, String name) {
        enter();
        try {
            return methodNumber0(type, name);
        } finally {
            leave();
        }
    }

    /**
     * Returns two numbers for each thread: its status in bits of JVMTI's thread states, and its CPU time in ns; each is
     * -1 if it cannot be read.
     */
    static long[] threadNumbers(Thread[] threads) {
        enter();
        try {
            return threadNumbers0(threads);
        } finally {
            leave();
        }
    }

    /** Sets the interval of the timer, in ns; 0 switches it off. */
    static void setTimer(long intervalNanos) {
        enter();
        try {
            setTimer0(intervalNanos);
        } finally {
            leave();
        }
    }

    /** Sets the interval of the looks at the threads, in ns, and requests the first one now; 0 switches them off. */
    static void pollEvery(long intervalNanos) {
        enter();
        try {
            pollEvery0(intervalNanos);
        } finally {
            leave();
        }
    }

    /** Returns true if {@link #allocated} is available in this JVM. */
    static boolean countsAllocations() {
        enter();
        try {
            return countsAllocations0();
        } finally {
            leave();
        }
    }

    /** Executes a call of {@code probes.c}, which has its argument and result. */
    static @Nullable Object probes(int call, @Nullable Object argument) {
        enter();
        try {
            return probes0(call, argument);
        } finally {
            leave();
        }
    }

    private static native @Nullable Object probes0(int call, @Nullable Object argument);

    private static native boolean lastingCostAccepted0();

    static native Object @Nullable [] countReferences0(long limitNanos, int[] outcome);

    private static native int prepareEvents0(int mask);

    private static native int setEvents0(int mask, int logged);

    private static native boolean hasEnvironment0();

    private static native Object @Nullable [] presentClasses0();

    private static native int setSamplingInterval0(int bytes);

    private static native int reportExceptions0(boolean reported);

    private static native @Nullable Thread monitorOwner0(int[] outcome);

    private static native boolean flag0(String name);

    private static native void beginDetach0(long expectedNanos);

    private static native boolean emit0(byte[] bytes);

    private static native @Nullable Class<?> @Nullable [] loadedClasses0();

    private static native Object @Nullable [] compiledMethods0(boolean inlined);

    private static native long threadId0(Thread thread);

    private static native StackTraceElement @Nullable [] stack0(Thread thread);

    private static native int maxFrames0();

    private static native @Nullable Class<?>[] classesOf0(StackTraceElement[] frames);

    private static native Object @Nullable [] backtrace0(Throwable throwable, int frames);

    static native Object @Nullable [] members0(Class<?> type, boolean fields, int number);

    private static native int methodNumber0(Class<?> type, String name);

    static native byte @Nullable [] lines0(Class<?> type, int number);

    static native byte @Nullable [] bytecodes0(Class<?> type, String name, String descriptor, int[] outcome);

    static native int instanceSize0(Class<?> type);

    static native Class<?> @Nullable [] interfaces0(Class<?> type);

    static native Object @Nullable [] path0(WeakReference<?> type, int[] outcome);

    private static native void pollEvery0(long intervalNanos);

    private static native boolean countsAllocations0();

    private static native void setTimer0(long intervalNanos);

    private static native long[] threadNumbers0(Thread[] threads);

    static native int managementState0(Thread[] live, boolean mayLoad);

    static native Object @Nullable [] dumpThreads0(long[] numbers);

    static native boolean collect0();

    static native byte @Nullable [] command0(String command, int seconds);

    static native @Nullable Class<?> bootClass0(String name);

    static native @Nullable Object fieldOf0(Object object, String declaring, String name, String descriptor);

    // The following methods are not counted. Their callers are the host's thread, callbacks, which the library counts,
    // and the shutdown hook, whose stack is inspected.

    /** Returns true if the profiler was loaded at JVM startup, so that its other initialisation method is called. */
    static native boolean atLaunch();

    /** As {@link #nextSequence}, for an event in its callback. */
    static native long nextSequence0();

    /** Counts an event that cannot be reported. */
    static native void countLost();

    /** Requests a further {@code LOG_READ}, after this time in nanoseconds; replaces an earlier request. */
    static native void lookAfter(long nanos);

    /** As {@link #osThreads}, but also permitted when calls of the profiler are refused. */
    static native long @Nullable [] osThreads0(Thread[] threads);

    /** Reads the number and the status of each thread; the status is -1 if it cannot be read. */
    static native void statuses(Thread[] threads, long[] numbers, long[] statuses);

    /**
     * Reads the bytes that the platform threads with these numbers have allocated since their start; those of a thread
     * that has ended stay as they are. Returns false if the JVM does not state them.
     */
    static native boolean allocated(long[] numbers, long[] bytes);

    /**
     * Finds the object for whose monitor each of these blocked threads waits: the object, or the name of its class with
     * its identity and the number of the owner or -1 as two values, which are 0 otherwise, or null.
     */
    static native void monitors(
            Thread[] live, Thread[] blocked, long[] numbers, @Nullable Object[] found, long[] values);

    /** Returns the size of an object in bytes, with its header and padding; 0 if JVMTI has been released. */
    static native long objectSize(Object object);

    /** Counts a callback that threw; the application has not seen the exception. */
    static native void countThrown();

    /** Begins the delivery of events. */
    static native void activate();

    /** As {@link #liveThreads}, but also permitted when calls of the profiler are refused. */
    static native Thread @Nullable [] liveThreads0();

    /** As {@link #stacks}, but also permitted when calls of the profiler are refused. */
    static native StackTraceElement @Nullable [] @Nullable [] stacks0(Thread[] threads);

    /** Returns the initial value of a system property; null if there was none. */
    static native @Nullable String savedProperty(String name);
}
