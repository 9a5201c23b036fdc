package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import mayfly.linux.abi.SystemCall;

/** getrandom(2): unpredictable bytes for names and identities. */
public final class RandomBytes {
    /** Upper bound on a read that is never cut short, see getrandom(2). */
    private static final int MAX_BYTES = 256;

    private RandomBytes() {}

    /**
     * Returns new random bytes.
     *
     * @param count the number of bytes, 0 to 256
     * @throws ErrnoException if the kernel provides none, or a filter forbids the call
     * @throws IllegalArgumentException if the count is not in this range
     */
    public static byte[] of(int count) throws ErrnoException {
        if (count < 0 || count > MAX_BYTES) {
            throw new IllegalArgumentException(count + " random bytes");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(MAX_BYTES);
            ErrnoException.check("getrandom", Syscall.call(SystemCall.GETRANDOM, bytes.address(), count, 0));
            return bytes.asSlice(0, count).toArray(JAVA_BYTE);
        }
    }

    /**
     * Returns new random bytes as lower-case hexadecimal digits, two for each byte.
     *
     * @param count the number of bytes, 0 to 256
     * @throws ErrnoException if the kernel provides none, or a filter forbids the call
     */
    public static String hex(int count) throws ErrnoException {
        return HexFormat.of().formatHex(of(count));
    }
}
