package mayfly.linux.trace;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import mayfly.linux.BlockedSyscall;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessMemory;
import mayfly.linux.proc.HeldProcFile;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.Owned;
import mayfly.linux.trace.ThreadStopper.Outcome;
import mayfly.process.Registers;
import org.jspecify.annotations.Nullable;

/**
 * A copy of all threads of the target at one moment: all are stopped, then all are copied, then all are released.
 *
 * <p>A thread blocked in a call that a stop would disturb is copied without a stop while the others are held, and left
 * out if it ran meanwhile. Threads created during the stop are stopped too; the last scan of the thread list finds no
 * running one. A thread that has not stopped in time is left out, so that the others are not held longer.
 *
 * <p>A separate platform thread does the work and then ends; at that moment the kernel releases, without a stop, all
 * threads that could not be released before.
 */
public final class AllThreadsSnapshot implements AutoCloseable {
    /** Upper bound on the time for which any thread is held, without the time to release it. */
    public static final long LIMIT_NANOS = 2_000_000_000;
    /** Upper bound on the time between the request to stop a thread and its stop. */
    private static final long PATIENCE_NANOS = 250_000_000;
    /** Time spent spinning before the first sleep: most threads have stopped by then, and a sleep takes longer. */
    private static final long SPIN_NANOS = 200_000;
    /** Upper bound on scans for new threads. Each scan finds only those created during the previous one. */
    private static final int LOOKS = 8;
    /** Upper bound on the copied bytes of all stacks together. Memory is used only for copied bytes. */
    private static final long ROOM_BYTES = 1L << 30;

    private static final int MAX_OF_ONE = 1 << 20;
    private static final int PIECE_BYTES = 4 << 20;
    private static final int PAGE = Cpu.ABI.architecture().pageSize();
    /** Approximate stack size of a blocked Java thread; this much memory per thread is prepared before the stop. */
    private static final int TYPICAL_BYTES = 8 << 10;
    /** Upper bound on the threads whose syscall file is opened before the stop, because descriptors are limited. */
    private static final int MAX_HELD = 256;

    private static final int REAP_MILLIS = 50;
    private static final long LET_GO_NANOS = 1_000_000_000;

    /** The tracing of one thread, from its discovery to its release. */
    private enum Stage {
        /** The thread is not traced: it has not been seized, or has ended. */
        UNTRACED,
        /** The thread is traced and runs. */
        SEIZED,
        /** A stop of the thread was requested. */
        INTERRUPTED,
        /** The thread has stopped. It runs again when it is released, at the latest when the tracing thread ends. */
        STOPPED,
        /** The thread runs again. */
        RELEASED
    }

    /** A copy of one thread. */
    private static final class Copy {
        private final Registers registers = new Registers(Cpu.ABI.architecture());
        private Outcome outcome = Outcome.TIMED_OUT;
        private @Nullable MemorySegment stack;
        private long time;
        private Stage stage = Stage.UNTRACED;
        /** True if the thread was in uninterruptible sleep shortly before the stop. */
        private boolean uninterruptible;
        /** The signal that the thread was about to receive when it stopped. */
        private int signal;
        /** The syscall file, opened before any thread is stopped; null if it was not opened. */
        private @Nullable HeldProcFile syscall;

        private @Nullable BlockedSyscall waitsIn;
        private String switches = "";
        /** True if the copy of the stack ended because the room was used up. */
        private boolean full;

        boolean isTraced() {
            return stage != Stage.UNTRACED && stage != Stage.RELEASED;
        }
    }

    private final LiveProcess target;
    private final Ptrace ptrace = new Ptrace();
    private final ProcessMemory memory;
    private final ThreadStopper stopper;
    private final StackCopy stacks;
    private final Arena arena = Arena.ofShared();
    private final Map<Integer, Copy> copies = new LinkedHashMap<>();
    /** The seized threads. Another thread reads this queue while it grows. */
    private final Queue<Integer> seized = new ConcurrentLinkedQueue<>();

    private final Map<Integer, Runnable> onCopy;
    private final LongConsumer whileStopped;
    private final ArrayDeque<MemorySegment> pieces = new ArrayDeque<>();
    private long pieceUsed;
    private long room = ROOM_BYTES;
    private long stopNanos;
    private int refusedTid;
    private int held;

