/**
 * The virtual threads of a VM that are not mounted: the JDK's own lists of them, their data, and their frozen frames.
 *
 * <p>All threads of the VM are stopped while the objects are read, because a collector moves them otherwise. The names
 * of methods are read afterwards. Start reading at {@link VirtualThreads}.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.virtual;
