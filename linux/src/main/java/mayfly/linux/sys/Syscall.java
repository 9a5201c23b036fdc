package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * syscall(2): the only entry point to the kernel.
 *
 * <p>Every argument is a long, including pointers. The result is the kernel's: at least 0, or a negated errno. Numbers
 * are those of x86-64, see asm/unistd_64.h; a test compares them with the header.
 */
public final class Syscall {
    public static final int WRITE = 1;
    public static final int CLOSE = 3;
    public static final int POLL = 7;
    public static final int MMAP = 9;
    public static final int MUNMAP = 11;
    public static final int IOCTL = 16;
    public static final int PREAD64 = 17;
    static final int ALARM = 37;
    public static final int SOCKET = 41;
    public static final int CONNECT = 42;
    public static final int GETSOCKOPT = 55;
    public static final int FCHOWN = 93;
    public static final int PTRACE = 101;
    public static final int FSTATFS = 138;
    public static final int GETEUID = 107;
    public static final int GETTID = 186;
    public static final int GETPRIORITY = 140;
    public static final int SETPRIORITY = 141;
    public static final int IO_SETUP = 206;
    public static final int IO_DESTROY = 207;
    public static final int CLOCK_GETTIME = 228;
    static final int EXIT_GROUP = 231;
    public static final int WAITID = 247;
    public static final int OPENAT = 257;
    public static final int MKDIRAT = 258;
    public static final int UNLINKAT = 263;
    public static final int LINKAT = 265;
    public static final int PIPE2 = 293;
    public static final int PERF_EVENT_OPEN = 298;
    public static final int PRLIMIT64 = 302;
    public static final int PROCESS_VM_READV = 310;
    public static final int GETRANDOM = 318;
    public static final int MEMFD_CREATE = 319;
    public static final int BPF = 321;
    public static final int USERFAULTFD = 323;
    public static final int STATX = 332;
    public static final int PIDFD_SEND_SIGNAL = 424;
    public static final int PIDFD_OPEN = 434;
    public static final int CLOSE_RANGE = 436;
    public static final int OPENAT2 = 437;

    /** The whole address space of this process. */
    public static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CAPTURE.varHandle(StructLayout.PathElement.groupElement("errno"));
    private static final ThreadLocal<MemorySegment> STATE =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(CAPTURE));
    private static final MethodHandle HANDLE = link();

    private Syscall() {
    }

    /** Makes a call without an effect. The first call takes 15 ms, because the JVM links the function then. */
    public static void load() {
        if (System.getProperty("os.arch", "").equals("amd64")) { // on another CPU, the number is another call's
            call(GETTID, 0);
        }
    }

    private static MethodHandle link() {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                        JAVA_LONG),
                Linker.Option.firstVariadicArg(1), Linker.Option.captureCallState("errno"));
    }

    /** Makes a system call. The result is a negated errno if the call failed; otherwise it is not negative. */
    public static long call(int number, long a, long b, long c, long d, long e, long f) {
        MemorySegment state = STATE.get();
        long result;
        try {
            result = (long) HANDLE.invokeExact(state, (long) number, a, b, c, d, e, f);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
        return result == -1 ? -(long) (int) ERRNO.get(state, 0L) : result;
    }

    public static long call(int number, long a, long b, long c) {
        return call(number, a, b, c, 0, 0, 0);
    }

    public static long call(int number, long a, long b, long c, long d) {
        return call(number, a, b, c, d, 0, 0);
    }

    public static long call(int number, long a) {
        return call(number, a, 0, 0, 0, 0, 0);
    }

    /** Returns the int at an address of this process. */
    public static int intAt(long address) {
        return ALL.get(JAVA_INT, address);
    }
}
