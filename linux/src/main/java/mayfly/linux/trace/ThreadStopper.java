package mayfly.linux.trace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import mayfly.linux.BlockedSyscall;
import mayfly.linux.LiveProcess;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.proc.ProcFile;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.Syscall;
import mayfly.process.Registers;
import org.jspecify.annotations.Nullable;

/**
 * Stops one thread of the target for the time it takes to copy its registers and stack, some microseconds.
 *
 * <p>A stop has a limit, {@link #STOP_LIMIT_NANOS}: a thread held for that long is released with the part of its stack
 * copied so far. A stop exceeds the limit only if the kernel does not run the stopping thread; such stops are counted.
 *
 * <p>A thread blocked in a call that a stop would disturb is not stopped: its stack pointer and program counter come
 * from /proc. Each thread is checked before its stop, and nothing is read in between; a running thread may still enter
 * such a call in these microseconds, and the call then returns EINTR. All work is done by the platform thread that
 * created the object; when that thread ends, for any reason, the kernel releases all threads still held.
 */
public final class ThreadStopper implements AutoCloseable {

    /** The result for one thread. */
    public enum Outcome {
        /** Stopped, copied and released: all registers are known. */
        COPIED,
        /**
         * Copied without a stop while it was blocked: rsp and rip are known. It provably did not run during the copy.
         */
        COPIED_UNSTOPPED,
        /** The thread does not exist any more. */
        GONE,
        /** Not permitted, or another process traces the thread: see {@link ThreadStopper#refusal()}. */
        NOT_PERMITTED,
        /**
         * This thread, or an earlier one, did not stop within 50 ms and does not wait for a CPU. When it stops, it is
         * held until the next call of {@link #releaseLate()}, {@link #stopAndCopy} or {@link #close()}, because only
         * the tracing thread can release it.
         */
        TIMED_OUT,
        /**
         * The thread repeatedly enters and leaves a call that a stop would disturb, or is the main thread of a child
         * of this process. It was not stopped.
         */
        BLOCKED_IN_UNSAFE_SYSCALL,
        /** Not a 64-bit thread. */
        UNSUPPORTED
    }

    /** The state of a thread whose stop was requested. */
    private enum StopState {
        /** The thread has stopped. */
        STOPPED,
        /** The thread has not stopped in time. */
        RUNNING,
        /** The thread has ended. */
        ENDED
    }

    /** Upper bound for a stop; {@link ThreadStopper#overLimit()} counts the stops that exceed it. */
    public static final long STOP_LIMIT_NANOS = StopClock.LIMIT_NANOS;

    private static final long PATIENCE = 50_000_000;
    private static final long SPIN = 200_000;
    /** Upper bound on repeated waits for a thread that only waits for a CPU, as all threads do on a busy machine. */
    private static final int STARVED = 20;
    /** Upper bound on the wait for a late thread before returning to the caller, so that it is not left stopped; ns. */
    private static final long MAX_RELEASE_NANOS = 450_000_000;

    private static final int ATTEMPTS = 3;

    private final LiveProcess target;
    private final boolean ourChild;
    private final Thread owner = Thread.currentThread();
    private final Ptrace ptrace = new Ptrace();
    private final StackCopy stack;
    private final ThreadStates states;
    /** Seized threads that have not been released. Those that did not stop in time will stop later. */
    final List<Integer> unreleased = new ArrayList<>();

    private String refusal = "";
    private boolean traced;
    private final StopClock clock;
    /** The time of the last check of {@link #unreleased}, by the clock. */
    private long lastCheck;

    /**
     * Creates a stopper for the threads of a process. No thread is stopped yet.
     *
     * @throws IllegalStateException if called from a virtual thread
     */
    public ThreadStopper(LiveProcess target) {
        this(target, System::nanoTime);
    }

    /** Creates a stopper with another clock. */
    ThreadStopper(LiveProcess target, LongSupplier nanoTime) {
        if (owner.isVirtual()) {
            throw new IllegalStateException("ptrace needs a platform thread");
        }
        this.target = target;
        this.clock = new StopClock(nanoTime);
        this.stack = new StackCopy(target, clock);
        this.states = new ThreadStates(target);
        this.ourChild = ProcessHandle.of(target.pid())
                .flatMap(ProcessHandle::parent)
                .filter(parent -> parent.pid() == ProcessHandle.current().pid())
                .isPresent();
    }

    /** Returns the reason for the last NOT_PERMITTED; it names the other tracer if there is one. */
    public String refusal() {
        return refusal;
    }

