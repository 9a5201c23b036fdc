package mayfly.linux.trace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import mayfly.arch.x86.X86_64;
import mayfly.linux.BlockedSyscall;
import mayfly.linux.LiveProcess;
import mayfly.linux.proc.ProcFile;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.proc.Stat;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.Syscall;
import mayfly.linux.sys.X86Abi;
import mayfly.process.Registers;
import mayfly.process.TargetThread;
import org.jspecify.annotations.Nullable;

/**
 * Stops one thread of the target for as long as it takes to copy its registers and stack, some microseconds.
 *
 * <p>A stop has a limit, {@link #STOP_LIMIT_NANOS}: a thread that is held for so long is let go with what has been
 * copied of its stack. Only a kernel that does not let us run can make a stop longer; such stops are counted.
 *
 * <p>A thread waiting in a call that a stop would disturb is not stopped: its stack pointer and program counter come
 * from /proc. Between that look and the stop a running thread may still enter such a call, which then returns EINTR.
 * Everything happens on the platform thread that created the object; when that thread ends, however it ends, the
 * kernel lets go of whatever is still held.
 */
public final class ThreadStopper implements AutoCloseable {

    /** What became of one thread. */
    public enum Outcome {
        /** Stopped, copied and let go: all registers are known. */
        COPIED,
        /** Copied while it waited, without a stop: rsp and rip are known. It provably did not run meanwhile. */
        COPIED_UNSTOPPED,
        /** It does not exist any more. */
        GONE,
        /** Not allowed, or somebody else traces it: see {@link ThreadStopper#refusal()}. */
        NOT_PERMITTED,
        /**
         * It, or one before it, did not stop within 50 ms, nor waits for a CPU. When it does, it is held until the next
         * call of {@link #settle()}, of {@link #stopAndCopy} or {@link #close()}: only this thread can let it go.
         */
        TIMED_OUT,
        /**
         * It goes in and out of a call that a stop would disturb, or is the main thread of our own child. Left alone.
         */
        BLOCKED_IN_UNSAFE_SYSCALL,
        /** It is not a 64-bit thread. */
        UNSUPPORTED
    }

    /** A stop should not take longer; {@link ThreadStopper#overLimit()} counts those that do. */
    public static final long STOP_LIMIT_NANOS = StopClock.LIMIT_NANOS;

    private static final long PATIENCE = 50_000_000;
    private static final long SPIN = 200_000;
    /** How often to be patient again with a thread that only waits for a CPU, as all do on a busy machine. */
    private static final int STARVED = 20;
    /** How long to wait for a late thread before returning to the caller, so that it is not left stopped. */
    private static final long SETTLING = 450_000_000;
    private static final int ATTEMPTS = 3;

    private final LiveProcess target;
    private final boolean ourChild;
    private final Thread owner = Thread.currentThread();
    private final Ptrace ptrace = new Ptrace();
    private final StackCopy stack;
    /** Seized threads that would not stop. They will, and must then be let go. */
    final List<Integer> unsettled = new ArrayList<>();
    private String refusal = "";
    private boolean traced;
    private final StopClock clock;
    private long lastSettled;

    /** Nothing is stopped yet. */
    public ThreadStopper(LiveProcess target) {
        this(target, System::nanoTime);
    }

    /** As above, with another clock. */
    ThreadStopper(LiveProcess target, LongSupplier nanoTime) {
        if (owner.isVirtual()) {
            throw new IllegalStateException("ptrace needs a platform thread");
        }
        this.target = target;
        this.clock = new StopClock(nanoTime);
        this.stack = new StackCopy(target, clock);
        this.ourChild = ProcessHandle.of(target.pid()).flatMap(ProcessHandle::parent)
                .filter(parent -> parent.pid() == ProcessHandle.current().pid()).isPresent();
    }

    /** Why the last NOT_PERMITTED, naming the other tracer if there is one. */
    public String refusal() {
        return refusal;
    }

    /** Whether the last NOT_PERMITTED was because somebody else traces the thread. */
    public boolean isTracedByAnother() {
        return traced;
    }

    /** How many stops took longer than {@link #STOP_LIMIT_NANOS}. */
    public long overLimit() {
        return clock.overLimit();
    }

    /** How long those stops took together, ns. */
    public long overLimitNanos() {
        return clock.overLimitNanos();
    }

    /**
     * Does everything that a stop needs, without a stop: what is done for the first time takes a thousand times as
     * long, and no thread should be held meanwhile.
     */
    public void rehearse() {
        stack.refresh();
        int nobody = 0;
        ptrace.seize(nobody);
        ptrace.interrupt(nobody);
        ptrace.stopped(nobody);
        ptrace.registers(nobody, new Registers(X86Abi.ARCHITECTURE));
        ptrace.detach(nobody, ptrace.pendingSignal());
        copyBlocked(target.pid(), 1 << 16, new ThreadSnapshot(1 << 16));
    }

