package mayfly.stack.lock;

import java.util.List;
import mayfly.discovery.RuntimeThreads.RuntimeThread;
import mayfly.runtime.thread.FrameMonitor;
import mayfly.runtime.thread.MonitorState;
import mayfly.runtime.thread.Unread;
import mayfly.unwind.WalkResult;
import org.jspecify.annotations.Nullable;

/**
 * Reads the monitors of one thread of a dump. Frames of another runtime than that of the thread have none: the thread
 * is another one there.
 */
public final class ThreadMonitors implements MonitorReading {
    private final RuntimeThread thread;
    private @Nullable MonitorState state;

    public ThreadMonitors(RuntimeThread thread) {
        this.thread = thread;
    }

    /** Returns a reading for a thread; of no monitors if it is not managed. */
    public static MonitorReading of(@Nullable RuntimeThread thread) {
        return thread == null ? NONE : new ThreadMonitors(thread);
    }

    /** Returns true if the thread has been copied. */
    public boolean isCopied() {
        return state != null;
    }

    @Override
    public void begin() {
        state = null;
    }

    @Override
    public void copied() {
        state = thread.runtime().monitorState(thread.thread());
    }

    @Override
    public List<FrameMonitor> at(WalkResult walk) {
        MonitorState known = state;
        return walk.monitors(thread.runtime(), known == null ? MonitorState.unread(Unread.NO_TIME) : known);
    }
}
