package mayfly.record.event;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refusals;
import mayfly.discovery.Refused;
import mayfly.discovery.RuntimeThreads;
import mayfly.discovery.RuntimeThreads.RuntimeThread;
import mayfly.linux.BlockedSyscall;
import mayfly.linux.proc.HeldProcFile;
import mayfly.linux.proc.KernelStack;
import mayfly.linux.trace.StackCopy;
import mayfly.linux.trace.ThreadSnapshot;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.record.wait.BlockedStack;
import mayfly.record.wait.ContendedLock;
import mayfly.record.wait.LockLookup;
import mayfly.record.wait.WaitReason;
import mayfly.runtime.thread.ManagedThreadState;
import org.jspecify.annotations.Nullable;

/**
 * Copies the stacks of blocked threads, with the reasons for their waits. It stops no thread. A copy is of one moment
 * if the thread did not run between its beginning and its end, which the caller knows.
 */
final class WaitCopier implements AutoCloseable {
    private static final int STACK_BYTES = 1 << 20;
    /** Interval of looks for a new thread in the lists of the runtimes. */
    private static final long LOOK_NANOS = 10_000_000;
    /** The age at which a thread certainly is in the list of its runtime, which it enters while it starts. */
    private static final long ENTERED_NANOS = 200_000_000;
    /** Interval of looks for a thread that was in no list: a native thread may attach to a runtime later. */
    private static final long LATE_LOOK_NANOS = 5_000_000_000L;
    /** Upper bound on the files that are kept open: the events of a target with many threads leave few descriptors. */
    private static final int MAX_HELD = 32;

    private final InspectedProcess target;
    private final RuntimeThreads names;
    private final boolean kernel;
    /** Reads the locks for which threads wait; null if all waits are recorded. */
    private final @Nullable LockLookup locks;

