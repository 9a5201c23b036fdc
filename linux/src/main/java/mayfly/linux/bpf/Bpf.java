package mayfly.linux.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Syscall;

/** bpf(2): loads a program and creates its ring and table. */
public final class Bpf {
    public static final int MAP_CREATE = 0;
    public static final int MAP_UPDATE_ELEM = 2;
    public static final int PROG_LOAD = 5;
    public static final int MAP_TYPE_LRU_HASH = 9;
    public static final int MAP_TYPE_RINGBUF = 27;
    public static final int PROG_TYPE_KPROBE = 2;
    public static final int PROG_TYPE_PERF_EVENT = 7;
    /** Offsets in union bpf_attr for BPF_MAP_CREATE. */
    public static final int MAP_TYPE = 0;

    public static final int KEY_SIZE = 4;
    public static final int VALUE_SIZE = 8;
    public static final int MAX_ENTRIES = 12;
    /** Offsets for BPF_MAP_UPDATE_ELEM. */
    public static final int MAP_FD = 0;

    public static final int KEY = 8;
    public static final int VALUE = 16;
    /** Offsets for BPF_PROG_LOAD. */
    public static final int PROG_TYPE = 0;

    public static final int INSN_CNT = 4;
    public static final int INSNS = 8;
    public static final int LICENSE = 16;
    static final int ATTR_SIZE = 48;

    private Bpf() {}

    /**
     * Loads a program for perf events of a kind. If the verifier rejects it, the error is EACCES or EINVAL; without the
     * capability, EPERM.
     */
    static Fd load(int type, long[] instructions, String license) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ATTR_SIZE, 8);
            attr.set(JAVA_INT, PROG_TYPE, type);
            attr.set(JAVA_INT, INSN_CNT, instructions.length);
            attr.set(
                    JAVA_LONG,
                    INSNS,
                    arena.allocateFrom(JAVA_LONG, instructions).address());
            attr.set(JAVA_LONG, LICENSE, arena.allocateFrom(license).address());
            return call("bpf program", PROG_LOAD, attr);
        }
    }

    /** Creates a ring of the given size in bytes, a power of two; EINVAL before Linux 5.8. */
    static Fd ring(int bytes) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ATTR_SIZE, 8);
            attr.set(JAVA_INT, MAP_TYPE, MAP_TYPE_RINGBUF);
            attr.set(JAVA_INT, MAX_ENTRIES, bytes);
            return call("bpf ring", MAP_CREATE, attr);
        }
    }

    /** Creates a table from u32 to u64; when it is full, it evicts the least recently used entry. */
    static Fd table(int entries) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ATTR_SIZE, 8);
            attr.set(JAVA_INT, MAP_TYPE, MAP_TYPE_LRU_HASH);
            attr.set(JAVA_INT, KEY_SIZE, Integer.BYTES);
            attr.set(JAVA_INT, VALUE_SIZE, Long.BYTES);
            attr.set(JAVA_INT, MAX_ENTRIES, entries);
            return call("bpf table", MAP_CREATE, attr);
        }
    }

    private static Fd call(String what, int command, MemorySegment attr) throws ErrnoException {
        return new Fd(
                (int) ErrnoException.check(what, Syscall.call(SystemCall.BPF, command, attr.address(), ATTR_SIZE)));
    }
}
