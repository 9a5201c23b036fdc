package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.abi.SystemCall;

/** prlimit(2): limits of this process. */
public enum ResourceLimit {
    /** RLIMIT_NOFILE, see asm-generic/resource.h: open files. */
    NOFILE(7),
    /** RLIMIT_MEMLOCK: locked memory in bytes. */
    MEMLOCK(8);

    public static final long INFINITY = -1;

    public final int number;

    ResourceLimit(int number) {
        this.number = number;
    }

    /** Returns the soft limit; {@link #INFINITY} if there is none. */
    public long soft() {
        return get(0);
    }

    /** Returns the hard limit; {@link #INFINITY} if there is none. */
    public long hard() {
        return get(8);
    }

    /** Raises the soft limit to the hard one, which needs no privilege. */
    public void raise() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(16, 8);
            long hard = hard();
            limit.set(JAVA_LONG, 0, hard);
            limit.set(JAVA_LONG, 8, hard);
            Syscall.call(SystemCall.PRLIMIT64, 0, number, limit.address(), 0);
        }
    }

    /** Returns the soft limit as text. */
    public String describe() {
        return soft() == INFINITY ? "unlimited" : Long.toString(soft());
    }

    private long get(int offset) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(16, 8);
            Syscall.call(SystemCall.PRLIMIT64, 0, number, 0, limit.address());
            return limit.get(JAVA_LONG, offset);
        }
    }
}
