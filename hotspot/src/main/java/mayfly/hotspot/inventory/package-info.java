/**
 * An inventory of a VM for an audit: its classes, loaders, flags, properties, JVMTI environments, log outputs, and the
 * program's registrations with the JDK.
 *
 * <p>Start reading at {@link VmInventory}: each of its queries is one list. {@link ClassGraph} walks the class loaders
 * and their classes, {@link JvmtiStates} finds the state for agents, {@link SetFlags} reads the flags, and {@link
 * Registrations} reads hooks, MBeans and handlers from objects of the JDK. {@link ThreadOwners} distinguishes the
 * threads of the program from those of the VM and the JDK.
 *
 * <p>A query returns a complete answer as of one moment, or throws {@link VmInventory.Undetermined} with the reason: an
 * audit must never mistake an incomplete list for an empty one. A list that changed while it was read is read again,
 * several times if necessary. Names are untrusted text.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.inventory;
