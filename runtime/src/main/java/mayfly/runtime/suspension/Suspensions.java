package mayfly.runtime.suspension;

import java.util.Optional;
import java.util.Set;
import mayfly.process.MemoryFault;

/**
 * The suspensions of one runtime, read while it runs. A runtime records only the latest one, so a reader that wants all
 * of them reads more often than they occur. Confined to one thread.
 */
public interface Suspensions {

    /**
     * Returns the latest suspension as it is now; {@link Suspension#NONE} if there was none so far. Empty if the record
     * changed at each attempt to read it.
     *
     * @throws MemoryFault if the record cannot be read
     */
    Optional<Suspension> latest() throws MemoryFault;

    /**
     * Returns the threads for which a suspension must wait now, by their ids in the target's own pid namespace: those
     * that run managed code or code of the runtime itself. A thread that waits or runs other native code is not among
     * them. Empty if the runtime does not describe what its threads run.
     *
     * @throws MemoryFault if the threads cannot be read
     */
    Optional<Set<Integer>> running() throws MemoryFault;

    /**
     * Returns the thread that suspends the others, by its id in the target's own pid namespace; 0 if it is not known.
     *
     * @throws MemoryFault if it cannot be read
     */
    int suspender() throws MemoryFault;
}