    private AllThreadsSnapshot(
            LiveProcess target, ThreadStopper stopper, Map<Integer, Runnable> onCopy, LongConsumer whileStopped) {
        this.target = target;
        this.stopper = stopper;
        this.onCopy = Map.copyOf(onCopy);
        this.whileStopped = whileStopped;
        this.memory = target.presentMemory();
        this.stacks = new StackCopy(target);
    }

    /**
     * Stops all threads, copies them and releases them. When this returns or throws, no thread is held any more.
     *
     * @param stopper a stopper of the same target; it gives the reason if threads may not be stopped
     * @param onCopy actions by thread id, run at the moment of the copy for a thread that is copied without a stop;
     *         they should be short
     * @param whileStopped run once when all threads have been copied, unless one of them may not be stopped; it
     *         receives the {@link System#nanoTime()} by which it must return
     * @throws IOException if the target's threads cannot be listed
     */
    public static AllThreadsSnapshot copyAll(
            LiveProcess target, ThreadStopper stopper, Map<Integer, Runnable> onCopy, LongConsumer whileStopped)
            throws IOException {
        stopper.releaseLate();
        try (Owned owned = new Owned()) {
            AllThreadsSnapshot snapshot = owned.add(new AllThreadsSnapshot(target, stopper, onCopy, whileStopped));
            snapshot.onThreadOfItsOwn();
            return owned.release(snapshot);
        }
    }