    /** Returns true if the last NOT_PERMITTED was caused by another tracer of the thread. */
    public boolean isTracedByAnother() {
        return traced;
    }

    /** Returns the number of stops that exceeded {@link #STOP_LIMIT_NANOS}. */
    public long overLimit() {
        return clock.overLimit();
    }

    /** Returns the total duration of the stops that exceeded the limit, ns. */
    public long overLimitNanos() {
        return clock.overLimitNanos();
    }

    /**
     * Executes all code of a stop without stopping a thread. The first execution takes a thousand times as long as
     * later ones, and no thread should be held during it.
     */
    public void warmUp() {
        stack.refresh();
        int noThread = 0;
        ptrace.seize(noThread);
        ptrace.interrupt(noThread);
        awaitStop(noThread);
        afterInterrupt(StopState.RUNNING, noThread, 0, new ThreadSnapshot(0), () -> {});
        ptrace.registers(noThread, new Registers(Cpu.ABI.architecture()));
        ptrace.detach(noThread, ptrace.pendingSignal());
        copyBlocked(target.pid(), 1 << 16, new ThreadSnapshot(1 << 16));
    }

    /**
     * Stops a thread, copies its registers and at most {@code maxStackBytes} of its stack, and releases it.
     *
     * @throws IllegalStateException if called from a thread other than the one that created this
     */
    public Outcome stopAndCopy(int tid, int maxStackBytes, ThreadSnapshot into) {
        return stopAndCopy(tid, maxStackBytes, into, () -> {});
    }

