package mayfly.linux.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Syscall;
import org.jspecify.annotations.Nullable;

/**
 * The ends of the threads' stacks, for the BPF program: a kernel table, and a copy of the entries written to it. The
 * kernel cannot distinguish a stack from a mapping that follows it, and would save that mapping with each sample; the
 * end becomes known when a walk reaches a thread's first frame. Used by one thread at a time.
 */
public final class StackEnds implements AutoCloseable {
    /** Number of entries. A missing entry only costs time, so threads beyond this number may evict others. */
    private static final int ENTRIES = 1 << 13;

    private final @Nullable Fd table;
    private final MemorySegment attr = Arena.ofAuto().allocate(Bpf.ATTR_SIZE, 8);
    private final MemorySegment key = Arena.ofAuto().allocate(JAVA_INT);
    private final MemorySegment value = Arena.ofAuto().allocate(JAVA_LONG);
    /** The thread and the end written last, among the threads that share a slot. */
    private final int[] tids = new int[ENTRIES];

    private final long[] ends = new long[ENTRIES];

    /** Creates the ends; without a table they are kept here but not passed to the kernel. */
    StackEnds(@Nullable Fd table) {
        this.table = table;
        if (table != null) {
            attr.set(JAVA_INT, Bpf.MAP_FD, table.number());
        }
        attr.set(JAVA_LONG, Bpf.KEY, key.address());
        attr.set(JAVA_LONG, Bpf.VALUE, value.address());
    }

    static StackEnds create() throws ErrnoException {
        return new StackEnds(Bpf.table(ENTRIES));
    }

    int number() {
        return table == null ? -1 : table.number();
    }

    /** Stores the end of a thread's stack; makes a system call only if the value has changed. */
    public void put(int tid, long end) {
        int place = tid & ENTRIES - 1;
        if (tids[place] == tid && ends[place] == end) {
            return;
        }
        tids[place] = tid;
        ends[place] = end;
        if (table != null) {
            key.set(JAVA_INT, 0, tid);
            value.set(JAVA_LONG, 0, end);
            // If this fails, the end of the thread's stack stays unknown.
            Syscall.call(SystemCall.BPF, Bpf.MAP_UPDATE_ELEM, attr.address(), Bpf.ATTR_SIZE);
        }
    }

    @Override
    public void close() {
        if (table != null) {
            table.close();
        }
    }
}
