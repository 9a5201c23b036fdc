package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.abi.SystemCall;

/** clock_gettime(2) for clocks that the JDK does not read. The numbers are those of linux/time.h. */
public enum KernelClock {
    /** The CPU time that the calling thread has used. */
    THREAD_CPU(3),
    /** Time since boot, including suspended time: the clock of the kernel's thread start times. */
    BOOT(7);

    /** The clock's number in the kernel. */
    public final int number;

    KernelClock(int number) {
        this.number = number;
    }

    /** Returns the time of the clock, ns. */
    public long nanos() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment time = arena.allocate(16, 8);
            Syscall.call(SystemCall.CLOCK_GETTIME, number, time.address(), 0);
            return time.get(JAVA_LONG, 0) * 1_000_000_000L + time.get(JAVA_LONG, 8);
        }
    }
}
