/**
 * A HotSpot JVM as a managed runtime, read from outside: it implements the interfaces of {@code runtime} with the
 * tables by which HotSpot describes itself.
 *
 * <p>The memory and the symbols of a process come in; frames, names and threads go out. Start reading at {@link
 * HotSpotLoader}, which finds the JVMs, and at {@link HotSpot}, which is one JVM. {@link StartedVms} finds the start of
 * each, from which its id is derived. The packages follow a walk: {@code tables} locates the fields of the VM, {@code
 * code} reads its code cache, and {@code frames} steps over the frames. {@code heap} reads Java objects, {@code
 * threads} the list of threads, and {@code inventory} has the queries of an audit.
 *
 * <p>A JVM is refused rather than misread: {@link SelfCheck} compares the tables with the memory before the first
 * sample. Differences between JDKs are rows of tables in {@link mayfly.hotspot.tables} wherever possible. The VM runs
 * while it is read, so data that can change is confirmed before it is used.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot;
