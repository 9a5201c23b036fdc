/**
 * A target process, as interfaces. The module {@code linux} implements them for a live process;
 * {@link mayfly.process.replay.RecordedProcess} implements them for a recorded one, so that all other modules can be
 * tested from a file.
 */
@org.jspecify.annotations.NullMarked
package mayfly.process;
