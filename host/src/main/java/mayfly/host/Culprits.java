package mayfly.host;

import org.jspecify.annotations.Nullable;

/** Threads with code of a class loader on their stacks. */
final class Culprits {

    private Culprits() {}

    /**
     * The first found, as {@code thread NAME: CLASS.METHOD(LINE)} for people, or null. A thread's stack is taken at a safepoint,
     * all at once. The calling thread is left out: it is the host's. No method of a thread is called that its class may override.
     */
    static @Nullable String find(String loaderName) {
        Thread self = Thread.currentThread();
        Thread[] threads = Vm.liveThreads0();
        @Nullable StackTraceElement @Nullable [] @Nullable [] stacks = threads == null ? null : Vm.stacks0(threads);
        if (threads == null || stacks == null) {
            return "a thread: the JVM does not show the stacks";
        }
        for (int i = 0; i < threads.length; i++) {
            @Nullable StackTraceElement @Nullable [] stack = threads[i] == self ? null : stacks[i];
            @Nullable StackTraceElement frame = stack == null ? null : frame(loaderName, stack);
            if (frame != null) {
                return "thread \"" + threads[i].getName() + "\" in " + frame.getClassName() + '.' + frame.getMethodName()
                        + ':' + frame.getLineNumber();
            }
        }
        return null;
    }

    /** The frame nearest to the leaf that is the profiler's own; one of the host's if there is none. */
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
