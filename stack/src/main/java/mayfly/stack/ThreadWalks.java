package mayfly.stack;

import java.io.IOException;
import java.util.List;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refusals;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import mayfly.discovery.RuntimeThreads;
import mayfly.linux.trace.ThreadSnapshot;
import mayfly.linux.trace.ThreadStopper;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.process.TargetThread;
import mayfly.profile.WalkOutcome;
import mayfly.stack.lock.MonitorReading;
import mayfly.unwind.StackSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * Walks the threads of one process from outside.
 *
 * <p>A thread is stopped by ptrace(2) only while its registers and stack are copied, and walked after it has been
 * resumed. A thread blocked in a system call that a stop would end early is copied without a stop, provided that the
 * kernel's counters prove that it did not run meanwhile. No code is injected into the target, no safepoint is
 * requested and no lock is taken, so a walk works in a hung, a suspended and a stopped JVM, and during a garbage
 * collection.
 *
 * <pre>{@code
 * try (ThreadWalks walks = ThreadWalks.open(pid)) {
 *     ThreadWalk result = walks.walk(WalkRequest.of(tid), (report, names) -> {
 *         names.add(String.valueOf(report.frame()));
 *         return FrameCallback.Action.CONTINUE;
 *     }, new ArrayList<String>());
 * }
 * }</pre>
 *
 * <p>All calls must come from the platform thread that opened the object, one walk at a time. When that thread ends,
 * for any reason, the kernel releases all threads still held. A thread that has not stopped within half a second is
 * skipped. It is released by the next call, at the latest by {@link #close()}: if walks are far apart, call
 * {@link #releaseLate()} between them. A thread can have only one tracer at a time: a debugger, strace, or an object of
 * this class.
 */
public final class ThreadWalks implements AutoCloseable {
    /**
     * Upper bound on the copied bytes of a stack: enough for the maximum number of frames, unless frames are very
     * large.
     */
    static final int STACK_BYTES = 2 << 20;

    private final WalkedProcess target;
    private final ThreadCopier copier;
    private final FrameReports.Names names;
    private final ThreadSnapshot snapshot = new ThreadSnapshot(STACK_BYTES);
    private boolean walking;

    ThreadWalks(WalkedProcess target, ThreadCopier copier) {
        this.target = target;
        this.copier = copier;
        this.names = new FrameReports.Names(target.symbolizer());
    }

    /**
     * Opens a process that has a runtime. No thread is stopped yet.
     *
     * @throws Refused if there is no such process, it may not be read, or it has no runtime that can be read
     *         and has started
     */
    public static ThreadWalks open(int pid) throws Refused {
        return open(pid, false);
    }

    static ThreadWalks open(int pid, boolean awaitStart) throws Refused {
        InspectedProcess target = InspectedProcess.open(pid);
        try {
            if (awaitStart) {
                target.awaitStart();
            }
            target.requireRuntime();
            return new ThreadWalks(new LiveWalkedProcess(target), new PtraceCopier(target.process()));
        } catch (IOException e) {
            Refused refused = Refusals.unreadable(target.process(), e);
            target.close();
            throw refused;
        } catch (Refused | RuntimeException e) {
            target.close();
            throw e;
        }
    }

    /**
     * Releases threads that stopped too late to be walked; each walk does this first.
     *
     * @return true if none is left
     */
    public boolean releaseLate() {
        return copier.releaseLate();
    }

    /**
     * Returns the process's threads according to the kernel.
     *
     * @throws Refused if they cannot be listed
     */
    public List<TargetThread> threads() throws Refused {
        try {
            return target.threads();
        } catch (IOException e) {
            throw lost();
        }
    }

    /**
     * Walks one thread and reports its frames, leaf first. Every walk ends with a result, even if the thread has ended
     * or cannot be walked safely.
     *
     * @param callback called by this thread, while the target's thread runs; an exception ends the walk
     * @param data passed to the callback
     * @throws Refused if the thread may not be stopped, for example because another process traces it, or if
     *         the process has been replaced since it was opened
     * @throws IllegalStateException if called from a callback: walks cannot be nested
     */
    public <T extends @Nullable Object> ThreadWalk walk(WalkRequest request, FrameCallback<? super T> callback, T data)
            throws Refused {
        return walk(request, MonitorReading.NONE, callback, data);
    }

    /** Walks one thread, with its monitors. */
    <T extends @Nullable Object> ThreadWalk walk(
            WalkRequest request, MonitorReading monitors, FrameCallback<? super T> callback, T data) throws Refused {
        return walk(
                request,
                () -> {
                    monitors.begin();
                    return copier.copy(request.tid(), snapshot, monitors::copied);
                },
                (failed, reports) -> walkAgain(request, monitors, reports),
                monitors,
                callback,
                data);
    }

    /** Copies the thread to walk into {@link #snapshot()}. */
    @FunctionalInterface
    public interface Copier {
        /** Copies the thread. Returns the outcome of the attempt. */
        ThreadStopper.Outcome copy();
    }

    /** Finds the managed frames of a thread whose leaf is native code that cannot be stepped over. */
    @FunctionalInterface
    private interface ManagedFrames {
        /**
         * @param failed the walk from the thread's registers
         * @param reports receives the frames
         */
        ThreadWalk find(ThreadWalk failed, FrameReports<?> reports) throws Refused;
    }

    /**
     * Walks a thread that has been copied, with the runtime's record of that thread at the same moment.
     *
     * @param copier makes the copy
     * @param anchor the registers with which the thread left managed code, as stored by the runtime; null if there are
     *         none
     * @throws Refused as {@link #walk(WalkRequest, FrameCallback, Object)}
     */
    public <T extends @Nullable Object> ThreadWalk walk(
            WalkRequest request, Copier copier, @Nullable Registers anchor, FrameCallback<? super T> callback, T data)
            throws Refused {
        return walk(request, copier, anchor, MonitorReading.NONE, callback, data);
    }

    /** Walks a thread that has been copied, with its monitors. */
    <T extends @Nullable Object> ThreadWalk walk(
            WalkRequest request,
            Copier copier,
            @Nullable Registers anchor,
            MonitorReading monitors,
            FrameCallback<? super T> callback,
            T data)
            throws Refused {
        return walk(
                request,
                copier,
                (failed, reports) -> fromElsewhere(request, failed, anchor, reports),
                monitors,
                callback,
                data);
    }

    private <T extends @Nullable Object> ThreadWalk walk(
            WalkRequest request,
            Copier copier,
            ManagedFrames managed,
            MonitorReading monitors,
            FrameCallback<? super T> callback,
            T data)
            throws Refused {
        beginWalk();
        try {
            ThreadStopper.Outcome copied = copier.copy();
            if (!isCopied(copied)) {
                return notCopied(request.tid(), copied);
            }
            FrameReports<T> reports =
                    new FrameReports<>(request, callback, data, names, monitors, target.architecture());
            ThreadWalk result = walkCopy(request, reports);
            if (needsAnchor(result, reports)) {
                result = managed.find(result, reports);
            }
            reports.end();
            return reports.isAborted() ? result.aborted() : result;
        } finally {
            walking = false;
        }
    }

    private void beginWalk() {
        if (walking) {
            throw new IllegalStateException("a walk is under way: walks do not nest");
        }
        walking = true;
    }

    private static boolean isCopied(ThreadStopper.Outcome outcome) {
        return outcome == ThreadStopper.Outcome.COPIED || outcome == ThreadStopper.Outcome.COPIED_UNSTOPPED;
    }

    /** Returns the result for a thread that could not be copied; throws if the reason affects the whole session. */
    ThreadWalk notCopied(int tid, ThreadStopper.Outcome outcome) throws Refused {
        return switch (outcome) {
            case COPIED, COPIED_UNSTOPPED -> throw new IllegalArgumentException("it was copied");
            case NOT_PERMITTED -> throw refused(tid);
            case GONE -> ThreadWalk.gone();
            case TIMED_OUT -> ThreadWalk.unsafe("it did not stop in time");
            case BLOCKED_IN_UNSAFE_SYSCALL ->
                ThreadWalk.unsafe("it repeatedly enters a system call that a stop would end early");
            case UNSUPPORTED -> ThreadWalk.unsafe("it is not a 64-bit thread");
        };
    }

    private Refused refused(int tid) {
        String who = "thread " + tid + " of process " + target.pid();
        if (copier.isTracedByAnother()) {
            return new Refused(
                    Reason.TRACED,
                    who + ": " + copier.refusal(),
                    "only one process can trace a thread at a time: detach the other, or sample with perf, which does"
                            + " not trace: mayfly record");
        }
        return Refusals.notPermitted(target.pid(), "thread " + tid + " may not be stopped: " + copier.refusal());
    }

    private ThreadWalk walkCopy(WalkRequest request, FrameReports<?> reports) throws Refused {
        requireSameProgram();
        target.newEpoch(System.nanoTime());
        reports.beginAnew();
        WalkOutcome outcome = walked(copied(request), reports);
        return new ThreadWalk(
                outcome.isBroken() ? WalkStatus.BROKEN : WalkStatus.DONE,
                outcome,
                ThreadWalk.Start.REGISTERS,
                snapshot.time(),
                snapshot.stopNanos(),
                "");
    }

    /** Returns the outcome of a walk; {@code TRUNCATED} if the callback ended it. */
    private WalkOutcome walked(StackSnapshot stack, FrameReports<?> reports) {
        WalkOutcome outcome = target.walker().walk(stack, reports).outcome();
        return reports.isAborted() ? WalkOutcome.TRUNCATED : outcome;
    }

    private StackSnapshot copied(WalkRequest request) {
        return new StackSnapshot(
                snapshot.registers(),
                false,
                words -> snapshot.stack(),
                snapshot.stackWords(),
                snapshot.stackBase(),
                snapshot.time(),
                request.maxFrames());
    }

    private static boolean needsAnchor(ThreadWalk result, FrameReports<?> reports) {
        return result.status() == WalkStatus.BROKEN && !reports.hasManaged() && !reports.isAborted();
    }

    /**
     * Walks again after a walk has found native code at the leaf that cannot be stepped over. The runtime stores the
     * location where a thread leaves managed code; it is read together with a second copy.
     */
    private ThreadWalk walkAgain(WalkRequest request, MonitorReading monitors, FrameReports<?> reports) throws Refused {
        Registers anchor = new Registers(target.architecture());
        Runnable readAnchor = anchorReader(target.managedThreads().get(target.innerTid(request.tid())), anchor);
        boolean[] read = {false};
        monitors.begin();
        ThreadStopper.Outcome copied = copier.copy(request.tid(), snapshot, () -> {
            readAnchor.run();
            monitors.copied();
            read[0] = true;
        });
        if (!isCopied(copied)) {
            reports.beginAnew();
            return notCopied(request.tid(), copied);
        }
        ThreadWalk result = walkCopy(request, reports);
        if (needsAnchor(result, reports) && !read[0] && request.seed() == null) {
            reports.beginAnew();
            return ThreadWalk.unsafe("it was released at the time limit of a stop, before all data was read");
        }
        if (!needsAnchor(result, reports)) {
            return result;
        }
        return fromElsewhere(request, result, anchor.knowsSp() ? anchor : null, reports);
    }

    /**
     * Returns an action that reads the runtime's record of a thread, with the values of the moment at which the action
     * runs.
     */
    Runnable anchorReader(RuntimeThreads.@Nullable RuntimeThread thread, Registers anchor) {
        return () -> {
            anchor.clear();
            target.forgetMemory();
            try {
                if (thread != null
                        && !thread.runtime().lastManagedFrame(thread.thread().handle(), anchor)) {
                    anchor.clear();
                }
            } catch (MemoryFault e) {
                anchor.clear();
            }
        };
    }

    private ThreadWalk fromElsewhere(
            WalkRequest request, ThreadWalk failed, @Nullable Registers anchor, FrameReports<?> reports) {
        if (anchor != null && isIn(snapshot, anchor.sp())) {
            return resume(request, failed, anchor, ThreadWalk.Start.LAST_MANAGED_FRAME, reports);
        }
        Registers seed = request.seed();
        if (seed == null) {
            return isManaged(request.tid())
                    ? unmanaged(
                            failed,
                            "it runs native code that cannot be stepped over ("
                                    + failed.outcome().id() + "), and its runtime has not recorded the call")
                    : failed;
        }
        return seed.knowsPc() && seed.knowsSp() && isIn(snapshot, seed.sp())
                ? resume(request, failed, seed, ThreadWalk.Start.SEED, reports)
                : unmanaged(failed, "the seed's stack pointer is not in the thread's stack");
    }

    private static boolean isIn(ThreadSnapshot copy, long sp) {
        return sp - copy.stackBase() >= 0 && sp - copy.stackBase() <= 8L * copy.stackWords() && (sp & 7) == 0;
    }

    private ThreadWalk resume(
            WalkRequest request, ThreadWalk failed, Registers at, ThreadWalk.Start start, FrameReports<?> reports) {
        reports.skipped(at);
        WalkOutcome outcome = walked(copied(request).fromCall(at), reports);
        if (outcome.isBroken() && !reports.hasManaged()) {
            return unmanaged(
                    failed,
                    "no managed frame was found from the "
                            + (start == ThreadWalk.Start.SEED ? "seed: " : "runtime's record: ") + outcome.id());
        }
        return new ThreadWalk(
                outcome.isBroken() ? WalkStatus.BROKEN : WalkStatus.DONE,
                outcome,
                start,
                snapshot.time(),
                snapshot.stopNanos(),
                "");
    }

    private static ThreadWalk unmanaged(ThreadWalk failed, String reason) {
        return new ThreadWalk(
                WalkStatus.STACK_SNAPSHOT_UNMANAGED_CONTEXT,
                failed.outcome(),
                failed.start(),
                failed.timeNanos(),
                failed.stopNanos(),
                reason);
    }

    private boolean isManaged(int tid) {
        return target.managedThreads().containsKey(target.innerTid(tid));
    }

    /** Returns the process whose threads are walked. */
    WalkedProcess target() {
        return target;
    }

    /** Returns the buffer for a copy of one thread, reused by each walk. */
    public ThreadSnapshot snapshot() {
        return snapshot;
    }

    ThreadCopier copier() {
        return copier;
    }

    private void requireSameProgram() throws Refused {
        if (target.isReplaced()) {
            throw lost();
        }
    }

    /** Returns the failure for a process that has ended or has been replaced. */
    Refused lost() {
        return lost(target.pid(), target.isAlive());
    }

    /** @param isAlive true if the process has been replaced, false if it has ended */
    static Refused lost(int pid, boolean isAlive) {
        return new Refused(
                Reason.TARGET_GONE,
                "process " + pid + (isAlive ? " became another program" : " ended") + " while it was inspected",
                "");
    }

    @Override
    public void close() {
        copier.close();
        target.close();
    }
}
