package mayfly.sampler;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import mayfly.hotspot.HotSpot;
import mayfly.linux.ThreadSnapshot;
import mayfly.linux.ThreadStopper;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.process.TargetThread;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.ManagedThread;
import mayfly.unwind.Symbolizer;

/**
 * Walks the threads of a process one at a time by ptrace(2): each is stopped only while its registers and stack are
 * copied, and walked when it runs again. All calls come from the platform thread that opened it.
 */
public final class ThreadWalks implements AutoCloseable {
    /** The default size of a main thread's stack, and eight times that of a Java thread's. */
    private static final int STACK_BYTES = 8 << 20;

    /**
     * One thread as it was walked.
     *
     * @param tid the kernel's id of it
     * @param name the kernel's name of it, untrusted
     * @param outcome how the walk ended
     * @param frames leaf first, native ones with their symbols where known
     * @param stopNanos how long it was kept from running, ns at most; 0 if it was not stopped
     */
    public record WalkedThread(int tid, String name, WalkOutcome outcome, List<Frame> frames, long stopNanos) {
        public WalkedThread {
            frames = List.copyOf(frames);
        }
    }

    private final Target target;
    private final ThreadStopper stopper;
    private final Symbolizer symbolizer;
    private final ThreadSnapshot snapshot = new ThreadSnapshot(STACK_BYTES);

    private ThreadWalks(Target target) {
        this.target = target;
        this.stopper = new ThreadStopper(target.process());
        this.symbolizer = new Symbolizer(target.code());
    }

    /** Opens a process that has a runtime. Nothing is stopped yet. */
    public static ThreadWalks open(int pid) throws SessionRefused {
        Target target = Target.open(pid);
        try {
            target.requireRuntime();
            return new ThreadWalks(target);
        } catch (SessionRefused | RuntimeException e) {
            target.close();
            throw e;
        }
    }

    /** Walks every thread there is now. */
    public List<WalkedThread> all() throws IOException, SessionRefused {
        List<WalkedThread> walked = new ArrayList<>();
        for (TargetThread thread : target.process().threads()) {
            walked.add(walk(thread.tid(), thread.name()));
        }
        return walked;
    }

    /** Walks one thread. A thread that has ended is an outcome, not an error. */
    public WalkedThread one(int tid) throws IOException, SessionRefused {
        TargetThread thread = target.process().thread(tid);
        return thread == null ? new WalkedThread(tid, "", WalkOutcome.THREAD_GONE, List.of(), 0)
                : walk(tid, thread.name());
    }

    private WalkedThread walk(int tid, String name) throws SessionRefused {
        ThreadStopper.Outcome copied = stopper.stopAndCopy(tid, STACK_BYTES, snapshot);
        return switch (copied) {
            case COPIED, COPIED_UNSTOPPED -> walk(tid, name, snapshot);
            case NOT_PERMITTED -> throw new SessionRefused(SessionRefused.Reason.NOT_PERMITTED,
                    "thread " + tid + " may not be stopped: " + stopper.refusal(), "");
            case GONE -> new WalkedThread(tid, name, WalkOutcome.THREAD_GONE, List.of(), 0);
            case TIMED_OUT, BLOCKED_IN_UNSAFE_SYSCALL, UNSUPPORTED ->
                    new WalkedThread(tid, name, WalkOutcome.NO_USER_CONTEXT, List.of(), 0);
        };
    }

    private WalkedThread walk(int tid, String name, ThreadSnapshot copy) {
        target.newEpoch(System.nanoTime());
        target.walker().stack().reset(words -> copy.stack(), copy.stackWords(), copy.stackBase());
        List<Frame> frames = new ArrayList<>();
        WalkOutcome outcome = target.walker().walk(copy.registers(), copy.time(), Recorder.MAX_FRAMES, frames::add);
        if (outcome.isBroken() && !copy.registers().knows(Registers.RBP)
                && frames.stream().noneMatch(Frame.Java.class::isInstance) && fromLastManagedFrame(tid, copy, frames)) {
            outcome = WalkOutcome.COMPLETE;
        }
        frames.replaceAll(frame -> frame instanceof Frame.Native nativeFrame ? symbolizer.named(nativeFrame) : frame);
        return new WalkedThread(tid, name, outcome, frames, copy.stopNanos());
    }

    /**
     * Of a thread that was not stopped only pc and sp are known, which is not enough for every native frame. Then the
     * walk goes on at the frame from which the thread left managed code; native frames between are left out.
     */
    private boolean fromLastManagedFrame(int tid, ThreadSnapshot copy, List<Frame> frames) {
        Registers registers = new Registers();
        for (HotSpot runtime : target.runtimes()) {
            try {
                for (ManagedThread thread : runtime.threads()) {
                    if (thread.tid() != tid || !runtime.lastManagedFrame(thread.handle(), registers)) {
                        continue;
                    }
                    List<Frame> managed = new ArrayList<>();
                    if (target.walker().walkFromCall(registers, copy.time(), Recorder.MAX_FRAMES, managed::add)
                            == WalkOutcome.COMPLETE) {
                        frames.addAll(managed);
                        return true;
                    }
                }
            } catch (MemoryFault e) {
                return false;
            }
        }
        return false;
    }

    @Override
    public void close() {
        stopper.close();
        target.close();
    }
}
