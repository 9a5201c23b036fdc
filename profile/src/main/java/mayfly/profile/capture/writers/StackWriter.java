package mayfly.profile.capture.writers;

import mayfly.profile.CaptureWriteException;
import mayfly.profile.capture.records.CaptureFormat;

/** Writes the stacks of a capture, each as a frame that is called from another stack. */
public final class StackWriter {
    private final BlockOutput out;
    private final FrameWriter frames;
    private int count = 1;

    public StackWriter(BlockOutput out, FrameWriter frames) {
        this.out = out;
        this.frames = frames;
    }

    /** Returns the highest id plus one. */
    public int count() {
        return count;
    }

    /**
     * Writes a stack. Returns its id: 1, 2, …
     *
     * @throws CaptureWriteException if the capture cannot be written
     * @throws IllegalArgumentException if there is no such stack or frame
     */
    public int stack(int parent, int frame) throws CaptureWriteException {
        if (parent < 0 || parent >= count || frame < 0 || frame >= frames.count()) {
            throw new IllegalArgumentException("no stack " + parent + " or no frame " + frame);
        }
        RecordBuffer record = out.begin(CaptureFormat.STACK);
        record.number(count - parent);
        record.number(frame);
        record.end();
        return count++;
    }
}
