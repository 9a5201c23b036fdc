package mayfly.hotspot.threads;

import java.util.List;
import java.util.Optional;
import mayfly.hotspot.tables.UncachedMemory;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.AllocationCounters;

/**
 * The bytes that each Java thread has allocated: those of its former allocation buffers, and the used part of its
 * present one. See Thread::cooked_allocated_bytes() in thread.inline.hpp.
 */
public final class AllocatedBytes implements AllocationCounters {
    private static final List<VmField> FIELDS = List.of(
            VmField.THREAD_ALLOCATED_BYTES,
            VmField.THREAD_TLAB,
            VmField.TLAB_START,
            VmField.TLAB_TOP,
            VmField.TLAB_END);

    private final ThreadList threads;
    private final FieldReader counters;
    private final FieldReader ids;
    private final long idShift;

    private AllocatedBytes(Memory memory, VmLayout layout) {
        Memory now = new UncachedMemory(memory);
        long tlab = layout.at(VmField.THREAD_TLAB);
        long id = layout.at(VmField.OSTHREAD_THREAD_ID);
        this.threads = new ThreadList(now, layout);
        this.counters = new FieldReader(
                now,
                tlab + layout.at(VmField.TLAB_START),
                tlab + layout.at(VmField.TLAB_TOP),
                tlab + layout.at(VmField.TLAB_END),
                layout.at(VmField.THREAD_ALLOCATED_BYTES),
                layout.at(VmField.THREAD_OSTHREAD));
        this.ids = new FieldReader(now, id & -8);
        this.idShift = (id & 7) << 3;
    }

    /** Returns the counters of a VM. Empty if it does not describe them. */
    public static Optional<AllocationCounters> of(Memory memory, VmLayout layout) {
        return FIELDS.stream().allMatch(layout::has)
                ? Optional.of(new AllocatedBytes(memory, layout))
                : Optional.empty();
    }

    @Override
    public void read(Each each) throws MemoryFault {
        long[] addresses = threads.addresses();
        long[] osThreads = new long[addresses.length];
        long[] bytes = new long[addresses.length];
        counters.read(addresses, (index, words, from) -> {
            bytes[index] = words[from + 3] + used(words[from], words[from + 1], words[from + 2]);
            osThreads[index] = words[from + 4];
        });
        // A thread that has just ended has no OSThread, or one that cannot be read.
        ids.read(osThreads, (index, words, from) -> {
            int tid = (int) (words[from] >>> idShift);
            if (tid > 0) {
                each.counter(tid, addresses[index], bytes[index]);
            }
        });
    }

    /** Returns the used bytes of a buffer; 0 if there is none, or if it is just replaced. */
    private static long used(long start, long top, long end) {
        return start > 0 && top >= start && end >= top ? top - start : 0;
    }
}
