package mayfly.profile.capture.writers;

import mayfly.profile.CaptureWriteException;
import mayfly.profile.capture.records.CaptureFormat;

/** Writes the threads of a capture and their names. */
public final class ThreadWriter {
    private final BlockOutput out;
    private final WordWriter words;
    private final long monotonicNanos;
    private int count;

    /** @param monotonicNanos CLOCK_MONOTONIC at the start of the recording */
    public ThreadWriter(BlockOutput out, WordWriter words, long monotonicNanos) {
        this.out = out;
        this.words = words;
        this.monotonicNanos = monotonicNanos;
    }

    int count() {
        return count;
    }

    /**
     * Writes a thread with its first name. Returns its index: 0, 1, …
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public int thread(int tid, long startTicks, long nanos, String name) throws CaptureWriteException {
        int word = words.word(name);
        RecordBuffer record = out.begin(CaptureFormat.THREAD);
        record.number(tid);
        record.number(startTicks);
        record.signed(nanos - monotonicNanos);
        record.number(word);
        record.end();
        return count++;
    }

    /**
     * Writes another name of a thread.
     *
     * @param thread the thread's index
     * @param nanos CLOCK_MONOTONIC at which the name was first seen
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void name(int thread, long nanos, String name) throws CaptureWriteException {
        int word = words.word(name);
        RecordBuffer record = out.begin(CaptureFormat.THREAD_NAME);
        record.number(thread);
        record.signed(nanos - monotonicNanos);
        record.number(word);
        record.end();
    }
}
