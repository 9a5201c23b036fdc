package mayfly.stack;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import mayfly.discovery.Refused;
import mayfly.discovery.RuntimeThreads.RuntimeThread;
import mayfly.linux.trace.ThreadStopper;
import mayfly.process.Registers;
import mayfly.process.TargetThread;
import mayfly.stack.ThreadCopier.AllCopies;
import mayfly.stack.lock.MonitorReading;
import mayfly.stack.lock.ThreadMonitors;
import org.jspecify.annotations.Nullable;

/** Copies of all threads of a process, made while all of them were stopped. */
final class StoppedThreads implements AutoCloseable {
    private final ThreadWalks walks;
    private final AllCopies copies;
    /** The runtime's record of each managed thread at the moment of its copy, by the kernel's thread id. */
    private final Map<Integer, AtCopy> atCopy;

    private record AtCopy(Registers anchor, ThreadMonitors monitors) {}

    private StoppedThreads(ThreadWalks walks, AllCopies copies, Map<Integer, AtCopy> atCopy) {
        this.walks = walks;
        this.copies = copies;
        this.atCopy = atCopy;
    }

    /**
     * Stops, copies and releases all threads.
     *
     * @param threads the threads just before
     * @param whileStopped run once when all threads have been copied; it receives the {@link System#nanoTime()} by
     *     which it must return
     * @throws Refused if a thread may not be stopped, or the process has ended
     */
    static StoppedThreads copy(ThreadWalks walks, List<TargetThread> threads, LongConsumer whileStopped)
            throws Refused {
        Map<Integer, RuntimeThread> managed = walks.target().managedThreads();
        Map<Integer, AtCopy> atCopy = new HashMap<>();
        Map<Integer, Runnable> onCopy = new HashMap<>();
        for (TargetThread thread : threads) {
            RuntimeThread runtimeThread = managed.get(walks.target().innerTid(thread.tid()));
            if (runtimeThread != null) {
                var its = new AtCopy(new Registers(walks.target().architecture()), new ThreadMonitors(runtimeThread));
                atCopy.put(thread.tid(), its);
                Runnable readAnchor = walks.anchorReader(runtimeThread, its.anchor);
                onCopy.put(thread.tid(), () -> {
                    readAnchor.run();
                    its.monitors.copied();
                });
            }
        }
        AllCopies copies;
        try {
            copies = walks.copier().copyAll(onCopy, deadline -> {
                readMonitors(atCopy, deadline);
                whileStopped.accept(deadline);
            });
        } catch (IOException e) {
            throw walks.lost();
        }
        if (copies.refusedTid() != 0) {
            int refused = copies.refusedTid();
            copies.close();
            walks.notCopied(refused, ThreadStopper.Outcome.NOT_PERMITTED);
        }
        return new StoppedThreads(walks, copies, atCopy);
    }

    /** Reads the monitors of the stopped threads. Those of the other threads have been read with their copies. */
    private static void readMonitors(Map<Integer, AtCopy> atCopy, long deadline) {
        for (AtCopy its : atCopy.values()) {
            if (!its.monitors.isCopied() && System.nanoTime() - deadline < 0) {
                its.monitors.copied();
            }
        }
    }

    /**
     * Walks the copy of a thread.
     *
     * @throws Refused as {@link ThreadWalks#walk(WalkRequest, FrameCallback, Object)}
     */
    <T extends @Nullable Object> ThreadWalk walk(WalkRequest request, FrameCallback<? super T> callback, T data)
            throws Refused {
        AtCopy its = atCopy.get(request.tid());
        return walks.walk(
                request,
                () -> copies.copy(request.tid(), walks.snapshot()),
                its != null && its.anchor.knowsSp() ? its.anchor : null,
                its == null ? MonitorReading.NONE : its.monitors,
                callback,
                data);
    }

    @Override
    public void close() {
        copies.close();
    }
}
