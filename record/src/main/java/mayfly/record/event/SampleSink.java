package mayfly.record.event;

import mayfly.process.Registers;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.FrameSink;
import mayfly.unwind.StackSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * Receives the samples of an event source. For each sample: {@link #begin()}, its frames, leaf first, or the
 * {@link #walk} that finds them, and {@link #write}. Confined to the recording thread.
 */
public interface SampleSink extends FrameSink {

    /**
     * The walk of one sample. The sink reuses the object, so that a sample allocates nothing: it is valid until the
     * next walk begins.
     */
    interface Walk {
        /** The walk of a sample that is dropped. */
        Walk NOT_WALKED = new Walk() {
            @Override
            public WalkOutcome outcome() {
                return WalkOutcome.TRUNCATED;
            }

            @Override
            public long stackEnd() {
                return 0;
            }

            @Override
            public Frame.@Nullable Managed innermostManaged() {
                return null;
            }

            @Override
            public boolean startsInManagedCode() {
                return false;
            }

            @Override
            public void drop() {
                // it has no frames
            }
        };

        WalkOutcome outcome();

        /** Returns the stack pointer of the frame where the walk ended. */
        long stackEnd();

        /** Returns the innermost frame of a managed runtime, or null if the walk has found none. */
        Frame.@Nullable Managed innermostManaged();

        /** Returns true if the first frame of the walk is in code that a runtime executes or has generated. */
        boolean startsInManagedCode();

        /** Drops the frames that the walk has found. Kernel frames stay. */
        void drop();
    }

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
    Walk walk(int tid, long time, Registers registers, StackSnapshot.Words words, int count);

    /**
     * Continues a walk that has ended in native code before any managed frame: at the frame with which the thread left
     * managed code, according to its runtime. The frames found before stay, those in between are missing.
     *
     * @param time as in {@link #walk}
     * @param managed the registers of that frame
     * @param words as in {@link #walk}
     * @param stackPointer the stack pointer of the copied stack
     * @return the walk; the same object as before
     */
    Walk continueAt(int tid, long time, Registers managed, StackSnapshot.Words words, int count, long stackPointer);

    /**
     * Stores the stack of the frames added so far, for a sample that is written later.
     *
     * @return the number of the stack
     * @throws CaptureWriteException if the capture cannot be written
     */
    int keep() throws CaptureWriteException;

    /**
     * Writes a sample with a stack that was stored before.
     *
     * @param values as in {@link #write(int, long, long[], WalkOutcome)}
     * @param stack a result of {@link #keep}
     * @throws CaptureWriteException if the capture cannot be written
     */
    void write(int tid, long time, long[] values, WalkOutcome outcome, int stack) throws CaptureWriteException;

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
     * @param time a time before its first sample, CLOCK_MONOTONIC, ns
     */
    void born(int parent, int tid, long time);
}