    private final StackCopy stack;
    private final ThreadSnapshot snapshot = new ThreadSnapshot(STACK_BYTES);
    /** The open files of the threads that were copied last, by their ids. */
    private final Map<Integer, HeldProcFile> calls = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, HeldProcFile> eldest) {
            if (size() > MAX_HELD) {
                eldest.getValue().close();
                return true;
            }
            return false;
        }
    };

    private Map<Integer, RuntimeThread> threads = Map.of();
    private int knownRuntimes;
    private long lastLook = Long.MIN_VALUE / 2;

    /** The result of an attempt. */
    sealed interface Attempt {
        /** The thread is blocked, and its stack was copied. */
        record Copied(BlockedStack stack) implements Attempt {}

        /** The thread is blocked and waits for a lock, whose owner is not known yet, and its stack was copied. */
        record Locked(BlockedStack stack, LockLookup.Reading.Waits lock) implements Attempt {}

        /** The thread runs, or could run. */
        record Runs() implements Attempt {}

        /** The thread has ended. */
        record Ended() implements Attempt {}

        /** The system call in which the thread waits cannot be read. */
        record Unreadable() implements Attempt {}

        /** The thread is blocked and waits for no lock, and only waits for locks are recorded. */
        record NoLock() implements Attempt {}

        /** The thread is blocked, and the lock for which it may wait could not be read now. */
        record LockUnread() implements Attempt {}

        /** Nothing was tried: it is not known yet whether a runtime has the thread. */
        record TooEarly() implements Attempt {}
    }

    private WaitCopier(InspectedProcess target, boolean kernel, @Nullable LockLookup locks) throws IOException {
        this.target = target;
        this.kernel = kernel;
        this.locks = locks;
        this.names = new RuntimeThreads(target);
        this.stack = new StackCopy(target.process());
    }

    /**
     * Creates a copier for the threads of a process.
     *
     * @param kernel true to read the frames in the kernel, if that is permitted
     * @param locks reads the locks for which threads wait, if only such waits are recorded: stacks of other waits are
     *     not copied; else null
     * @throws Refused if it may not be read where a thread is blocked
     * @throws IOException if the target has ended
     */
    static WaitCopier open(InspectedProcess target, boolean kernel, @Nullable LockLookup locks)
            throws Refused, IOException {
        String directory = target.process().proc();
        int first = target.process().tids()[0];
        String file = directory + "/task/" + first + "/syscall";
        try (HeldProcFile call = HeldProcFile.open(file)) {
            call.line();
        } catch (IOException e) {
            if (new File(directory + "/task/" + first).exists()) {
                int pid = target.process().pid();
                throw Refusals.notPermitted(
                        pid,
                        "the system call in which a thread waits may not be read (/proc/" + pid + "/task/" + first
                                + "/syscall)");
            }
        }
        return new WaitCopier(target, kernel && KernelStack.isReadable(directory, first), locks);
    }

    /** Returns true if copies have the frames in the kernel. */
    boolean hasKernelFrames() {
        return kernel;
    }

    /**
     * Copies the stack of a thread.
     *
     * @param since a time since which the thread exists, CLOCK_MONOTONIC in ns
     */
    Attempt copy(int tid, long since) {
        long begun = System.nanoTime();
        int inner = names.innerTid(tid);
        if (!lookUp(inner, since, begun)) {
            return new Attempt.TooEarly();
        }
        BlockedSyscall call;
        try {
            call = BlockedSyscall.parse(line(tid));
        } catch (IOException e) {
            return new File(target.process().proc() + "/task/" + tid).exists()
                    ? new Attempt.Unreadable()
                    : new Attempt.Ended();
        }
        if (call == null) {
            return new Attempt.Runs();
        }
        RuntimeThread thread = threads.get(inner);
        ManagedThreadState state = thread == null ? null : thread.runtime().state(thread.thread());
        if (locks == null) {
            return new Attempt.Copied(copied(tid, begun, call, thread, state));
        }
        if (thread == null || state == null) {
            return new Attempt.NoLock();
        }
        target.forgetMemory();
        return switch (locks.read(thread.runtime(), thread.thread(), state)) {
            case LockLookup.Reading.NoLock _ -> new Attempt.NoLock();
            case LockLookup.Reading.Failed _ -> new Attempt.LockUnread();
            case LockLookup.Reading.Waits waits -> new Attempt.Locked(copied(tid, begun, call, thread, state), waits);
        };
    }

    private BlockedStack copied(
            int tid,
            long begun,
            BlockedSyscall call,
            @Nullable RuntimeThread thread,
            @Nullable ManagedThreadState state) {
        snapshot.begin();
        snapshot.registers().setSp(call.sp());
        snapshot.registers().setPc(call.pc());
        stack.copy(STACK_BYTES, snapshot);
        Registers managed = thread == null ? null : lastManagedFrame(thread);
        List<Frame.Kernel> kernelFrames = kernel ? kernelFrames(tid) : List.of();
        WaitReason reason = WaitReason.of(state, call.kind(target.process()));
        long ended = System.nanoTime();
        stack.bound(snapshot);
        Registers registers = new Registers(target.process().architecture());
        registers.copyFrom(snapshot.registers());
        return new BlockedStack(
                begun,
                ended,
                registers,
                Arrays.copyOf(snapshot.stack(), snapshot.stackWords()),
                managed,
                reason,
                kernelFrames,
                null);
    }

    /** Returns the content of a thread's file. The one that is kept open may be of an earlier thread of the same id. */
    private String line(int tid) throws IOException {
        HeldProcFile held = calls.get(tid);
        if (held != null) {
            try {
                return held.line();
            } catch (IOException e) {
                forget(tid);
            }
        }
        HeldProcFile file = HeldProcFile.open(target.process().proc() + "/task/" + tid + "/syscall");
        calls.put(tid, file);
        return file.line();
    }

    /** Reports that a thread has ended. */
    void forget(int tid) {
        HeldProcFile file = calls.remove(tid);
        if (file != null) {
            file.close();
        }
    }

    private List<Frame.Kernel> kernelFrames(int tid) {
        return KernelStack.read(target.process().proc(), tid).stream()
                .map(function -> new Frame.Kernel(function.offset(), function.name()))
                .toList();
    }

    private @Nullable Registers lastManagedFrame(RuntimeThread thread) {
        target.forgetMemory();
        Registers managed = new Registers(target.process().architecture());
        try {
            return thread.runtime().lastManagedFrame(thread.thread().handle(), managed) ? managed : null;
        } catch (MemoryFault e) {
            return null;
        }
    }

    /**
     * Looks for the thread in the lists of the runtimes, if it may have been created since the last look. Returns false
     * if it is too early for another look: a program can start many threads at once, and a list can be long.
     */
    private boolean lookUp(int inner, long since, long now) {
        boolean isListed = lastLook - since >= ENTERED_NANOS
                && now - lastLook < LATE_LOOK_NANOS
                && target.runtimes().size() == knownRuntimes;
        if (isListed || threads.containsKey(inner)) {
            return true;
        }
        if (now - lastLook < LOOK_NANOS) {
            return false;
        }
        lastLook = now;
        knownRuntimes = target.runtimes().size();
        threads = names.all();
        return true;
    }

    /**
     * Begins a sample, and walks the stack of a blocked thread. If the native code at the leaf cannot be stepped over,
     * the walk continues at the frame that the runtime has recorded.
     */
    static SampleSink.Walk walk(int tid, BlockedStack stack, SampleSink sink) {
        sink.begin();
        ContendedLock lock = stack.lock();
        if (lock != null) {
            lock.frames().forEach(sink::accept);
        }
        stack.kernel().forEach(sink::accept);
        long[] words = stack.words();
        SampleSink.Walk walk = sink.walk(tid, stack.time(), stack.registers(), _ -> words, words.length);
        Registers last = stack.managed();
        return last != null
                        && walk.outcome().isBroken()
                        && walk.innermostManaged() == null
                        && contains(stack, last.sp())
                ? sink.continueAt(
                        tid,
                        stack.time(),
                        last,
                        _ -> words,
                        words.length,
                        stack.registers().sp())
                : walk;
    }

    private static boolean contains(BlockedStack stack, long sp) {
        long above = sp - stack.registers().sp();
        return above >= 0 && above <= 8L * stack.words().length && (sp & 7) == 0;
    }

    @Override
    public void close() {
        calls.values().forEach(HeldProcFile::close);
    }
}
