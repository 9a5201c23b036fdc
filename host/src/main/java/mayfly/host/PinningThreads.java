package mayfly.host;

import org.jspecify.annotations.Nullable;

/** Threads with code of a class loader on their stacks. */
final class PinningThreads {

    private static final String UNSEEN = "a thread: the JVM does not show the stacks";

    /**
     * Upper bound on the threads whose stacks are taken at one safepoint; fewer if that takes longer than {@link
     * #SHORT}.
     */
    private static final int MAX_AT_ONCE = 16;

    /** The duration of a safepoint above which the next one takes fewer stacks, ns. */
    private static final long SHORT = 1_000_000;

    private PinningThreads() {}

    /**
     * Returns the first thread found, as {@code thread "NAME" in CLASS.METHOD:LINE} for human readers, or null. The
     * stacks of only a few threads are taken at one safepoint, because all of them would stop the program for too long.
     * The calling thread is omitted: it is the host's. No method that the class of a thread may override is called.
     */
    static @Nullable String find(String loaderName) {
        Thread[] threads = Vm.liveThreads0();
        if (threads == null) {
            return UNSEEN;
        }
        int count = 1;
        for (int from = 0; from < threads.length; ) {
            count = Math.min(count, threads.length - from);
            Thread[] some = new Thread[count];
            System.arraycopy(threads, from, some, 0, count);
            long began = System.nanoTime();
            @Nullable StackTraceElement @Nullable [] @Nullable [] stacks = Vm.stacks0(some);
            long took = System.nanoTime() - began;
            String found = stacks == null ? UNSEEN : find(loaderName, some, stacks);
            if (found != null) {
                return found;
            }
            from += count;
            count = took > SHORT ? (count + 1) / 2 : Math.min(2 * count, MAX_AT_ONCE);
        }
        return null;
    }

    private static @Nullable String find(
            String loaderName, Thread[] threads, @Nullable StackTraceElement[] @Nullable [] stacks) {
        Thread self = Thread.currentThread();
        for (int i = 0; i < threads.length; i++) {
            @Nullable StackTraceElement @Nullable [] stack = threads[i] == self ? null : stacks[i];
            @Nullable StackTraceElement frame = stack == null ? null : frame(loaderName, stack);
            if (frame != null) {
                return "thread \"" + threads[i].getName() + "\" in " + frame.getClassName() + '.'
                        + frame.getMethodName() + ':' + frame.getLineNumber();
            }
        }
        return null;
    }

    /** Returns the frame of the profiler nearest to the leaf; if there is none, a frame of the host. */
    private static @Nullable StackTraceElement frame(String loaderName, @Nullable StackTraceElement[] stack) {
        @Nullable StackTraceElement found = null;
        for (@Nullable StackTraceElement frame : stack) {
            if (frame != null && loaderName.equals(frame.getClassLoaderName())) {
                found = frame;
                if (!frame.getClassName().startsWith("mayfly.host.")) {
                    return found;
                }
            }
        }
        return found;
    }
}
