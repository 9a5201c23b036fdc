package mayfly.runtime.thread;

import java.util.List;
import mayfly.process.Registers;

/**
 * The native functions that a runtime calls whenever a thread obtains memory from the managed heap: a new allocation
 * buffer, or memory for one large object. Objects that fit into the thread's buffer cause no call. Confined to one
 * thread.
 */
public interface AllocationCalls {
    /** The index of the argument of each function that has the size of the buffer, or of the object, in bytes. */
    int BYTES = 2;

    /**
     * The memory that a thread obtains.
     *
     * @param type the name of the class of the object for which it does so, as in source code, such as {@code byte[]}:
     *     untrusted text; empty if it cannot be read
     * @param bytes the size of the buffer, or of the object; 0 if it is implausible
     */
    record Allocation(String type, long bytes) {}

    /** Returns the addresses of the functions in the target. */
    List<Long> functions();

    /**
     * Returns the allocation of a thread that enters one of the functions. Never throws.
     *
     * @param registers its registers at the entry, before the first instruction that changes one
     */
    Allocation at(Registers registers);
}
