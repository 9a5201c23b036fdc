/**
 * A target process, as interfaces: its memory, its mappings, its files, its threads and their registers. The module
 * {@code linux} implements them for a live process, and {@link mayfly.process.replay.RecordedProcess} for a recorded
 * one. The walker and the runtimes can therefore be tested from a file, on any machine.
 *
 * <p>Start reading at {@link TargetProcess} and {@link Memory}. An address comes in, and bytes or a {@link MemoryFault}
 * go out. {@link PagedMemory} makes the many small reads of a walk cheap: it caches whole pages until the caller
 * discards them. {@link Registers} holds the registers of one frame by their DWARF numbers, each known or unknown.
 *
 * <p>A read is all or nothing: a range that cannot be read completely is a fault, never zeros. The bytes are those of
 * another program, so a caller checks each length and each pointer before it uses them.
 */
@org.jspecify.annotations.NullMarked
package mayfly.process;
