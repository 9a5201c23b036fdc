package mayfly.e2e;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import mayfly.discovery.Refused;
import mayfly.linux.LiveProcess;
import mayfly.linux.trace.ThreadStopper;
import mayfly.process.KernelThreadName;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.process.TargetThread;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import mayfly.stack.FrameCallback;
import mayfly.stack.ThreadWalk;
import mayfly.stack.ThreadWalks;
import mayfly.stack.WalkRequest;

/** Walks one thread again after each of its instructions. */
public final class SteppedWalks implements AutoCloseable {
    private static final int MAX_FRAMES = 200;

    private final LiveProcess process;
    private final ThreadWalks walks;
    private final int tid;
    private final SteppedThread thread;

    /**
     * A frame of a walk.
     *
     * @param pc its program counter
     * @param sp its stack pointer
     */
    public record Seen(long pc, long sp, Frame frame) {}

    /**
     * A walk.
     *
     * @param frames leaf first
     */
    public record Walk(WalkOutcome outcome, long pc, long sp, List<Seen> frames) {}

    private SteppedWalks(LiveProcess process, ThreadWalks walks, int tid) throws IOException {
        this.process = process;
        this.walks = walks;
        this.tid = tid;
        this.thread = new SteppedThread(process, tid);
    }

    /** Stops the thread with this Java name. */
    public static SteppedWalks of(long pid, String name) throws Exception {
        Set<String> kernelNames = KernelThreadName.of(name);
        ThreadWalks walks = ThreadWalks.open((int) pid);
        int tid = walks.threads().stream()
                .filter(each -> kernelNames.contains(each.name()))
                .mapToInt(TargetThread::tid)
                .findFirst()
                .orElseThrow();
        return new SteppedWalks(LiveProcess.open((int) pid), walks, tid);
    }

    /** See {@link SteppedThread#step}. */
    public int step() throws IOException {
        return thread.step();
    }

    /** See {@link SteppedThread#runUntilSignal}. */
    public int runUntilSignal() throws IOException {
        return thread.runUntilSignal();
    }

    /** Walks the thread in its current state. */
    public Walk walk() throws IOException, Refused {
        thread.copy(walks.snapshot());
        List<Seen> frames = new ArrayList<>();
        ThreadWalk result = walks.walk(
                WalkRequest.of(tid).limitedTo(MAX_FRAMES),
                () -> ThreadStopper.Outcome.COPIED,
                null,
                (report, into) -> {
                    Frame frame = report.frame();
                    Registers registers = report.registers();
                    if (frame != null) {
                        into.add(new Seen(registers.pc(), registers.sp(), frame));
                    }
                    return FrameCallback.Action.CONTINUE;
                },
                frames);
        return new Walk(
                result.outcome(),
                walks.snapshot().registers().pc(),
                walks.snapshot().stackBase(),
                frames);
    }

    /** Reads a word of the target's current memory. */
    public long word(long address) throws MemoryFault {
        return process.memory().readLong(address);
    }

    @Override
    public void close() {
        thread.close();
        walks.close();
        process.close();
    }
}
