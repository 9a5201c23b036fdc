package mayfly.host.frame;

import java.lang.management.LockInfo;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import mayfly.api.thread.Blocker;
import mayfly.api.thread.HeldMonitor;

/**
 * A thread as the JVM's management describes it at a safepoint. A runtime may lack the classes of the management, so
 * this class is used only if it has them. It is linked in every runtime: no code here may need a check by the verifier
 * that one of these classes is a subclass of another, which would load them.
 */
public final class ManagedThread {
    private final ThreadInfo info;

    /** @param info a {@link ThreadInfo} with locks */
    public ManagedThread(Object info) {
        this.info = (ThreadInfo) info;
    }

    /** Returns the whole stack, with hidden frames. */
    public StackTraceElement[] stack() {
        return info.getStackTrace();
    }

    public Thread.State state() {
        return info.getThreadState();
    }

    /** Returns the object for which the thread waits. */
    public Optional<Blocker> blocker() {
        LockInfo lock = info.getLockInfo();
        return lock == null ? Optional.empty() : Optional.of(blocker(lock));
    }

    /** Returns the number of the thread that owns what this one waits for; negative if there is none. */
    public long owner() {
        return info.getLockOwnerId();
    }

    private static Blocker blocker(LockInfo lock) {
        return new Blocker(lock.getClassName(), lock.getIdentityHashCode());
    }

    /**
     * Returns the monitors that the thread owns.
     *
     * @param reported the index of each frame of the stack among those reported, or a negative number
     */
    public List<HeldMonitor> monitors(int[] reported) {
        MonitorInfo[] locked = info.getLockedMonitors();
        List<HeldMonitor> monitors = new ArrayList<>(locked.length);
        for (MonitorInfo each : locked) {
            int depth = each.getLockedStackDepth();
            int frame = depth < 0 || depth >= reported.length ? -1 : reported[depth];
            monitors.add(new HeldMonitor(
                    new Blocker(each.getClassName(), each.getIdentityHashCode()),
                    frame < 0 ? OptionalInt.empty() : OptionalInt.of(frame)));
        }
        return Collections.unmodifiableList(monitors);
    }

    /** Returns the synchronizers that the thread owns. */
    public List<Blocker> synchronizers() {
        LockInfo[] locked = info.getLockedSynchronizers();
        List<Blocker> synchronizers = new ArrayList<>(locked.length);
        for (LockInfo each : locked) {
            synchronizers.add(blocker(each));
        }
        return Collections.unmodifiableList(synchronizers);
    }

    /**
     * Returns the index of each frame of a stack among those that a walk has reported; negative if it was not reported.
     * A walk omits hidden frames, and frames at the leaf end.
     *
     * @param frames the number of frames that were reported
     */
    public static int[] reported(StackTraceElement[] stack, boolean hidden, int frames) {
        int[] reported = new int[stack.length];
        int next = frames - 1;
        for (int i = stack.length - 1; i >= 0; i--) {
            boolean shown = hidden || !HiddenMethods.contain(stack[i]);
            reported[i] = shown && next >= 0 ? next : -1;
            next -= shown ? 1 : 0;
        }
        return reported;
    }
}
