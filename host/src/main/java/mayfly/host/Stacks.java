package mayfly.host;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import mayfly.api.HiddenFrames;
import mayfly.api.ProfilerException;
import mayfly.api.StackFrame;
import mayfly.api.StackSnapshotCallback;
import mayfly.api.Status;
import mayfly.api.ThreadId;
import mayfly.api.thread.Blocker;
import mayfly.api.thread.Locks;
import mayfly.api.thread.ThreadLocks;
import mayfly.api.thread.ThreadSnapshot;
import mayfly.host.frame.HiddenMethods;
import mayfly.host.frame.ManagedThread;
import mayfly.host.frame.ThreadStatus;
import mayfly.wire.ManagementState;
import org.jspecify.annotations.Nullable;

/**
 * Walks stacks. The JVM's fast methods, a {@code Throwable} and the handshake of JDK 21 and later, omit hidden frames
 * and return at most {@code -XX:MaxJavaStackTraceDepth} frames. If a stack may be deeper, or hidden frames are
 * requested, it is walked again by a method that returns all frames.
 */
final class Stacks {
    /**
     * Bytes that the program's heap must still have room for before a deep stack of another thread is requested: the
     * JVM creates an object of some 60 bytes for each frame, and may exit on an OutOfMemoryError, depending on its
     * flags.
     */
    private static final long ROOM = 16 << 20;
    /** The room for the stack of one of many threads: some 200 frames. */
    private static final long ROOM_PER_THREAD = 32 << 10;

    /** Adds each frame to a list. Not a lambda, which would add a JDK class to the target. */
    private static final StackSnapshotCallback<List<StackFrame>> COLLECTING = new StackSnapshotCallback<>() {
        @Override
        public boolean frame(StackFrame frame, List<StackFrame> to) {
            return to.add(frame);
        }
    };

    private final String loaderName;
    private final Ids ids;
    private final int most;

    /** @param loaderName the name of the loader of the profiler and the host, whose frames are omitted */
    Stacks(String loaderName, Ids ids) {
        this.loaderName = loaderName;
        this.ids = ids;
        this.most = Vm.maxFrames();
    }

