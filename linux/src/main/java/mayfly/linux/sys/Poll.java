package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import mayfly.linux.abi.SystemCall;

/** ppoll(2) over a fixed set of descriptors. Belongs to one thread. */
public final class Poll {
    public static final int IN = 1;
    public static final int HUP = 16;
    /** sizeof(struct pollfd): int fd, short events, short revents. */
    public static final int SIZE = 8;

    private static final int MILLIS_PER_SECOND = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** sizeof(struct timespec): long tv_sec, long tv_nsec. */
    private static final int TIME_SIZE = 16;

    private final MemorySegment fds;
    private final MemorySegment time = Arena.ofAuto().allocate(TIME_SIZE, 8);
    private final int count;

    /** Creates a set of descriptors that are polled for reading. */
    public Poll(int... numbers) {
        count = numbers.length;
        fds = Arena.ofAuto().allocate((long) SIZE * count, 4);
        for (int i = 0; i < count; i++) {
            fds.set(JAVA_INT, (long) SIZE * i, numbers[i]);
            fds.set(JAVA_SHORT, (long) SIZE * i + 4, (short) IN);
        }
    }

    /**
     * Returns the number of descriptors with events; 0 after the time-out or a signal.
     *
     * @param millis negative for no time-out
     */
    public int await(int millis) {
        // Set each time: the kernel replaces it by the remaining time.
        time.set(JAVA_LONG, 0, millis / MILLIS_PER_SECOND);
        time.set(JAVA_LONG, 8, millis % MILLIS_PER_SECOND * NANOS_PER_MILLI);
        long limit = millis < 0 ? 0 : time.address();
        try {
            return (int) Math.max(0, Syscall.call(SystemCall.PPOLL, fds.address(), count, limit, 0));
        } finally {
            // The kernel writes to both when it returns; a collection meanwhile would free those of a dropped object.
            Reference.reachabilityFence(this);
        }
    }

    /** Returns the events (revents) of the descriptor at an index after {@link #await}. */
    public int events(int index) {
        return fds.get(JAVA_SHORT, (long) SIZE * index + 6);
    }

    /** Removes a descriptor from the set: poll ignores negative ones. */
    public void ignore(int index) {
        watch(index, -1);
    }

    /** Replaces the descriptor at an index. */
    public void watch(int index, int number) {
        fds.set(JAVA_INT, (long) SIZE * index, number);
    }

    /** Returns 1 if the descriptor becomes readable within the time, else 0. */
    public static int readable(int fd, int millis) {
        return new Poll(fd).await(millis);
    }
}
