package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import mayfly.linux.abi.SystemCall;

/**
 * syscall(2): the only entry point to the kernel.
 *
 * <p>Every argument is a long, including pointers. The result is the kernel's: at least 0, or a negated errno.
 */
public final class Syscall {
    /** The whole address space of this process. */
    public static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
    /** The offset of errno in the state that the JVM captures: on Linux, it is the only member. */
    static final long ERRNO_OFFSET = 0;

    private static final ThreadLocal<MemorySegment> STATE =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(CAPTURE));
    private static final MethodHandle HANDLE = link();
    /** The number of each call, by its ordinal. */
    private static final int[] NUMBERS = numbers();

    private Syscall() {}

    /** Makes a call without an effect. The first call takes 15 ms, because the JVM links the function then. */
    public static void load() {
        if (Cpu.isSupported()) { // on another CPU, the number is another call's
            call(SystemCall.GETTID, 0);
        }
    }

    /**
     * Links the function. It is variadic in C, but glibc's code takes its arguments from registers as any function
     * does. The option for variadic functions would not change the call, and generates classes at each start.
     */
    private static MethodHandle link() {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(
                        JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                Linker.Option.captureCallState("errno"));
    }

    private static int[] numbers() {
        SystemCall[] calls = SystemCall.values();
        int[] numbers = new int[calls.length];
        for (SystemCall call : calls) {
            numbers[call.ordinal()] = Cpu.ABI.number(call);
        }
        return numbers;
    }

    /** Makes a system call. The result is a negated errno if the call failed; otherwise it is not negative. */
    public static long call(SystemCall call, long a, long b, long c, long d, long e, long f) {
        MemorySegment state = STATE.get();
        long result;
        try {
            result = (long) HANDLE.invokeExact(state, (long) NUMBERS[call.ordinal()], a, b, c, d, e, f);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
        return result == -1 ? -(long) state.get(JAVA_INT, ERRNO_OFFSET) : result;
    }

    public static long call(SystemCall call, long a, long b, long c) {
        return call(call, a, b, c, 0, 0, 0);
    }

    public static long call(SystemCall call, long a, long b, long c, long d) {
        return call(call, a, b, c, d, 0, 0);
    }

    public static long call(SystemCall call, long a) {
        return call(call, a, 0, 0, 0, 0, 0);
    }

    /** Returns the int at an address of this process. */
    public static int intAt(long address) {
        return ALL.get(JAVA_INT, address);
    }
}
