package mayfly.hotspot.threads;

import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;

/** The VM thread, which executes the operations of safepoints: VMThread::vm_thread() in vmThread.hpp. */
public final class VmThread {
    private static final String POINTER = "_ZN8VMThread10_vm_threadE";

    private final Memory memory;
    private final ThreadList threads;
    /** The address of the pointer to it; 0 if unknown. */
    private final long pointer;

    /** @param memory reads the target without a cache */
    public VmThread(Memory memory, VmLayout layout, ModuleSymbols symbols) {
        this.memory = memory;
        this.threads = new ThreadList(memory, layout);
        this.pointer = symbols.address(POINTER);
    }

    /**
     * Returns its id in the target's own pid namespace; 0 if unknown, as in a library that is stripped of its symbols.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    public int tid() throws MemoryFault {
        long thread = pointer == 0 ? 0 : memory.readLong(pointer);
        return thread == 0 ? 0 : threads.tid(memory, thread);
    }
}