    /**
     * Stops, copies and releases a thread, and runs an action at the moment of the copy.
     *
     * @param held run after the copy, before the thread is released, unless the limit is reached; it should be short,
     *         because the thread is stopped meanwhile. Data that it reads belongs to the moment of the copy if the
     *         outcome is COPIED or COPIED_UNSTOPPED
     * @throws IllegalStateException if called from a thread other than the one that created this
     */
    public Outcome stopAndCopy(int tid, int maxStackBytes, ThreadSnapshot into, Runnable held) {
        if (Thread.currentThread() != owner) {
            throw new IllegalStateException("ptrace belongs to " + owner);
        }
        if (tid == unstoppableChild()) {
            return copyBlocked(tid, maxStackBytes, into, held);
        }
        if (!releaseLate()) {
            // The unreleased thread may have ended during an execve(2) that waits until this thread has reaped it.
            // Attaching to another thread would then wait for the execve: a deadlock.
            return Outcome.TIMED_OUT;
        }
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                BlockedSyscall call = BlockedSyscall.read(target, tid);
                if (call == null || !call.isDisturbedByStop(target) && !isUninterruptible(tid)) {
                    return stop(tid, maxStackBytes, into, held);
                }
                if (copyBlocked(tid, call, maxStackBytes, into, held)) {
                    return Outcome.COPIED_UNSTOPPED;
                }
            } catch (IOException e) {
                return isGone(tid, e)
                        ? Outcome.GONE
                        : refused(
                                tid,
                                "its blocked system call may not be read (/proc/" + target.pid() + "/task/" + tid
                                        + "/syscall), so a stop might disturb it");
            }
        }
        return Outcome.BLOCKED_IN_UNSAFE_SYSCALL;
    }

    /**
     * Copies the stack of a thread blocked in the kernel, without a stop. Returns BLOCKED_IN_UNSAFE_SYSCALL if it is
     * not blocked or does not remain so.
     */
    public Outcome copyBlocked(int tid, int maxStackBytes, ThreadSnapshot into) {
        return copyBlocked(tid, maxStackBytes, into, () -> {});
    }

    private Outcome copyBlocked(int tid, int maxStackBytes, ThreadSnapshot into, Runnable held) {
        try {
            for (int i = 0; i < ATTEMPTS; i++) {
                BlockedSyscall call = BlockedSyscall.read(target, tid);
                if (call != null && copyBlocked(tid, call, maxStackBytes, into, held)) {
                    return Outcome.COPIED_UNSTOPPED;
                }
            }
            return Outcome.BLOCKED_IN_UNSAFE_SYSCALL;
        } catch (IOException e) {
            return isGone(tid, e) ? Outcome.GONE : refused(tid, e.getMessage());
        }
    }

    private boolean copyBlocked(int tid, BlockedSyscall call, int maxStackBytes, ThreadSnapshot into, Runnable held)
            throws IOException {
        String before = switches(tid);
        clock.free(clock.now());
        into.begin();
        into.registers().setSp(call.sp());
        into.registers().setPc(call.pc());
        held.run(); // as in a stop: what it reads is not newer than the copy
        stack.copy(maxStackBytes, into);
        stack.bound(into);
        into.time(System.nanoTime(), 0);
        // The same call, and no CPU time in between: the copy is of one moment.
        return call.equals(BlockedSyscall.read(target, tid)) && before.equals(switches(tid));
    }

    /**
     * Returns the id of the thread that must not be stopped, because the JDK would mistake the stop for the end of its
     * child process; 0 if there is none.
     */
    int unstoppableChild() {
        return ourChild ? target.pid() : 0;
    }

    /** Returns true if this object still traces the thread because it has not stopped in time. */
    boolean isUnreleased(int tid) {
        return unreleased.contains(tid);
    }

    /** Returns true if any process traces a thread. */
    boolean isTraced(int tid) {
        try {
            return states.tracer(tid) != 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the end of a thread's status file, which begins with the numbers of its context switches. */
    String switches(int tid) throws IOException {
        String status = ProcFile.text(target.proc() + "/task/" + tid + "/status", 1 << 16);
        return status.substring(Math.max(0, status.lastIndexOf("\nvoluntary_ctxt_switches")));
    }

    boolean isUninterruptible(int tid) throws IOException {
        return states.isUninterruptible(tid);
    }

    /**
     * Stops, copies and releases a thread. The id may by now belong to a thread of another process. This is checked
     * only after the release: a check before the stop would give a running thread time to enter a call that the stop
     * disturbs. A seized thread of another process could be released only by a stop in any case.
     */
    Outcome stop(int tid, int maxStackBytes, ThreadSnapshot into, Runnable held) {
        into.begin();
        long seized = attach(ptrace, tid);
        if (seized < 0) {
            return seized == -Errno.ESRCH ? Outcome.GONE : refused(tid, "ptrace seize: " + Errno.name((int) -seized));
        }
        unreleased.add(tid);
        lastCheck = clock.now();
        clock.free(lastCheck);
        ptrace.interrupt(tid);
        return afterInterrupt(awaitStop(tid), tid, maxStackBytes, into, held);
    }

    private Outcome afterInterrupt(StopState state, int tid, int maxStackBytes, ThreadSnapshot into, Runnable held) {
        return switch (state) {
            case STOPPED -> copyAndRelease(tid, maxStackBytes, into, held);
            case RUNNING -> {
                releaseLate(MAX_RELEASE_NANOS);
                yield Outcome.TIMED_OUT;
            }
            case ENDED -> {
                unreleased.remove((Integer) tid);
                takeOver(tid);
                yield Outcome.GONE;
            }
        };
    }

    private Outcome copyAndRelease(int tid, int maxStackBytes, ThreadSnapshot into, Runnable held) {
        long got;
        try {
            got = ptrace.registers(tid, into.registers());
            if (got == 0) {
                // Before the stack copy, which may take the rest of the time.
                if (!clock.isLimitReached()) {
                    held.run();
                }
                stack.copy(maxStackBytes, into);
            }
        } finally {
            // A thread that was killed meanwhile cannot be released: its process waits until it has been reaped here.
            if (ptrace.detach(tid, ptrace.pendingSignal()) >= 0) {
                unreleased.remove((Integer) tid);
            } else {
                releaseLate(MAX_RELEASE_NANOS);
            }
        }
        into.time(System.nanoTime(), clock.end());
        if (!states.isOfTarget(tid)) {
            return Outcome.GONE;
        }
        if (got < 0) {
            return got == -Errno.ESRCH ? Outcome.GONE : Outcome.UNSUPPORTED;
        }
        stack.bound(into);
        return Outcome.COPIED;
    }

    /**
     * A thread that calls execve(2) gets the id of its process, and remains traced under that id. The interrupt under
     * its earlier id may have had no effect, so it is repeated.
     */
    private void takeOver(int tid) {
        if (tid != target.pid() && !ourChild) {
            ptrace.interrupt(target.pid());
            unreleased.add(target.pid());
            releaseLate(MAX_RELEASE_NANOS);
        }
    }

    /** Waits until a thread stops, longer if it only waits for a CPU. */
    private StopState awaitStop(int tid) {
        StopState state = awaitStop(tid, System.nanoTime() + PATIENCE);
        for (int i = 0; state == StopState.RUNNING && i < STARVED && states.isWaitingForCpu(tid); i++) {
            state = awaitStop(tid, System.nanoTime() + PATIENCE);
        }
        return state;
    }

    private StopState awaitStop(int tid, long deadline) {
        long spinUntil = deadline - PATIENCE + SPIN;
        while (true) {
            long looked = clock.now();
            long code = ptrace.stopped(tid);
            if (code == Ptrace.CLD_TRAPPED || code == Ptrace.CLD_STOPPED) {
                return StopState.STOPPED;
            }
            if (code != 0 && code != -Errno.EINTR) {
                return StopState.ENDED;
            }
            clock.free(looked);
            long now = System.nanoTime();
            if (now - deadline >= 0) {
                return StopState.RUNNING;
            }
            if (now - spinUntil < 0) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(20_000);
            }
        }
    }

    /**
     * Releases threads that have stopped too late, or were killed while they were held. Returns true if none is left.
     */
    public boolean releaseLate() {
        if (unreleased.isEmpty()) {
            return true;
        }
        long before = lastCheck;
        lastCheck = clock.now();
        unreleased.removeIf(tid -> {
            StopState state = awaitStop(tid, System.nanoTime());
            boolean late = state == StopState.STOPPED && ptrace.detach(tid, ptrace.pendingSignal()) >= 0;
            if (late) {
                clock.held(clock.now() - before);
            }
            return late || state == StopState.ENDED;
        });
        return unreleased.isEmpty();
    }

    boolean isGone(int tid, IOException e) {
        return ProcFile.isGone(e) || states.hasEnded(tid);
    }

    /**
     * Seizes a thread. Returns ESRCH also for a thread that has ended but still exists, and if the id now belongs to a
     * thread of another process, which is released.
     */
    long seize(Ptrace by, int tid) {
        long seized = attach(by, tid);
        if (seized == 0 && !isOurs(tid)) {
            letGo(by, tid);
            return -Errno.ESRCH;
        }
        return seized;
    }

    /**
     * Seizes the thread that has an id now. Returns ESRCH also for a thread that has ended but still exists, where the
     * kernel returns EPERM. The call is repeated: if that is the first thread of the process, another thread replaces
     * it when execve(2) completes, and another Mayfly traces a thread for microseconds only.
     */
    private long attach(Ptrace by, int tid) {
        long seized = by.seize(tid);
        for (int i = 0; i < ATTEMPTS && seized == -Errno.EPERM && !states.hasEnded(tid); i++) {
            seized = by.seize(tid);
        }
        return seized == -Errno.EPERM && states.hasEnded(tid) ? -Errno.ESRCH : seized;
    }

    /** Returns true if the calling thread traces the thread, according to the target's own directory in /proc. */
    private boolean isOurs(int tid) {
        try {
            return states.tracer(tid) == Syscall.call(SystemCall.GETTID, 0);
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Ends the tracing of a running thread, which requires a stop. A thread that does not stop in time is released by a
     * later {@link #releaseLate()}, or, if an {@link AllThreadsSnapshot} traces it, when the tracing thread of the
     * snapshot ends.
     */
    private void letGo(Ptrace by, int tid) {
        by.interrupt(tid);
        if (by == ptrace) {
            unreleased.add(tid);
            releaseLate(MAX_RELEASE_NANOS);
            takeOver(tid);
            return;
        }
        long deadline = System.nanoTime() + MAX_RELEASE_NANOS;
        long code = by.stopped(tid);
        while (code == 0 && System.nanoTime() - deadline < 0) {
            Thread.yield();
            code = by.stopped(tid);
        }
        if (code == Ptrace.CLD_TRAPPED || code == Ptrace.CLD_STOPPED) {
            by.detach(tid, by.pendingSignal());
        }
    }

    Outcome refused(int tid, @Nullable String reason) {
        refusal = String.valueOf(reason);
        traced = false;
        try {
            // The kernel names the tracing thread.
            int tracer = states.tracer(tid);
            if (tracer != 0) {
                refusal = ThreadStates.process(tracer) + " traces it already";
                traced = true;
            }
        } catch (IOException e) {
            // The thread or its tracer has ended, so the caller's reason is reported.
            return Outcome.NOT_PERMITTED;
        }
        return Outcome.NOT_PERMITTED;
    }

    private void releaseLate(long nanos) {
        long deadline = System.nanoTime() + nanos;
        while (!releaseLate() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(100_000);
        }
    }

    /** Releases all threads; waits up to a second for threads that did not stop. */
    @Override
    public void close() {
        releaseLate(1_000_000_000L);
    }
}