    /** Stops a thread, copies its registers and at most so many bytes of its stack, and lets it go. */
    public Outcome stopAndCopy(int tid, int maxStackBytes, ThreadSnapshot into) {
        return stopAndCopy(tid, maxStackBytes, into, () -> { });
    }

    /**
     * As above, and does something more at the same moment.
     *
     * @param held done after the copy, before the thread is let go, unless the limit is reached: it keeps the thread
     *        from running, so let it be short. What it has read is of the copy's moment if the outcome is COPIED or COPIED_UNSTOPPED
     */
    public Outcome stopAndCopy(int tid, int maxStackBytes, ThreadSnapshot into, Runnable held) {
        if (Thread.currentThread() != owner) {
            throw new IllegalStateException("ptrace belongs to " + owner);
        }
        if (tid == unstoppableChild()) {
            return copyBlocked(tid, maxStackBytes, into, held);
        }
        if (!settle()) {
            // If it is an execve(2) that waits for the end of that thread, which we must take note of, then attaching
            // to another would wait for the execve: for ever.
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
                return isGone(tid, e) ? Outcome.GONE : refused(tid, "what it waits in may not be read (/proc/"
                        + target.pid() + "/task/" + tid + "/syscall), so that a stop might disturb it");
            }
        }
        return Outcome.BLOCKED_IN_UNSAFE_SYSCALL;
    }

    /**
     * Copies the stack of a thread that waits in the kernel, without a stop; BLOCKED_IN_UNSAFE_SYSCALL if it does not
     * wait or does not stay so.
     */
    public Outcome copyBlocked(int tid, int maxStackBytes, ThreadSnapshot into) {
        return copyBlocked(tid, maxStackBytes, into, () -> { });
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
        into.registers().set(X86_64.RSP, call.sp());
        into.registers().set(X86_64.RIP, call.pc());
        stack.copy(maxStackBytes, into);
        held.run();
        stack.bound(into);
        into.time(System.nanoTime(), 0);
        // The same call, and not once on a CPU in between: the copy is of one moment.
        return call.equals(BlockedSyscall.read(target, tid)) && before.equals(switches(tid));
    }

    /** The thread that must not be stopped, because the JDK would take that for its end; 0 if there is none. */
    int unstoppableChild() {
        return ourChild ? target.pid() : 0;
    }

    /** Whether this object traces a thread because it has not stopped in time. */
    boolean isUnsettled(int tid) {
        return unsettled.contains(tid);
    }

    /** Whether anybody traces a thread. */
    boolean isTraced(int tid) {
        try {
            return tracer(tid) != 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** How often a thread was on a CPU. */
    String switches(int tid) throws IOException {
        return ProcFile.text(target.proc() + "/task/" + tid + "/status", 1 << 16).lines()
                .filter(line -> line.contains("ctxt_switches")).toList().toString();
    }

    boolean isUninterruptible(int tid) throws IOException {
        Stat stat = Stat.parse(ProcFile.line(target.proc() + "/task/" + tid + "/stat"));
        return stat != null && stat.state() == 'D';
    }

    private Outcome stop(int tid, int maxStackBytes, ThreadSnapshot into, Runnable held) {
        into.begin();
        long seized = seize(ptrace, tid);
        if (seized == -Errno.ESRCH) {
            return Outcome.GONE;
        }
        if (seized < 0) {
            return refused(tid, "ptrace seize: " + Errno.name((int) -seized));
        }
        unsettled.add(tid);
        lastSettled = clock.now();
        clock.free(lastSettled);
        ptrace.interrupt(tid);
        int stop = awaitStop(tid, System.nanoTime() + PATIENCE);
        for (int i = 0; stop == 0 && i < STARVED && isWaitingForCpu(tid); i++) {
            stop = awaitStop(tid, System.nanoTime() + PATIENCE);
        }
        if (stop == 0) {
            settle(SETTLING);
            return Outcome.TIMED_OUT;
        }
        if (stop < 0) {
            unsettled.remove((Integer) tid);
            takeOver(tid);
            return Outcome.GONE;
        }
        long got;
        try {
            got = ptrace.registers(tid, into.registers());
            if (got == 0) {
                // Before the stack, which may take the rest of the time.
                if (!clock.isLimitReached()) {
                    held.run();
                }
                stack.copy(maxStackBytes, into);
            }
        } finally {
            // One that was killed meanwhile cannot be let go: its process waits until we have taken note of its end.
            if (ptrace.detach(tid, ptrace.pendingSignal()) >= 0) {
                unsettled.remove((Integer) tid);
            } else {
                settle(SETTLING);
            }
        }
        into.time(System.nanoTime(), clock.end());
        if (got < 0) {
            return got == -Errno.ESRCH ? Outcome.GONE : Outcome.UNSUPPORTED;
        }
        stack.bound(into);
        return Outcome.COPIED;
    }

    /**
     * A thread that calls execve(2) takes its process's id, and is traced on under that. The stop that was asked for under the
     * earlier id may have found nothing, so it is asked for again.
     */
    private void takeOver(int tid) {
        if (tid != target.pid() && !ourChild) {
            ptrace.interrupt(target.pid());
            unsettled.add(target.pid());
            settle(SETTLING);
        }
    }

    private boolean isWaitingForCpu(int tid) {
        try {
            Stat stat = Stat.parse(ProcFile.line(target.proc() + "/task/" + tid + "/stat"));
            return stat != null && stat.state() == 'R';
        } catch (IOException e) {
            return false;
        }
    }

    /** 1 when it has stopped, 0 if it has not by the deadline, -1 if it has gone. */
    private int awaitStop(int tid, long deadline) {
        long spinUntil = deadline - PATIENCE + SPIN;
        while (true) {
            long looked = clock.now();
            long code = ptrace.stopped(tid);
            if (code == Ptrace.CLD_TRAPPED || code == Ptrace.CLD_STOPPED) {
                return 1;
            }
            if (code != 0 && code != -Errno.EINTR) {
                return -1;
            }
            clock.free(looked);
            long now = System.nanoTime();
            if (now - deadline >= 0) {
                return 0;
            }
            if (now - spinUntil < 0) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(20_000);
            }
        }
    }

    /** Lets go of threads that have stopped too late, or were killed while they were held. True if none is left. */
    public boolean settle() {
        if (unsettled.isEmpty()) {
            return true;
        }
        long before = lastSettled;
        lastSettled = clock.now();
        unsettled.removeIf(tid -> {
            int state = awaitStop(tid, System.nanoTime());
            boolean late = state > 0 && ptrace.detach(tid, ptrace.pendingSignal()) >= 0;
            if (late) {
                clock.held(clock.now() - before);
            }
            return late || state < 0;
        });
        return unsettled.isEmpty();
    }

    boolean isGone(int tid, IOException e) {
        return ProcFile.isGone(e) || hasEnded(tid);
    }

    /**
     * Seizes a thread; ESRCH also for one that has ended and is still there, where the kernel says EPERM. Such a first thread
     * of a process becomes another one when execve(2) is over, so that it is asked for once more. ESRCH also if the id has come
     * to mean a thread of another process, which is let go.
     */
    long seize(Ptrace by, int tid) {
        long seized = by.seize(tid);
        if (seized == -Errno.EPERM && !hasEnded(tid)) {
            seized = by.seize(tid);
        }
        if (seized == 0 && !isOurs(tid)) {
            letGo(by, tid);
            return -Errno.ESRCH;
        }
        return seized == -Errno.EPERM && hasEnded(tid) ? -Errno.ESRCH : seized;
    }

    /** Whether the calling thread traces a thread of the target, as the target's own directory in /proc has it. */
    private boolean isOurs(int tid) {
        try {
            return tracer(tid) == Syscall.call(Syscall.GETTID, 0);
        } catch (IOException e) {
            return false;
        }
    }

    private int tracer(int tid) throws IOException {
        return ProcStatus.parse(ProcFile.text(target.proc() + "/task/" + tid + "/status", 1 << 16)).tracerPid();
    }

    /**
     * Ends the tracing of a thread that runs, which must be stopped for that. One that does not stop in time is let go by a later
     * {@link #settle()}; that of a {@link WorldStop}, when its tracing thread ends.
     */
    private void letGo(Ptrace by, int tid) {
        by.interrupt(tid);
        if (by == ptrace) {
            unsettled.add(tid);
            settle(SETTLING);
            takeOver(tid);
            return;
        }
        long deadline = System.nanoTime() + SETTLING;
        long code = by.stopped(tid);
        while (code == 0 && System.nanoTime() - deadline < 0) {
            Thread.yield();
            code = by.stopped(tid);
        }
        if (code == Ptrace.CLD_TRAPPED || code == Ptrace.CLD_STOPPED) {
            by.detach(tid, by.pendingSignal());
        }
    }

    private boolean hasEnded(int tid) {
        try {
            TargetThread thread = target.thread(tid);
            return thread == null || thread.state() == 'Z' || thread.state() == 'X';
        } catch (IOException e) {
            return false;
        }
    }

    Outcome refused(int tid, @Nullable String reason) {
        refusal = String.valueOf(reason);
        traced = false;
        try {
            // The kernel names the tracing thread.
            int tracer = tracer(tid);
            if (tracer != 0) {
                int process = ProcStatus.parse(ProcFile.text("/proc/" + tracer + "/status", 1 << 16)).processId();
                String name = ProcStatus.parse(ProcFile.text("/proc/" + process + "/status", 1 << 16)).name();
                refusal = "process " + process + " (" + name + ") traces it already";
                traced = true;
            }
        } catch (IOException e) {
            // One of them has gone: then the reason stands as it is.
            return Outcome.NOT_PERMITTED;
        }
        return Outcome.NOT_PERMITTED;
    }

    private void settle(long nanos) {
        long deadline = System.nanoTime() + nanos;
        while (!settle() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(100_000);
        }
    }

    /** Lets go of everything, waiting up to a second for threads that would not stop. */
    @Override
    public void close() {
        settle(1_000_000_000L);
    }
}
