/**
 * Recording sessions: a session samples one process, walks the stacks and writes a capture.
 *
 * <p>{@link RecordingOptions} and a process come in; a capture and a {@link mayfly.profile.Ledger} go out. Start
 * reading at {@link RecordingSession}, which has the states of a recording. {@link RecordingSetup} opens all parts,
 * {@link Recorder} converts each sample to frames, a stack and a record of the capture, and {@link FrameSymbols} names
 * native functions while the recording runs. The package {@code event} has the events and the sources of their samples.
 *
 * <p>Each sample is counted once, by the outcome of its walk, and each loss is counted; {@link CpuAccount} compares the
 * sum with the CPU time in /proc. The path of a sample does not allocate for frames and stacks that have been seen
 * before. One thread does everything; only {@link RecordingSession#stop} may be called from another.
 */
@org.jspecify.annotations.NullMarked
package mayfly.record;
