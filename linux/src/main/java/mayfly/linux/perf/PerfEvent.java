package mayfly.linux.perf;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.bpf.BpfFilter;
import mayfly.linux.bpf.CallRing;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Syscall;

/** perf_event_open(2) and the ioctls of its descriptors. */
public final class PerfEvent implements AutoCloseable {
    /** _IO('$', n) and, for the id, _IOR('$', 7, __u64 *), see linux/perf_event.h. */
    public static final int IOC_ENABLE = 0x2400;

    public static final int IOC_DISABLE = 0x2401;
    public static final int IOC_SET_OUTPUT = 0x2405;
    public static final int IOC_ID = 0x8008_2407;
    public static final int IOC_SET_BPF = 0x4004_2408;
    public static final int FLAG_FD_CLOEXEC = 8;

    private final Fd fd;

    private PerfEvent(int number) {
        fd = new Fd(number);
    }

    /** Opens an event on a thread (or on all, -1) and a CPU. */
    static PerfEvent open(PerfEventAttr attr, int tid, int cpu) throws ErrnoException {
        String thread = tid == 0 ? "this thread" : "thread " + tid;
        return new PerfEvent((int) ErrnoException.check(
                "perf_event_open of " + (tid < 0 ? "all threads" : thread) + " on CPU " + cpu,
                Syscall.call(SystemCall.PERF_EVENT_OPEN, attr.address(), tid, cpu, -1, FLAG_FD_CLOEXEC, 0)));
    }

    int number() {
        return fd.number();
    }

    void enable() throws ErrnoException {
        control("enable", IOC_ENABLE, 0);
    }

    void disable() throws ErrnoException {
        control("disable", IOC_DISABLE, 0);
    }

    void outputTo(PerfEvent ring) throws ErrnoException {
        control("set output", IOC_SET_OUTPUT, ring.number());
    }

    /** Sets the program that the kernel runs at each sample. Returns false if the kernel refuses. */
    boolean filterBy(BpfFilter filter) {
        try {
            control("set bpf", IOC_SET_BPF, filter.program());
            return true;
        } catch (ErrnoException e) {
            return false;
        }
    }

    /** Sets the program that the kernel runs at each hit of a uprobe. */
    void bind(CallRing calls) throws ErrnoException {
        control("set bpf", IOC_SET_BPF, calls.program());
    }

    long id() throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment id = arena.allocate(8, 8);
            control("id", IOC_ID, id.address());
            return id.get(JAVA_LONG, 0);
        }
    }

    private void control(String what, int request, long argument) throws ErrnoException {
        ErrnoException.check(
                "perf event " + what, Syscall.call(SystemCall.IOCTL, fd.number(), request & 0xffff_ffffL, argument));
    }

    @Override
    public void close() {
        fd.close();
    }
}
