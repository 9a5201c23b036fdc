package mayfly.hotspot.threads;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.hotspot.tables.UncachedMemory;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.hotspot.tables.UnsupportedVm.Reason;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;

/**
 * The VM's list of its Java threads, see threadSMR.hpp. The VM replaces the list, frees the old one, and may reuse its
 * memory at once. The list is therefore read again if it was replaced meanwhile.
 */
public final class ThreadList {
    private static final int MAX_THREADS = 1 << 20;
    /**
     * Upper bound on the attempts. A VM replaces its list at most a few thousand times a second, and one read takes
     * microseconds.
     */
    private static final int MAX_READINGS = 8;

    /** Receives a thread: the kernel's id in the target's pid namespace, and the JavaThread. */
    public interface Each {
        void thread(int tid, long javaThread);
    }

    private final Memory memory;
    private final VmLayout layout;

    public ThreadList(Memory memory, VmLayout layout) {
        this.memory = memory;
        this.layout = layout;
    }

    /**
     * Checks that the VM has its first thread, its code cache and its interpreter.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws UnsupportedVm if the VM is still starting
     */
    public void requireStarted() throws MemoryFault, UnsupportedVm {
        if (!hasThreads()
                || memory.readLong(layout.at(VmField.CODE_CACHE_HEAPS)) == 0
                || memory.readLong(layout.at(VmField.INTERPRETER_CODE)) == 0) {
            throw new UnsupportedVm(Reason.STARTING, "the JVM is still starting");
        }
    }

    private boolean hasThreads() throws MemoryFault {
        if (!layout.has(VmField.JAVA_THREAD_LIST)) {
            return memory.readLong(layout.at(VmField.FIRST_THREAD)) != 0;
        }
        long list = memory.readLong(layout.at(VmField.JAVA_THREAD_LIST));
        return list != 0 && memory.readInt(list + layout.at(VmField.THREADS_LENGTH)) != 0;
    }

    /**
     * Sets the registers to a thread's last Java frame. Returns false if it has none, because the thread is running
     * Java code or has never run any.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    public boolean lastJavaFrame(long javaThread, Registers into) throws MemoryFault {
        long anchor = javaThread + layout.at(VmField.THREAD_ANCHOR);
        long sp = memory.readLong(anchor + layout.at(VmField.ANCHOR_LAST_JAVA_SP));
        if (sp == 0) {
            return false;
        }
        long pc = memory.readLong(anchor + layout.at(VmField.ANCHOR_LAST_JAVA_PC));
        into.clear();
        into.setSp(sp);
        // If the VM has not stored the pc, it is the return address of the call that left Java: frame::frame(sp, fp).
        into.setPc(pc != 0 ? pc : memory.readLong(sp - Architecture.WORD));
        into.setFp(memory.readLong(anchor + layout.at(VmField.ANCHOR_LAST_JAVA_FP)));
        return true;
    }

    /**
     * Returns the kernel's id of a thread, read from the given memory, or 0 if it has none.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    public int tid(Memory from, long javaThread) throws MemoryFault {
        long osThread = from.readLong(javaThread + layout.at(VmField.THREAD_OSTHREAD));
        return osThread == 0 ? 0 : from.readInt(osThread + layout.at(VmField.OSTHREAD_THREAD_ID));
    }

    /**
     * Reports each thread on the list. A thread that ends meanwhile is omitted.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    public void forEach(Each each) throws MemoryFault {
        for (long thread : addresses()) {
            try {
                report(thread, each);
            } catch (MemoryFault e) {
                continue; // the thread has just ended
            }
        }
    }

    /**
     * Returns the JavaThreads on the list.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    public long[] addresses() throws MemoryFault {
        return layout.has(VmField.JAVA_THREAD_LIST) ? threads() : chain();
    }

    private long[] chain() throws MemoryFault {
        long[] chain = new long[64];
        int count = 0;
        long thread = memory.readLong(layout.at(VmField.FIRST_THREAD));
        while (count < MAX_THREADS && thread != 0) {
            if (count == chain.length) {
                chain = Arrays.copyOf(chain, 2 * count);
            }
            chain[count++] = thread;
            thread = memory.readLong(thread + layout.at(VmField.NEXT_THREAD));
        }
        return Arrays.copyOf(chain, count);
    }

    /**
     * Returns the elements of the list, bypassing any cache, which could contain parts of several lists.
     *
     * @throws MemoryFault if a list that was not replaced meanwhile cannot be read
     */
    private long[] threads() throws MemoryFault {
        Memory now = new UncachedMemory(memory);
        long at = layout.at(VmField.JAVA_THREAD_LIST);
        long list = now.readLong(at);
        for (int i = 1; ; i++) {
            long[] threads = {};
            MemoryFault fault = null;
            try {
                int length = now.readInt(list + layout.at(VmField.THREADS_LENGTH));
                threads = elements(now, now.readLong(list + layout.at(VmField.THREADS_THREADS)), length);
            } catch (MemoryFault e) {
                fault = e;
            }
            long next = now.readLong(at);
            if (next == list || i == MAX_READINGS) {
                if (fault != null) {
                    throw fault;
                }
                return threads;
            }
            list = next;
        }
    }

    /** Returns the given number of words, or those before the first page that cannot be read. */
    private static long[] elements(Memory now, long array, int length) {
        long[] words = new long[Memory.MIN_PAGE / 8];
        long[] elements = {};
        int count = 0;
        int most = Math.clamp(length, 0, MAX_THREADS);
        while (count < most) {
            long from = array + 8L * count;
            int ofPage = (int) (Memory.MIN_PAGE - (from & Memory.MIN_PAGE - 1)) / 8;
            int piece = Math.min(most - count, Math.max(1, ofPage));
            try {
                now.readLongs(from, words, piece);
            } catch (MemoryFault e) {
                break;
            }
            if (count + piece > elements.length) {
                elements = Arrays.copyOf(elements, Math.max(count + piece, 2 * elements.length));
            }
            System.arraycopy(words, 0, elements, count, piece);
            count += piece;
        }
        return Arrays.copyOf(elements, count);
    }

    /**
     * Returns the kernel's ids of the threads, in the order in which they joined the list.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    public List<Integer> tidsByAge() throws MemoryFault {
        List<Integer> tids = new ArrayList<>();
        forEach((tid, thread) -> tids.add(tid));
        // A thread joins the list at its end, and the chain at its head.
        return layout.has(VmField.JAVA_THREAD_LIST) ? tids : tids.reversed();
    }

    private void report(long thread, Each each) throws MemoryFault {
        int tid = tid(memory, thread);
        if (tid != 0) {
            each.thread(tid, thread);
        }
    }
}
