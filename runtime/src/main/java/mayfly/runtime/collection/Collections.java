package mayfly.runtime.collection;

import java.util.List;
import java.util.Optional;
import mayfly.process.MemoryFault;

/**
 * The pauses of one runtime's collectors, read while it runs. A runtime records only the latest pause of each, so a
 * reader that wants all of them reads more often than they occur. Confined to one thread.
 */
public interface Collections {

    /**
     * Returns the latest pause of each collector as it is now; the collectors always have the same order. Empty if the
     * record changed at each attempt to read it.
     *
     * @throws MemoryFault if the record cannot be read
     */
    Optional<List<Collection>> latest() throws MemoryFault;

    /**
     * Returns the value of CLOCK_MONOTONIC at which the runtime's clock is 0, ns. If the runtime does not name it, it
     * is derived from the readings so far: times are then too late, by at most the time between two readings. It is
     * {@link Long#MAX_VALUE} until a reading has found a new time.
     */
    long clockStart();

    /**
     * Returns the thread that executes the pauses, by its id in the target's own pid namespace; 0 if it is not known.
     *
     * @throws MemoryFault if it cannot be read
     */
    int executor() throws MemoryFault;
}
