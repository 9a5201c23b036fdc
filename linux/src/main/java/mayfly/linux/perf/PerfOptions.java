package mayfly.linux.perf;

/**
 * What to sample.
 *
 * @param hz samples per second of CPU time (per thread) or of a CPU's time (system-wide)
 * @param stackBytes how much of the user stack to copy at most; a multiple of 8, at most 65 528 minus the rest of the
 *              record
 * @param kernelFrames whether samples carry the kernel's call chain
 * @param enableOnExec whether the events start by themselves when the target calls execve(2); else at enable()
 * @param ringBytes the largest ring of a CPU, a power of two; the rings shrink to what is permitted
 */
public record PerfOptions(int hz, int stackBytes, boolean kernelFrames, boolean enableOnExec, int ringBytes) {
    public static final int STACK_BYTES = 32 << 10;
    public static final int RING_BYTES = 8 << 20;
    /** A record's size is a u16; registers, call chain and header of the largest take less than 3 KiB. */
    private static final int LARGEST_STACK = 62 << 10;
    /** What a record has beside the stack, without a call chain. */
    private static final int RECORD_BYTES = 232;
    private static final int KEPT_WAITING_MILLIS = 150;

    public PerfOptions {
        if (hz <= 0 || hz > 1_000_000) {
            throw new IllegalArgumentException("rate " + hz);
        }
        if (stackBytes < 0 || stackBytes > LARGEST_STACK || stackBytes % 8 != 0) {
            throw new IllegalArgumentException("stack of " + stackBytes + " bytes");
        }
        if (ringBytes < 1 << 16 || Integer.bitCount(ringBytes) != 1) {
            throw new IllegalArgumentException("ring of " + ringBytes + " bytes");
        }
    }

    /** So many samples a second, 32 KiB of stack, no kernel frames, started by enable(). */
    public static PerfOptions at(int hz) {
        return new PerfOptions(hz, STACK_BYTES, false, false, RING_BYTES);
    }

    public PerfOptions withKernelFrames() {
        return new PerfOptions(hz, stackBytes, true, enableOnExec, ringBytes);
    }

    public PerfOptions startingAtExec() {
        return new PerfOptions(hz, stackBytes, kernelFrames, true, ringBytes);
    }

    public PerfOptions withStackBytes(int bytes) {
        return new PerfOptions(hz, bytes, kernelFrames, enableOnExec, ringBytes);
    }

    /**
     * How full a ring is when we are woken: at least a quarter, and at most three; between them, so that there is room
     * for what a busy CPU writes in the time for which we may be kept from running.
     */
    int wakeUpBytes(int ring) {
        long meanwhile = (long) hz * (stackBytes + RECORD_BYTES) * KEPT_WAITING_MILLIS / 1000;
        return Math.clamp(ring - meanwhile, ring / 4, ring / 4 * 3);
    }

    /** The time one sample stands for. */
    public long periodNanos() {
        return 1_000_000_000L / hz;
    }
}
