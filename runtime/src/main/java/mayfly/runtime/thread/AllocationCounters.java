package mayfly.runtime.thread;

import mayfly.process.MemoryFault;

/**
 * The bytes that each thread of a runtime has allocated in the managed heap, read while the runtime runs. Confined to
 * one thread.
 */
public interface AllocationCounters {

    /** Receives the counter of a thread. */
    interface Each {
        /**
         * Reports a counter. The runtime changes its parts one after the other: a value that is read during such a
         * change is wrong, by any amount.
         *
         * @param tid the id of the thread in the target's own pid namespace
         * @param thread the runtime's structure for the thread: another one has another counter
         * @param bytes the bytes that the thread has allocated since its start; untrusted
         */
        void counter(int tid, long thread, long bytes);
    }

    /**
     * Reads the counters of the threads that exist now. On rare occasions, some of them are missing.
     *
     * @throws MemoryFault if the list of the threads cannot be read
     */
    void read(Each each) throws MemoryFault;
}
