/**
 * Recorded processes: files with the data that the walk of a stack read from a process. Tests repeat the walk from
 * them, without the process and without its JDK.
 *
 * <p>To record, {@link ProcessSnapshot#record} wraps the memory of a live process in a {@link SnapshotMemory}, which
 * keeps each block of 64 bytes that is read, and each fault; mappings, the used parts of files, symbols and the {@link
 * RecordedWalk} are added to the same {@link ProcessSnapshot}. {@link SnapshotFormat} converts it to bytes. To
 * replay, {@link RecordedProcess#read} returns a {@link mayfly.process.TargetProcess}. The format is defined in
 * docs/formats/recorded-process.md.
 *
 * <p>A replay must read exactly what the recorded walk read: an address that was not recorded faults. The bytes of a
 * file are not trusted; a {@link BadSnapshot} reports those that are invalid.
 */
@org.jspecify.annotations.NullMarked
package mayfly.process.replay;
