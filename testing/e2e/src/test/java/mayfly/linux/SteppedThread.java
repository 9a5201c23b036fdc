package mayfly.linux;

import java.io.IOException;

/** Executes a thread of another process one instruction at a time, as a debugger does. Only tests step a target. */
public final class SteppedThread implements AutoCloseable {
    private static final int PTRACE_SINGLESTEP = 9;
    private static final int SIGTRAP = 5;
    private static final int MOST_STACK_BYTES = 1 << 15;
    private static final long LIMIT_NANOS = 10_000_000_000L;

    private final LiveProcess target;
    private final int tid;
    private final Ptrace ptrace = new Ptrace();
    private final StackCopy stack;
    /** What it was about to receive when it stopped. */
    private int signal;

    /** Stops it. Everything is done by the platform thread that calls this. */
    public SteppedThread(LiveProcess target, int tid) throws IOException {
        this.target = target;
        this.tid = tid;
        // A stepped thread is held as long as the test wants: its clock stands still.
        this.stack = new StackCopy(target, new StopClock(() -> 0));
        ErrnoException.check("ptrace seize", ptrace.seize(tid));
        ErrnoException.check("ptrace interrupt", ptrace.interrupt(tid));
        awaitStop();
    }

    /** Its next instruction, or the first of a signal's handler: then the result is that signal, else 0. */
    public int step() throws IOException {
        int delivered = signal;
        ErrnoException.check("ptrace singlestep", Syscall.call(Syscall.PTRACE, PTRACE_SINGLESTEP, tid, 0, delivered));
        awaitStop();
        return delivered;
    }

    private void awaitStop() throws IOException {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        long code = ptrace.stopped(tid);
        while (code == 0 && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait();
            code = ptrace.stopped(tid);
        }
        if (code != Ptrace.CLD_TRAPPED) {
            throw new IOException("thread " + tid + " of " + target.pid() + " did not stop: " + code);
        }
        int pending = ptrace.pendingSignal();
        signal = pending == SIGTRAP ? 0 : pending;
    }

    /** Its registers and the top of its stack as they are now. */
    public void copy(ThreadSnapshot into) throws IOException {
        into.begin();
        ErrnoException.check("ptrace getregset", ptrace.registers(tid, into.registers()));
        stack.copy(MOST_STACK_BYTES, into);
        into.time(System.nanoTime(), 1);
        stack.bound(into);
    }

    @Override
    public void close() {
        ptrace.detach(tid, signal);
    }
}
