package mayfly.audit;

import java.util.List;
import java.util.Optional;
import mayfly.hotspot.inventory.InventoryQueries;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;

/** The JVMs of a process, as an audit reads them. */
interface AuditedVms {
    /** Returns the JVMs by their ids; those that cannot be read come last. */
    List<FoundRuntime> present();

    /** Returns the inventory of a JVM; empty for a runtime of another kind. */
    Optional<InventoryQueries> inventory(ManagedRuntime runtime);

    /** Discards the cached memory of the process. */
    void forgetMemory();

    /** Returns the file name of the library that contains an address; empty if there is none. */
    Optional<String> libraryAt(long address);
}
