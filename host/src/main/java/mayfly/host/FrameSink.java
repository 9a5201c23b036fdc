package mayfly.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import mayfly.api.ClassId;
import mayfly.api.ProfilerException;
import mayfly.api.StackFrame;
import mayfly.api.StackSnapshotCallback;
import mayfly.api.Status;
import mayfly.api.code.MethodId;
import org.jspecify.annotations.Nullable;

/**
 * Passes on the frames of one walk, leaf first. It omits the frames of the profiler and of the host, the frames of the
 * JDK that they called: those nearer to the leaf, up to a frame of the program, and the frame of the JDK by which a
 * probe called the host.
 *
 * @param <T> the caller's data
 */
final class FrameSink<T> implements Consumer<StackWalker.StackFrame> {
    /**
     * Upper bound on the consecutive JDK frames held until their caller is known. If there are more, they count as
     * frames of the program.
     */
    private static final int MAX_HELD = 1 << 14;

    /** Instead of the number of a method: it is to be looked up by its name. */
    private static final int UNKNOWN = -1;

    private final String loaderName;
    private final Ids ids;
    private final StackSnapshotCallback<T> callback;
    private final T data;
    private final List<Frame> held = new ArrayList<>();
    private boolean empty = true;
    /** True if the last frame was one of the profiler or the host. */
    private boolean afterOurs;

    /** A frame with its class and, if it is not negative, the number of its method. */
    private record Frame(
            StackTraceElement element, @Nullable Class<?> type, int method, int index) {}

    FrameSink(String loaderName, Ids ids, StackSnapshotCallback<T> callback, T data) {
        this.loaderName = loaderName;
        this.ids = ids;
        this.callback = callback;
        this.data = data;
    }

    /** Returns true if the walk produced no frames. */
    boolean isEmpty() {
        return empty;
    }

    @Override
    public void accept(StackWalker.StackFrame frame) {
        add(frame.toStackTraceElement(), null);
    }

    /** @param classes the classes of the frames */
    void addAll(StackTraceElement[] frames, @Nullable Class<?>[] classes) {
        for (int i = 0; i < frames.length; i++) {
            add(frames[i], classes[i]);
        }
    }

    /** @param parts the result of {@link Vm#backtrace} */
    void addExact(StackTraceElement[] frames, Object @Nullable [] parts) {
        for (int i = 0; i < frames.length; i++) {
            if (parts == null) {
                add(frames[i], null);
            } else {
                int versionAndIndex = ((int[]) parts[2])[i];
                add(new Frame(frames[i], ((Class<?>[]) parts[0])[i], ((int[]) parts[1])[i], versionAndIndex >>> 16));
            }
        }
    }

    /** Adds a frame of which the bytecode index is unknown. */
    void add(StackTraceElement frame, @Nullable Class<?> type) {
        add(new Frame(frame, type, UNKNOWN, -1));
    }

    private void add(Frame frame) {
        empty = false;
        boolean called = afterOurs;
        afterOurs = isOurs(frame.element);
        if (afterOurs) {
            held.clear();
        } else if (called && isTargetOfProbe(frame.element)) {
            return;
        } else if (isOfJdk(frame.element) && held.size() < MAX_HELD) {
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

    private void pass(Frame frame) {
        StackTraceElement element = frame.element;
        boolean isNative = element.isNativeMethod();
        Class<?> type = frame.type;
        ClassId id = type == null ? null : ids.of(type);
        if (!callback.frame(
                new StackFrame(
                        element.getClassName(),
                        element.getMethodName(),
                        isNative ? -1 : element.getLineNumber(),
                        isNative,
                        Optional.ofNullable(id),
                        Optional.ofNullable(type == null || id == null ? null : method(frame, type, id)),
                        isNative ? -1 : frame.index),
                data)) {
            throw new ProfilerException(Status.STACK_SNAPSHOT_ABORTED);
        }
    }

    private @Nullable MethodId method(Frame frame, Class<?> type, ClassId id) {
        return frame.method < 0
                ? ids.methodOf(type, id, frame.element.getMethodName())
                : new MethodId(id, frame.method);
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

    /** Returns true for the frame by which a probe calls the host, if a frame of the host follows it. */
    private static boolean isTargetOfProbe(StackTraceElement frame) {
        return frame.getMethodName().equals("getRules")
                && frame.getClassName().equals("java.time.zone.ZoneRulesProvider");
    }

    private static boolean isOfJdk(StackTraceElement frame) {
        String module = frame.getModuleName();
        return module != null && (module.startsWith("java.") || module.startsWith("jdk."));
    }
}
