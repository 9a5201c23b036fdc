package mayfly.linux.perf;

/**
 * Options of a perf collector.
 *
 * @param hz samples per second of CPU time (per thread) or of a CPU's time (system-wide), 1 to 1,000,000
 * @param stackBytes upper bound on the copied bytes of the user stack; a multiple of 8, 0 to 62 KiB
 * @param kernelFrames true if samples include the kernel's call chain
 * @param enableOnExec true if the events start by themselves when the target calls execve(2); otherwise they start at
 *         enable()
 * @param ringBytes upper bound on the ring of a CPU in bytes, a power of two, at least 64 KiB; the rings shrink to the
 *         permitted size
 * @param sharers the number of collectors that this process will open from now on, with this one: each takes an equal
 *         part of the memory that is permitted for rings
 */
public record PerfOptions(
        int hz, int stackBytes, boolean kernelFrames, boolean enableOnExec, int ringBytes, int sharers) {
    public static final int STACK_BYTES = 32 << 10;
    public static final int RING_BYTES = 8 << 20;
    /**
     * Upper bound on the stack bytes. A record's size is a u16; registers, call chain and header take less than 3 KiB.
     */
    private static final int MAX_STACK = 62 << 10;
    /** Size of a record without its stack and call chain, in bytes. */
    private static final int RECORD_BYTES = 232;

    private static final int KEPT_WAITING_MILLIS = 150;

    /** @throws IllegalArgumentException if a value is out of its range */
    public PerfOptions {
        if (hz <= 0 || hz > 1_000_000) {
            throw new IllegalArgumentException("rate " + hz);
        }
        if (stackBytes < 0 || stackBytes > MAX_STACK || stackBytes % 8 != 0) {
            throw new IllegalArgumentException("stack of " + stackBytes + " bytes");
        }
        if (ringBytes < 1 << 16 || Integer.bitCount(ringBytes) != 1) {
            throw new IllegalArgumentException("ring of " + ringBytes + " bytes");
        }
        if (sharers < 1) {
            throw new IllegalArgumentException(sharers + " collectors");
        }
    }

    /** Creates options for the only collector. */
    public PerfOptions(int hz, int stackBytes, boolean kernelFrames, boolean enableOnExec, int ringBytes) {
        this(hz, stackBytes, kernelFrames, enableOnExec, ringBytes, 1);
    }

    /** Returns options for the given rate: 32 KiB of stack, no kernel frames, started by enable(). */
    public static PerfOptions at(int hz) {
        return new PerfOptions(hz, STACK_BYTES, false, false, RING_BYTES);
    }

    public PerfOptions withKernelFrames() {
        return new PerfOptions(hz, stackBytes, true, enableOnExec, ringBytes, sharers);
    }

    public PerfOptions startingAtExec() {
        return new PerfOptions(hz, stackBytes, kernelFrames, true, ringBytes, sharers);
    }

    public PerfOptions withStackBytes(int bytes) {
        return new PerfOptions(hz, bytes, kernelFrames, enableOnExec, ringBytes, sharers);
    }

    public PerfOptions sharedBy(int collectors) {
        return new PerfOptions(hz, stackBytes, kernelFrames, enableOnExec, ringBytes, collectors);
    }

    /**
     * Returns the number of unread bytes at which the kernel wakes the reader: between a quarter and three quarters of
     * the ring. Within these bounds, the rest of the ring has room for the data that a busy CPU writes in 150 ms, while
     * the reader is prevented from running.
     */
    int wakeUpBytes(int ring) {
        long meanwhile = (long) hz * (stackBytes + RECORD_BYTES) * KEPT_WAITING_MILLIS / 1000;
        return Math.clamp(ring - meanwhile, ring / 4, ring / 4 * 3);
    }

    /** Returns the time for which a ring has room for the samples of a CPU that is always busy, ns. */
    long nanosIn(int ring) {
        return ring / (stackBytes + RECORD_BYTES) * periodNanos();
    }

    /** Returns the CPU time that one sample represents, ns. */
    public long periodNanos() {
        return 1_000_000_000L / hz;
    }
}
