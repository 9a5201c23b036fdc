package mayfly.stack;

import java.io.IOException;
import java.util.Map;
import java.util.function.LongConsumer;
import mayfly.linux.LiveProcess;
import mayfly.linux.trace.AllThreadsSnapshot;
import mayfly.linux.trace.ThreadSnapshot;
import mayfly.linux.trace.ThreadStopper;
import mayfly.linux.trace.ThreadStopper.Outcome;

/** Copies threads while ptrace(2) stops them. Belongs to the platform thread that created it. */
final class PtraceCopier implements ThreadCopier {
    private final LiveProcess process;
    private final ThreadStopper stopper;

    PtraceCopier(LiveProcess process) {
        this.process = process;
        this.stopper = new ThreadStopper(process);
        stopper.warmUp();
    }

    @Override
    public Outcome copy(int tid, ThreadSnapshot into, Runnable held) {
        return stopper.stopAndCopy(tid, ThreadWalks.STACK_BYTES, into, held);
    }

    @Override
    public AllCopies copyAll(Map<Integer, Runnable> onCopy, LongConsumer whileStopped) throws IOException {
        AllThreadsSnapshot all = AllThreadsSnapshot.copyAll(process, stopper, onCopy, whileStopped);
        return new AllCopies() {
            @Override
            public int refusedTid() {
                return all.refusedTid();
            }

            @Override
            public Outcome copy(int tid, ThreadSnapshot into) {
                return all.copy(tid, into);
            }

            @Override
            public void close() {
                all.close();
            }
        };
    }

    @Override
    public boolean releaseLate() {
        return stopper.releaseLate();
    }

    @Override
    public String refusal() {
        return stopper.refusal();
    }

    @Override
    public boolean isTracedByAnother() {
        return stopper.isTracedByAnother();
    }

    @Override
    public void close() {
        stopper.close();
    }
}