    /** Walks the calling thread. */
    <T> void walkCaller(HiddenFrames hidden, StackSnapshotCallback<T> callback, T data) {
        FrameSink<T> sink = new FrameSink<>(loaderName, ids, callback, data);
        Throwable here = hidden == HiddenFrames.OMIT ? new Throwable() : null;
        StackTraceElement[] quick = here == null ? null : here.getStackTrace();
        if (here != null && quick != null && quick.length > 0 && !mayBeCut(quick)) {
            // empty with -XX:-StackTraceInThrowable
            sink.addExact(quick, Vm.backtrace(here, quick.length));
        } else {
            StackTraceElement[] whole = whole(Thread.currentThread());
            if (whole != null) {
                addWhole(whole, hidden, sink);
            } else {
                // Only for virtual threads. StackWalker is not used for others: its classes read system properties
                // during their initialisation, and the program may have replaced those.
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
        FrameSink<T> sink = new FrameSink<>(loaderName, ids, callback, data);
        if (whole != null) {
            addWhole(whole, hidden, sink);
        } else if (quick != null) {
            sink.addAll(quick, Vm.classesOf(quick));
        }
        sink.end();
        if (whole == null && quick == null || sink.isEmpty() && !thread.isAlive()) {
            throw new ProfilerException(Status.THREAD_GONE);
        }
        if (whole == null && cut) {
            throw new ProfilerException(
                    Status.STACK_SNAPSHOT_TRUNCATED,
                    "the stack is deeper than " + most + " frames, and the program's heap has no room for all of them");
        }
    }

    /** Walks all these threads at one moment. A thread that has ended meanwhile has no frames. */
    List<ThreadSnapshot> walkAll(Thread[] threads, HiddenFrames hidden, Locks locks) {
        if (!hasRoomForStacks(threads.length)) {
            throw new ProfilerException(Status.FAILED, "the program's heap has no room for the stacks of all threads");
        }
        @Nullable
        ManagedThread @Nullable [] managed = locks == Locks.OMIT ? null : managed(threads, locks == Locks.SHOW);
        @Nullable
        StackTraceElement @Nullable [] @Nullable [] stacks = managed == null ? Vm.stacks(threads) : stacks(managed);
        if (stacks == null) {
            throw new ProfilerException(Status.FAILED, "the JVM does not show the stacks of its threads");
        }
        long[] numbers = Vm.threadNumbers(threads);
        List<ThreadSnapshot> all = new ArrayList<>(threads.length);
        for (int i = 0; i < threads.length; i++) {
            List<StackFrame> frames = new ArrayList<>();
            StackTraceElement[] whole = stacks[i];
            if (whole != null) {
                FrameSink<List<StackFrame>> sink = new FrameSink<>(loaderName, ids, COLLECTING, frames);
                addWhole(whole, hidden, sink);
                sink.end();
            }
            long cpu = numbers[2 * i + 1];
            ManagedThread with = managed == null ? null : managed[i];
            all.add(new ThreadSnapshot(
                    ids.of(threads[i]),
                    threads[i].getName(),
                    with == null ? ThreadStatus.state(numbers[2 * i]) : with.state(),
                    cpu < 0 ? OptionalLong.empty() : OptionalLong.of(cpu),
                    with == null ? blocker(threads[i]) : with.blocker(),
                    with == null || whole == null
                            ? Optional.empty()
                            : Optional.of(locks(with, whole, hidden, frames.size())),
                    Collections.unmodifiableList(frames)));
        }
        return all;
    }

    private ThreadLocks locks(ManagedThread of, StackTraceElement[] whole, HiddenFrames hidden, int frames) {
        int[] reported = ManagedThread.reported(whole, hidden == HiddenFrames.SHOW, frames);
        long owner = of.owner();
        return new ThreadLocks(
                of.monitors(reported),
                of.synchronizers(),
                owner <= 0 ? Optional.empty() : Optional.of(new ThreadId(ids.runtime(), owner)));
    }

    /** Returns what the JVM's management states about each thread, of one safepoint; null for one that has ended. */
    private @Nullable ManagedThread[] managed(Thread[] threads, boolean mayLoad) {
        int state = Inspection.managementState(threads, mayLoad);
        if (state != ManagementState.READY) {
            throw new ProfilerException(Status.UNSUPPORTED_FOR_ATTACHING_PROFILER, reason(state));
        }
        long[] numbers = new long[threads.length];
        for (int i = 0; i < threads.length; i++) {
            numbers[i] = ids.number(threads[i]);
        }
        @Nullable Object @Nullable [] infos = Inspection.dumpThreads(numbers);
        if (infos == null) {
            throw new ProfilerException(Status.FAILED, "the JVM's management does not state the locks of threads");
        }
        @Nullable ManagedThread[] managed = new ManagedThread[infos.length];
        for (int i = 0; i < infos.length; i++) {
            Object info = infos[i];
            managed[i] = info == null ? null : new ManagedThread(info);
        }
        return managed;
    }

    private static String reason(int state) {
        return switch (state) {
            case ManagementState.NOT_LOADED ->
                "the program has not loaded the JDK's library for management, which a walk with locks would load";
            case ManagementState.NO_MODULE -> "locks are not available: this runtime has no module java.management";
            case ManagementState.CALLS_PROGRAM ->
                "locks are not available: the JVM's management would call the method getId of a class of the program";
            default -> "locks are not available: this JVM has no management functions of a known version";
        };
    }

    private static @Nullable StackTraceElement @Nullable [] @Nullable [] stacks(@Nullable ManagedThread[] managed) {
        @Nullable StackTraceElement @Nullable [] @Nullable [] stacks = new StackTraceElement[managed.length][];
        for (int i = 0; i < managed.length; i++) {
            ManagedThread each = managed[i];
            stacks[i] = each == null ? null : each.stack();
        }
        return stacks;
    }

    private static Optional<Blocker> blocker(Thread thread) {
        Object blocker = Inspection.fieldOf(thread, "java/lang/Thread", "parkBlocker", "Ljava/lang/Object;");
        return blocker == null
                ? Optional.empty()
                : Optional.of(new Blocker(blocker.getClass().getName(), System.identityHashCode(blocker)));
    }

    private static <T> void addWhole(StackTraceElement[] whole, HiddenFrames hidden, FrameSink<T> sink) {
        @Nullable Class<?>[] classes = Vm.classesOf(whole);
        for (int i = 0; i < whole.length; i++) {
            if (hidden == HiddenFrames.SHOW || !HiddenMethods.contain(whole[i])) {
                sink.add(whole[i], classes[i]);
            }
        }
    }

    /** Returns the stack with hidden frames; null for a thread that is not alive and for a virtual one. */
    private static StackTraceElement @Nullable [] whole(Thread thread) {
        @Nullable StackTraceElement @Nullable [] @Nullable [] stacks = Vm.stacks(new Thread[] {thread});
        return stacks == null ? null : stacks[0];
    }

    private boolean mayBeCut(StackTraceElement[] quick) {
        return most > 0 && quick.length >= most;
    }

    private static boolean hasRoom() {
        return hasRoom(ROOM);
    }

    /** Returns true if the heap can have the stacks of this many threads more. */
    static boolean hasRoomForStacks(int threads) {
        return hasRoom(ROOM + threads * ROOM_PER_THREAD);
    }

    /** Returns true if the heap can have this many bytes more. */
    static boolean hasRoom(long bytes) {
        Runtime runtime = Runtime.getRuntime();
        return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory() >= bytes;
    }

    private static StackWalker walker(HiddenFrames hidden) {
        return StackWalker.getInstance(Set.of(
                hidden == HiddenFrames.SHOW
                        ? StackWalker.Option.SHOW_HIDDEN_FRAMES
                        : StackWalker.Option.SHOW_REFLECT_FRAMES));
    }
}
