package mayfly.record.event;

import mayfly.process.Registers;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.FrameSink;
import mayfly.unwind.StackSnapshot;

/**
 * Receives the samples of an event source. For each sample: {@link #begin()}, its frames, leaf first, or the
 * {@link #walk} that finds them, and {@link #write}. Confined to the recording thread.
 */
public interface SampleSink extends FrameSink {

    /** Begins a sample. Kernel frames, if any, follow at once. */
    void begin();

    /** Adds a kernel frame, innermost first. */
    void kernelFrame(long address);

    /**
     * Walks from the registers, and adds the frames found.
     *
     * @param time CLOCK_MONOTONIC of the sample, ns
     * @param words the copied part of the stack
     * @param count the number of its words
     * @return the walk, valid until the next one begins
     */
    SampledWalk walk(int tid, long time, Registers registers, StackSnapshot.Words words, int count);

    /**
     * Writes a sample of an event with one measure, with the frames added so far.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    void write(int tid, long time, long value, WalkOutcome outcome) throws CaptureWriteException;

    /**
     * Writes a sample with the frames added so far.
     *
     * @param values the measures of the event, in its order; for a state, the result of {@link #word}
     * @throws CaptureWriteException if the capture cannot be written
     */
    void write(int tid, long time, long[] values, WalkOutcome outcome) throws CaptureWriteException;

    /**
     * Returns the number that represents a word in a sample.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    int word(String text) throws CaptureWriteException;

    /**
     * Reports that a thread has set its name in the kernel.
     *
     * @param time CLOCK_MONOTONIC, ns
     * @throws CaptureWriteException if the capture cannot be written
     */
    void renamed(int tid, String name, long time) throws CaptureWriteException;

    /**
     * Reports that a thread has been created. Its id may be reused.
     *
     * @param time CLOCK_MONOTONIC, ns
     */
    void born(int parent, int tid, long time);
}
