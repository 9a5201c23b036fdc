package mayfly.hotspot.safepoints;

import java.util.Optional;
import mayfly.process.MemoryFault;
import mayfly.runtime.suspension.Suspension;

/** The variables in which a VM keeps the times of its latest safepoint. */
interface SafepointRecord {

    /**
     * Reads the variables once. Empty if the VM changed them meanwhile.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    Optional<Suspension> read() throws MemoryFault;
}
