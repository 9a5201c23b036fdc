package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.abi.SystemCall;

/** poll(2) over a fixed set of descriptors. Belongs to one thread. */
public final class Poll {
    public static final int IN = 1;
    public static final int HUP = 16;
    /** sizeof(struct pollfd): int fd, short events, short revents. */
    public static final int SIZE = 8;

    private final MemorySegment fds;
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

    /** Returns the number of descriptors with events; 0 after the time-out or a signal. */
    public int await(int millis) {
        return (int) Math.max(0, Syscall.call(SystemCall.POLL, fds.address(), count, millis));
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
