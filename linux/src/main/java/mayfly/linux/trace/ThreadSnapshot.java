package mayfly.linux.trace;

import mayfly.linux.sys.Cpu;
import mayfly.process.Registers;

/** The registers of one thread and a copy of the top of its stack. Reused from thread to thread. */
public final class ThreadSnapshot {
    private final Registers registers = new Registers(Cpu.ABI.architecture());
    private final long[] stack;
    private int stackWords;
    private boolean stackFull;
    private long time;
    private long stopNanos;

    /** Creates a snapshot with room for the given number of stack bytes. */
    public ThreadSnapshot(int stackBytes) {
        stack = new long[stackBytes / 8];
    }

    /** Clears the snapshot for the next thread. */
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

    /**
     * Sets the time of the copy.
     *
     * @param now CLOCK_MONOTONIC in ns
     * @param stopped upper bound on the time that the thread was stopped, ns
     */
    public void time(long now, long stopped) {
        time = now;
        stopNanos = stopped;
    }

    /** Returns the registers; for a thread that was not stopped, only rsp and rip are known. */
    public Registers registers() {
        return registers;
    }

    /** Returns the address of the first word of the copied stack. */
    public long stackBase() {
        return registers.sp();
    }

    /** Returns the copied stack, upward from its base; the first {@link #stackWords()} are valid. */
    public long[] stack() {
        return stack;
    }

    /** Returns the number of copied words. */
    public int stackWords() {
        return stackWords;
    }

    /** Returns true if the copy ended because the room was used up, so the stack continues. */
    public boolean stackFull() {
        return stackFull;
    }

    /** Returns the time of the copy, CLOCK_MONOTONIC in ns. */
    public long time() {
        return time;
    }

    /** Returns an upper bound on the time that the thread was stopped, ns; 0 if it was not stopped. */
    public long stopNanos() {
        return stopNanos;
    }
}
