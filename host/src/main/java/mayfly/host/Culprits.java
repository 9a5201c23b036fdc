package mayfly.host;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Threads with code of a class loader on their stacks. */
final class Culprits {

    private Culprits() {}

    /**
     * The first found, as {@code thread NAME: CLASS.METHOD(LINE)} for people, or null. A thread's stack is taken at a safepoint,
     * all at once. The calling thread is left out: it is the host's.
     */
    static @Nullable String find(String loaderName) {
        Thread self = Thread.currentThread();
        for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
            if (entry.getKey() == self) {
                continue;
            }
            @Nullable StackTraceElement frame = frame(loaderName, entry.getValue());
            if (frame != null) {
                return "thread \"" + entry.getKey().getName() + "\" in " + frame.getClassName() + '.' + frame.getMethodName()
                        + ':' + frame.getLineNumber();
            }
        }
        return null;
    }

    /** The frame nearest to the leaf that is the profiler's own; one of the host's if there is none. */
    private static @Nullable StackTraceElement frame(String loaderName, StackTraceElement[] stack) {
        @Nullable StackTraceElement found = null;
        for (StackTraceElement frame : stack) {
            if (loaderName.equals(frame.getClassLoaderName())) {
                found = frame;
                if (!frame.getClassName().startsWith("mayfly.host.")) {
                    return found;
                }
            }
        }
        return found;
    }
}
