package mayfly.linux.trace;

import mayfly.linux.sys.X86Abi;
import mayfly.process.Registers;

/** The registers of one thread and a copy of the top of its stack. Reused from thread to thread. */
public final class ThreadSnapshot {
    private final Registers registers = new Registers(X86Abi.ARCHITECTURE);
    private final long[] stack;
    private int stackWords;
    private boolean stackFull;
    private long time;
    private long stopNanos;

    /** A snapshot with room for so many bytes of stack. */
    public ThreadSnapshot(int stackBytes) {
        stack = new long[stackBytes / 8];
    }

    public void begin() {
        registers.clear();
        stackWords = 0;
        stackFull = false;
        stopNanos = 0;
    }

    void stack(int words, boolean full) {
        stackWords = words;
        stackFull = full;
    }

    public void time(long now, long stopped) {
        time = now;
        stopNanos = stopped;
    }

    /** All registers; of a thread that was not stopped only rsp and rip are known. */
    public Registers registers() {
        return registers;
    }

    /** The address of the first word of the copied stack. */
    public long stackBase() {
        return registers.sp();
    }

    /** The copied stack, upward from its base; the first {@link #stackWords()} count. */
    public long[] stack() {
        return stack;
    }

    public int stackWords() {
        return stackWords;
    }

    /** Whether the copy ended for want of room, so that the stack goes on. */
    public boolean stackFull() {
        return stackFull;
    }

    /** When, CLOCK_MONOTONIC in ns. */
    public long time() {
        return time;
    }

    /** How long the thread was kept from running, ns at most; 0 if it was not stopped. */
    public long stopNanos() {
        return stopNanos;
    }
}
