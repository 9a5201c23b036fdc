package mayfly.host;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import mayfly.api.ProfilerException;
import mayfly.api.StackFrame;
import mayfly.api.StackSnapshotCallback;
import mayfly.api.Status;

/**
 * Passes on the frames of one walk, leaf first. It omits the frames of the profiler and of the host, and the frames of
 * the JDK that they called: those nearer to the leaf, up to a frame of the program.
 *
 * @param <T> the caller's data
 */
final class FrameSink<T> implements Consumer<StackWalker.StackFrame> {
    /**
     * Upper bound on the consecutive JDK frames held until their caller is known. If there are more, they count as
     * frames of the program.
     */
    private static final int MAX_HELD = 1 << 14;

    private final String loaderName;
    private final StackSnapshotCallback<T> callback;
    private final T data;
    private final List<StackTraceElement> held = new ArrayList<>();
    private boolean empty = true;

    FrameSink(String loaderName, StackSnapshotCallback<T> callback, T data) {
        this.loaderName = loaderName;
        this.callback = callback;
        this.data = data;
    }

    /** Returns true if the walk produced no frames. */
    boolean isEmpty() {
        return empty;
    }

    @Override
    public void accept(StackWalker.StackFrame frame) {
        add(frame.toStackTraceElement());
    }

    void addAll(StackTraceElement[] frames) {
        for (StackTraceElement frame : frames) {
            add(frame);
        }
    }

    void add(StackTraceElement frame) {
        empty = false;
        if (isOurs(frame)) {
            held.clear();
        } else if (isOfJdk(frame) && held.size() < MAX_HELD) {
            held.add(frame);
        } else {
            passHeld();
            pass(frame);
        }
    }

    /** Called after the last frame. */
    void end() {
        passHeld();
    }

    private void passHeld() {
        for (int i = 0; i < held.size(); i++) {
            pass(held.get(i));
        }
        held.clear();
    }

    private void pass(StackTraceElement frame) {
        boolean isNative = frame.isNativeMethod();
        if (!callback.frame(
                new StackFrame(
                        frame.getClassName(), frame.getMethodName(), isNative ? -1 : frame.getLineNumber(), isNative),
                data)) {
            throw new ProfilerException(Status.STACK_SNAPSHOT_ABORTED);
        }
    }

    /**
     * Returns true for a frame of the profiler or the host. The first two classes of the host are in a loader without a
     * name.
     */
    private boolean isOurs(StackTraceElement frame) {
        String name = frame.getClassName();
        return loaderName.equals(frame.getClassLoaderName())
                || name.equals("mayfly.host.MemoryLoader")
                || name.equals("mayfly.host.Bootstrap");
    }

    private static boolean isOfJdk(StackTraceElement frame) {
        String module = frame.getModuleName();
        return module != null && (module.startsWith("java.") || module.startsWith("jdk."));
    }
}
