package mayfly.hotspot.inventory;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import mayfly.hotspot.inventory.VmInventory.Undetermined;
import mayfly.process.MemoryFault;

/**
 * The queries of an inventory of a VM. Each returns a complete answer as of one moment, or throws {@link Undetermined}
 * with the reason.
 */
public interface InventoryQueries {
    /**
     * Returns the owner of each Java thread of this VM, by the thread id in the process's own pid namespace. Empty if
     * the VM's threads cannot be distinguished from others.
     *
     * @throws MemoryFault if the list of threads cannot be read
     */
    Map<Integer, ThreadOwner> threadOwners() throws MemoryFault;

    /**
     * Returns the classes and their loaders.
     *
     * @throws Undetermined if this cannot be determined; the message gives the reason
     */
    LoadedClasses classes() throws Undetermined;

    /**
     * Returns the flags whose value has an origin other than the default.
     *
     * @throws Undetermined if this cannot be determined; the message gives the reason
     */
    List<SetFlag> flags() throws Undetermined;

    /**
     * Returns the VM's state for agents.
     *
     * @throws Undetermined if this cannot be determined; the message gives the reason
     */
    JvmtiState jvmti() throws Undetermined;

    /**
     * Returns the properties that {@code System.getProperties} returns: untrusted text.
     *
     * @throws Undetermined if this cannot be determined; the message gives the reason
     */
    SortedMap<String, String> systemProperties() throws Undetermined;

    /**
     * Returns the program's registrations with the JDK.
     *
     * @throws Undetermined if this cannot be determined; the message gives the reason
     */
    RegistrationQueries registrations() throws Undetermined;

    /**
     * Returns the destinations of the VM's log: each output with its selection. A file's name is untrusted text.
     *
     * @throws Undetermined if this cannot be determined; the message gives the reason
     */
    List<String> logOutputs() throws Undetermined;
}