    private void onThreadOfItsOwn() throws IOException {
        Throwable[] failed = new Throwable[1];
        Thread tracer = new Thread(
                () -> {
                    try {
                        copyAll();
                    } catch (IOException | RuntimeException | Error e) {
                        failed[0] = e;
                    }
                },
                "stop of all threads");
        tracer.start();
        boolean interrupted = false;
        while (tracer.isAlive()) {
            try {
                if (!tracer.join(Duration.ofMillis(REAP_MILLIS))) {
                    reap();
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        awaitLetGo();
        switch (failed[0]) {
            case null -> {}
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            default -> throw new IllegalStateException(failed[0]);
        }
    }

    /**
     * Reaps threads that have ended while they were traced; any thread of this process may do this. An execve(2) waits
     * until they have been reaped, and attaching to another thread of that process waits for the execve, so without
     * this method there would be a deadlock.
     */
    private void reap() {
        Ptrace reaper = new Ptrace();
        for (int tid : seized) {
            reaper.reap(tid);
        }
    }

    /**
     * Waits for the release: join() returns slightly before the OS thread has ended and the kernel has released its
     * tracees.
     */
    private void awaitLetGo() {
        long deadline = System.nanoTime() + LET_GO_NANOS;
        copies.forEach((tid, copy) -> {
            while (copy.isTraced() && stopper.isTraced(tid) && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(100_000);
            }
        });
    }

    /** Returns the ids of the threads found, in the kernel's order. */
    public List<Integer> tids() {
        return List.copyOf(copies.keySet());
    }

    /**
     * Returns the id of a thread that may not be stopped, 0 if there was none. If it was found by the first scan, no
     * thread was stopped.
     */
    public int refusedTid() {
        return refusedTid;
    }

    /** Returns the time from the stop of the first thread until the release of the last one, ns. */
    public long stopNanos() {
        return stopNanos;
    }

    /** Returns the outcome for a thread. If it was copied, puts the copy into the snapshot. */
    public Outcome copy(int tid, ThreadSnapshot into) {
        Copy copy = copies.get(tid);
        if (copy == null) {
            return Outcome.GONE;
        }
        into.begin();
        MemorySegment stack = copy.stack;
        if (stack != null) {
            into.registers().copyFrom(copy.registers);
            int words = (int) Math.min(stack.byteSize() / 8, into.stack().length);
            MemorySegment.copy(stack, JAVA_LONG, 0, into.stack(), 0, words);
            into.stack(words, copy.full);
            into.time(copy.time, copy.outcome == Outcome.COPIED ? stopNanos : 0);
            stacks.bound(into);
        }
        return copy.outcome;
    }

    private void copyAll() throws IOException {
        stacks.refresh();
        List<Integer> fresh = fresh();
        for (long made = 0; made < Math.min(ROOM_BYTES, (long) TYPICAL_BYTES * fresh.size()); made += PIECE_BYTES) {
            pieces.add(arena.allocate(PIECE_BYTES, 8));
        }
        if (!seize(fresh)) {
            closeHeld();
            return;
        }
        long start = System.nanoTime();
        long deadline = start + LIMIT_NANOS;
        try {
            for (int look = 0; look < LOOKS && !fresh.isEmpty() && System.nanoTime() - deadline < 0; look++) {
                interrupt(fresh);
                await(fresh, Math.min(deadline, System.nanoTime() + PATIENCE_NANOS));
                fresh = fresh();
                seize(fresh);
            }
            copyStopped(deadline);
            copyUnstopped(deadline);
            whileStopped.accept(deadline);
        } finally {
            letGo();
            stopNanos = System.nanoTime() - start;
            closeHeld();
        }
    }

    private void closeHeld() {
        copies.values().forEach(copy -> {
            HeldProcFile file = copy.syscall;
            if (file != null) {
                file.close();
                copy.syscall = null;
            }
        });
    }

    /** Returns the threads not seen before. */
    private List<Integer> fresh() throws IOException {
        List<Integer> fresh = new ArrayList<>();
        for (int tid : target.tids()) {
            if (copies.putIfAbsent(tid, new Copy()) == null) {
                fresh.add(tid);
            }
        }
        return fresh;
    }

    /**
     * Prepares to stop threads. Returns false if this is not permitted. A thread that the stopper still traces,
     * because it has not stopped yet, is skipped.
     */
    private boolean seize(List<Integer> tids) {
        for (int tid : tids) {
            Copy copy = copies.get(tid);
            if (copy == null || tid == stopper.unstoppableChild() || stopper.isUnreleased(tid)) {
                continue;
            }
            try {
                copy.uninterruptible = stopper.isUninterruptible(tid);
            } catch (IOException e) {
                copy.uninterruptible = false; // it has probably ended; the seize below then fails
            }
            long result = stopper.seize(ptrace, tid);
            if (result == -Errno.ESRCH) {
                copy.outcome = Outcome.GONE;
            } else if (result < 0) {
                copy.outcome = stopper.refused(tid, "ptrace seize: " + Errno.name((int) -result));
                refusedTid = tid;
                return false;
            } else {
                copy.stage = Stage.SEIZED;
                seized.add(tid);
                hold(tid, copy);
            }
        }
        return true;
    }

    /**
     * Opens the syscall file in advance: opening takes several times as long as reading, and threads are stopped
     * meanwhile.
     */
    private void hold(int tid, Copy copy) {
        if (held == MAX_HELD) {
            return;
        }
        try {
            copy.syscall = HeldProcFile.open(target.proc() + "/task/" + tid + "/syscall");
            held++;
        } catch (IOException e) {
            held = MAX_HELD; // waitsIn() opens the file later and reports the error
        }
    }

    private @Nullable BlockedSyscall waitsIn(int tid, Copy copy) throws IOException {
        HeldProcFile file = copy.syscall;
        return file == null ? BlockedSyscall.read(target, tid) : BlockedSyscall.parse(file.line());
    }

    /** Requests a stop of each thread, except those that a stop would disturb. */
    private void interrupt(List<Integer> tids) {
        for (int tid : tids) {
            Copy copy = copies.get(tid);
            if (copy == null || copy.outcome == Outcome.GONE) {
                continue;
            }
            try {
                BlockedSyscall call = waitsIn(tid, copy);
                if (tid == stopper.unstoppableChild()
                        || call != null
                                && (call.isDisturbedByStop(target)
                                        || copy.uninterruptible && stopper.isUninterruptible(tid))) {
                    copy.outcome = Outcome.BLOCKED_IN_UNSAFE_SYSCALL;
                    copy.switches = stopper.switches(tid);
                    copy.waitsIn = call;
                } else if (copy.stage == Stage.SEIZED) {
                    ptrace.interrupt(tid);
                    copy.stage = Stage.INTERRUPTED;
                }
            } catch (IOException e) {
                copy.outcome = stopper.isGone(tid, e) ? Outcome.GONE : Outcome.BLOCKED_IN_UNSAFE_SYSCALL;
            }
        }
    }

    private void await(List<Integer> tids, long deadline) {
        List<Integer> waiting = new ArrayList<>(tids);
        long spinUntil = System.nanoTime() + SPIN_NANOS;
        while (true) {
            waiting.removeIf(this::hasStoppedOrNeverWill);
            long now = System.nanoTime();
            if (waiting.isEmpty() || now - deadline >= 0) {
                return;
            }
            if (now - spinUntil < 0) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(20_000);
            }
        }
    }

    /** Returns true if a thread has stopped, or never will. */
    private boolean hasStoppedOrNeverWill(int tid) {
        Copy copy = copies.get(tid);
        if (copy == null || copy.stage != Stage.INTERRUPTED) {
            return true;
        }
        long code = ptrace.stopped(tid);
        if (code == Ptrace.CLD_TRAPPED || code == Ptrace.CLD_STOPPED) {
            copy.stage = Stage.STOPPED;
            copy.signal = ptrace.pendingSignal();
            return true;
        }
        if (code != 0 && code != -Errno.EINTR) {
            copy.outcome = Outcome.GONE;
            copy.stage = Stage.UNTRACED;
            return true;
        }
        return false;
    }

    private void copyStopped(long deadline) {
        for (Map.Entry<Integer, Copy> each : copies.entrySet()) {
            Copy copy = each.getValue();
            if (copy.stage != Stage.STOPPED || System.nanoTime() - deadline >= 0) {
                continue;
            }
            long got = ptrace.registers(each.getKey(), copy.registers);
            if (got < 0) {
                copy.outcome = got == -Errno.ESRCH ? Outcome.GONE : Outcome.UNSUPPORTED;
            } else {
                copyStack(copy);
                copy.outcome = Outcome.COPIED;
            }
        }
    }

    /** Copies the threads that were not stopped, provided that they have not run since they were seen blocked. */
    private void copyUnstopped(long deadline) {
        for (Map.Entry<Integer, Copy> each : copies.entrySet()) {
            int tid = each.getKey();
            Copy copy = each.getValue();
            BlockedSyscall call = copy.waitsIn;
            if (copy.outcome != Outcome.BLOCKED_IN_UNSAFE_SYSCALL
                    || call == null
                    || System.nanoTime() - deadline >= 0) {
                continue;
            }
            copy.registers.clear();
            copy.registers.setSp(call.sp());
            copy.registers.setPc(call.pc());
            copyStack(copy);
            onCopy.getOrDefault(tid, () -> {}).run();
            try {
                if (call.equals(waitsIn(tid, copy)) && copy.switches.equals(stopper.switches(tid))) {
                    copy.outcome = Outcome.COPIED_UNSTOPPED;
                } else {
                    copy.stack = null;
                }
            } catch (IOException e) {
                copy.stack = null;
                copy.outcome = stopper.isGone(tid, e) ? Outcome.GONE : Outcome.BLOCKED_IN_UNSAFE_SYSCALL;
            }
        }
    }

    private void copyStack(Copy copy) {
        long sp = copy.registers.sp();
        long most = Math.min(MAX_OF_ONE, room);
        long known = stacks.bytesAbove(sp);
        long bytes = Math.min(most, known < 0 ? PAGE - (sp & PAGE - 1) : known) & -8;
        MemorySegment stack = allocate(bytes);
        // The copy ends at the first unreadable page. From Linux 6.13 on, the guard page of the next stack can be in
        // the same mapping: glibc 2.42 makes its guard pages so.
        long read = Math.max(0, memory.copy(sp, stack));
        copy.full = read == most;
        copy.stack = stack.asSlice(0, read & -8);
        copy.time = System.nanoTime();
        room -= copy.stack.byteSize();
        pieceUsed += copy.stack.byteSize();
    }

    /** Returns space at the end of the current piece without claiming it. */
    private MemorySegment allocate(long bytes) {
        if (pieces.isEmpty() || PIECE_BYTES - pieceUsed < bytes) {
            pieces.poll();
            pieceUsed = 0;
            if (pieces.isEmpty()) {
                pieces.add(arena.allocate(PIECE_BYTES, 8));
            }
        }
        return pieces.getFirst().asSlice(pieceUsed, bytes);
    }

    /** Releases stopped threads. A thread that has not stopped is released when this thread ends. */
    private void letGo() {
        copies.forEach((tid, copy) -> {
            if (copy.stage == Stage.STOPPED && ptrace.detach(tid, copy.signal) >= 0) {
                copy.stage = Stage.RELEASED;
            }
        });
    }

    @Override
    public void close() {
        arena.close();
    }
}
