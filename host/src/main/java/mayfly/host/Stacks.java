package mayfly.host;

import java.util.Set;
import mayfly.api.HiddenFrames;
import mayfly.api.ProfilerException;
import mayfly.api.StackSnapshotCallback;
import mayfly.api.Status;
import org.jspecify.annotations.Nullable;

/**
 * Walks. The quick ways of the JVM, a {@code Throwable} and the handshake of JDK 21 and later, leave hidden frames out and give at
 * most {@code -XX:MaxJavaStackTraceDepth} frames. A stack that may be deeper, or is wanted with its hidden frames, is walked again
 * in a way that gives all.
 */
final class Stacks {
    /**
     * Bytes that the program's heap must be able to grow by before a deep stack of another thread is asked for: the JVM makes an
     * object of some 60 bytes for each frame, and the OutOfMemoryError would be the program's.
     */
    private static final long ROOM = 16 << 20;

    private final String loaderName;
    private final int most;

    /** @param loaderName the name of the loader of the profiler and the host, whose frames are left out */
    Stacks(String loaderName) {
        this.loaderName = loaderName;
        this.most = Vm.mostFrames();
    }

    /** Walks the calling thread. */
    <T> void walkCaller(HiddenFrames hidden, StackSnapshotCallback<T> callback, T data) {
        FrameSink<T> sink = new FrameSink<>(loaderName, callback, data);
        StackTraceElement[] quick = hidden == HiddenFrames.OMIT ? new Throwable().getStackTrace() : null;
        if (quick != null && quick.length > 0 && !mayBeCut(quick)) { // empty with -XX:-StackTraceInThrowable
            sink.addAll(quick);
        } else {
            StackTraceElement[] whole = whole(Thread.currentThread());
            if (whole != null) {
                addWhole(whole, hidden, sink);
            } else {
                // Of a virtual thread. For others the JDK's walker is not used: its classes read system properties when they are
                // initialised, and the program may have replaced those.
                walker(hidden).forEach(sink);
            }
        }
        sink.end();
    }

    /** Walks another thread. */
    <T> void walk(Thread thread, HiddenFrames hidden, StackSnapshotCallback<T> callback, T data) {
        StackTraceElement[] quick = hidden == HiddenFrames.OMIT ? Vm.stack(thread) : null;
        boolean cut = quick != null && mayBeCut(quick);
        StackTraceElement[] whole = quick == null || cut && hasRoom() ? whole(thread) : null;
        FrameSink<T> sink = new FrameSink<>(loaderName, callback, data);
        if (whole != null) {
            addWhole(whole, hidden, sink);
        } else if (quick != null) {
            sink.addAll(quick);
        }
        sink.end();
        if (whole == null && quick == null || sink.isEmpty() && !thread.isAlive()) {
            throw new ProfilerException(Status.THREAD_GONE);
        }
        if (whole == null && cut) {
            throw new ProfilerException(Status.STACK_SNAPSHOT_TRUNCATED, "the stack is deeper than " + most
                    + " frames, and the program's heap has no room for all of them");
        }
    }

    private static <T> void addWhole(StackTraceElement[] whole, HiddenFrames hidden, FrameSink<T> sink) {
        for (StackTraceElement frame : whole) {
            if (hidden == HiddenFrames.SHOW || !HiddenMethods.contain(frame)) {
                sink.add(frame);
            }
        }
    }

    /** With hidden frames. Null for a thread that does not live, and for a virtual one. */
    private static StackTraceElement @Nullable [] whole(Thread thread) {
        @Nullable StackTraceElement @Nullable [] @Nullable [] stacks = Vm.stacks(new Thread[] {thread});
        return stacks == null ? null : stacks[0];
    }

    private boolean mayBeCut(StackTraceElement[] quick) {
        return most > 0 && quick.length >= most;
    }

    private static boolean hasRoom() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory() >= ROOM;
    }

    private static StackWalker walker(HiddenFrames hidden) {
        return StackWalker.getInstance(Set.of(hidden == HiddenFrames.SHOW ? StackWalker.Option.SHOW_HIDDEN_FRAMES
                : StackWalker.Option.SHOW_REFLECT_FRAMES));
    }
}
