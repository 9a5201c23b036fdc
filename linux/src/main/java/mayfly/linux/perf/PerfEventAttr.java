package mayfly.linux.perf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.sys.Cpu;

/** struct perf_event_attr of linux/perf_event.h, limited to the fields used here; see perf_event_open(2). */
public final class PerfEventAttr {
    /** PERF_ATTR_SIZE_VER5, Linux 4.1. */
    public static final int SIZE = 112;

    public static final int TYPE = 0;
    public static final int SIZE_FIELD = 4;
    public static final int CONFIG = 8;
    public static final int SAMPLE_PERIOD = 16;
    public static final int SAMPLE_TYPE = 24;
    public static final int FLAGS = 40;
    public static final int WAKEUP_WATERMARK = 48;
    /** The address of the path of a uprobe's file, and the offset in the file: uprobe_path and probe_offset. */
    public static final int CONFIG1 = 56;

    public static final int CONFIG2 = 64;
    public static final int SAMPLE_REGS_USER = 80;
    public static final int SAMPLE_STACK_USER = 88;
    public static final int CLOCKID = 92;

    public static final int TYPE_SOFTWARE = 1;
    public static final int SW_CPU_CLOCK = 0;
    public static final int SW_TASK_CLOCK = 1;
    /** Counts nothing: an event for records other than samples. */
    public static final int SW_DUMMY = 9;

    static final long SAMPLE_IP = 1;
    static final long SAMPLE_TID = 1 << 1;
    static final long SAMPLE_TIME = 1 << 2;
    public static final long SAMPLE_CALLCHAIN = 1 << 5;
    static final long SAMPLE_CPU = 1 << 7;
    static final long SAMPLE_PERIOD_BIT = 1 << 8;
    static final long SAMPLE_STREAM_ID = 1 << 9;
    static final long SAMPLE_REGS_USER_BIT = 1 << 12;
    static final long SAMPLE_STACK_USER_BIT = 1 << 13;
    static final long SAMPLE_IDENTIFIER = 1 << 16;

    /** The bits of the flags word, in declaration order. */
    public static final long DISABLED = 1;

    public static final long INHERIT = 1 << 1;
    public static final long EXCLUDE_KERNEL = 1 << 5;
    public static final long EXCLUDE_IDLE = 1 << 7;
    public static final long COMM = 1 << 9;
    public static final long ENABLE_ON_EXEC = 1 << 12;
    public static final long TASK = 1 << 13;
    public static final long WATERMARK = 1 << 14;
    static final long SAMPLE_ID_ALL = 1 << 18;
    public static final long EXCLUDE_CALLCHAIN_USER = 1 << 22;
    public static final long COMM_EXEC = 1 << 24;
    public static final long USE_CLOCKID = 1 << 25;
    public static final long CONTEXT_SWITCH = 1 << 26;
    public static final long INHERIT_THREAD = 1L << 35;

    public static final int CLOCK_MONOTONIC = 1;

    /** The fields of every sample; {@link PerfSample} reads them in this order. */
    public static final long SAMPLE = SAMPLE_IDENTIFIER
            | SAMPLE_IP
            | SAMPLE_TID
            | SAMPLE_TIME
            | SAMPLE_STREAM_ID
            | SAMPLE_CPU
            | SAMPLE_PERIOD_BIT
            | SAMPLE_REGS_USER_BIT
            | SAMPLE_STACK_USER_BIT;
    /**
     * The bytes that {@link #SAMPLE_ID_ALL} appends to all other records: u32 pid, u32 tid, u64 time, stream id, u32
     * cpu, u32, id.
     */
    static final int TRAILER = 40;

    static final int TRAILER_TID = 4;
    static final int TRAILER_TIME = 8;
    static final int TRAILER_ID = 32;

    private final MemorySegment attr;

    /** Creates the attributes of a software event, not yet enabled, that reports CLOCK_MONOTONIC. */
    PerfEventAttr(Arena arena, int event, PerfOptions options, int ringBytes, long flags) {
        attr = arena.allocate(SIZE, 8);
        attr.set(JAVA_INT, TYPE, TYPE_SOFTWARE);
        attr.set(JAVA_INT, SIZE_FIELD, SIZE);
        attr.set(JAVA_LONG, CONFIG, event);
        attr.set(JAVA_LONG, SAMPLE_PERIOD, options.periodNanos());
        attr.set(JAVA_LONG, SAMPLE_TYPE, SAMPLE | (options.kernelFrames() ? SAMPLE_CALLCHAIN : 0));
        attr.set(
                JAVA_LONG,
                FLAGS,
                flags
                        | DISABLED
                        | WATERMARK
                        | SAMPLE_ID_ALL
                        | USE_CLOCKID
                        | COMM
                        | COMM_EXEC
                        | TASK
                        | EXCLUDE_CALLCHAIN_USER
                        | (options.enableOnExec() ? ENABLE_ON_EXEC : 0));
        attr.set(JAVA_INT, WAKEUP_WATERMARK, options.wakeUpBytes(ringBytes));
        attr.set(JAVA_LONG, SAMPLE_REGS_USER, Cpu.ABI.perfMask());
        attr.set(JAVA_INT, SAMPLE_STACK_USER, options.stackBytes());
        attr.set(JAVA_INT, CLOCKID, CLOCK_MONOTONIC);
    }

    /**
     * Creates the attributes of an event that samples each thread at an instruction.
     *
     * @param type the kernel's type of such events
     */
    static PerfEventAttr of(Arena arena, int type, Uprobe probe, PerfOptions options, int ringBytes, long flags) {
        PerfEventAttr created = new PerfEventAttr(arena, 0, options, ringBytes, flags);
        created.attr.set(JAVA_INT, TYPE, type);
        created.attr.set(JAVA_LONG, CONFIG1, arena.allocateFrom(probe.path()).address());
        created.attr.set(JAVA_LONG, CONFIG2, probe.offset());
        created.attr.set(JAVA_LONG, SAMPLE_PERIOD, 1);
        return created;
    }

    long flags() {
        return attr.get(JAVA_LONG, FLAGS);
    }

    void flags(long flags) {
        attr.set(JAVA_LONG, FLAGS, flags);
    }

    /** Returns true if the event includes time in the kernel. */
    boolean seesKernel() {
        return (flags() & EXCLUDE_KERNEL) == 0;
    }

    long address() {
        return attr.address();
    }
}
