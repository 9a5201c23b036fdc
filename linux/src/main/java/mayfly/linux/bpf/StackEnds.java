package mayfly.linux.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Syscall;
import org.jspecify.annotations.Nullable;

/**
 * Where the stacks of threads end, for the BPF program: a table of the kernel, and what we have put there. The kernel
 * cannot tell a stack from a mapping that follows it, and would save that with each sample; a walk that has reached a
 * thread's first frame can. Used by one thread at a time.
 */
public final class StackEnds implements AutoCloseable {
    /** What is not in the table only costs time, so threads above this number may push out others. */
    private static final int ENTRIES = 1 << 13;

    private final @Nullable Fd table;
    private final MemorySegment attr = Arena.ofAuto().allocate(Bpf.ATTR_SIZE, 8);
    private final MemorySegment key = Arena.ofAuto().allocate(JAVA_INT);
    private final MemorySegment value = Arena.ofAuto().allocate(JAVA_LONG);
    /** The thread and the end put there last, of those threads that share a place. */
    private final int[] tids = new int[ENTRIES];
    private final long[] ends = new long[ENTRIES];

    /** With no table the ends are kept, and told to nobody. */
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

    /** Takes note of the address where a thread's stack ends; costs a system call only if it was another before. */
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
            // Should it fail, the thread stays one whose end is not known.
            Syscall.call(Syscall.BPF, Bpf.MAP_UPDATE_ELEM, attr.address(), Bpf.ATTR_SIZE);
        }
    }

    @Override
    public void close() {
        if (table != null) {
            table.close();
        }
    }
}
