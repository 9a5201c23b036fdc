package mayfly.hotspot.safepoints;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import mayfly.hotspot.tables.UncachedMemory;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.hotspot.threads.FieldReader;
import mayfly.hotspot.threads.ThreadList;
import mayfly.hotspot.threads.ThreadStates;
import mayfly.hotspot.threads.VmThread;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;

/** The threads that matter to a safepoint, as they are now. */
final class SafepointThreads {
    private final Memory memory;
    private final VmLayout layout;
    private final ThreadList threads;
    private final VmThread vmThread;

    SafepointThreads(Memory memory, VmLayout layout, ModuleSymbols symbols) {
        this.memory = new UncachedMemory(memory);
        this.layout = layout;
        this.threads = new ThreadList(this.memory, layout);
        this.vmThread = new VmThread(this.memory, layout, symbols);
    }

    /**
     * Returns the Java threads that a safepoint waits for, by their ids in the kernel. Empty if the VM does not
     * describe the states of its threads.
     *
     * @throws MemoryFault if the list of the threads cannot be read
     */
    Optional<Set<Integer>> running() throws MemoryFault {
        if (!layout.has(VmField.THREAD_STATE)) {
            return Optional.empty();
        }
        Set<Integer> running = new HashSet<>();
        long offset = layout.at(VmField.THREAD_STATE);
        long shift = (offset & 7) << 3;
        long[] addresses = threads.addresses();
        new FieldReader(memory, offset & -8).read(addresses, (index, words, from) -> {
            if (ThreadStates.delaysSafepoint((int) (words[from] >>> shift))) {
                add(addresses[index], running);
            }
        });
        return Optional.of(running);
    }

    private void add(long thread, Set<Integer> running) {
        try {
            int tid = threads.tid(memory, thread);
            if (tid != 0) {
                running.add(tid);
            }
        } catch (MemoryFault e) {
            return; // the thread has just ended
        }
    }

    /**
     * Returns the id of the VM thread, which executes the operations of safepoints; 0 if unknown.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    int vmThread() throws MemoryFault {
        return vmThread.tid();
    }
}
