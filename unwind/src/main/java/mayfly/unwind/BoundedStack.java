package mayfly.unwind;

import java.util.Arrays;

/**
 * The frames of one stack, leaf first, of which the middle is left out if there are more than a limit: both what the
 * thread did and how it came there are kept. Used again from stack to stack.
 */
public final class BoundedStack<T> {
    private final int half;
    private T[] frames;
    private int count;
    /** Frames beyond the limit. Those next to the root take the places of those before them, in turn. */
    private long beyond;
    /** Where frames were left out because the walk skipped them, -1 if it did not. */
    private int gap = -1;

    /**
     * @param room what it begins with; its size does not matter
     * @param most frames that are kept, an even number; one more stands for those that are left out
     */
    public BoundedStack(T[] room, int most) {
        this.frames = room;
        this.half = most / 2;
    }

    public void clear() {
        count = 0;
        beyond = 0;
        gap = -1;
    }

    /** The frames that are added from now on do not call those before. Of these, one half at most is kept. */
    public void skip() {
        keepFirst(half);
        gap = count;
    }

    public void add(T frame) {
        if (count == 2 * half) {
            frames[half + (int) (beyond++ % half)] = frame;
            return;
        }
        if (count == frames.length) {
            frames = Arrays.copyOf(frames, Math.max(16, count * 2));
        }
        frames[count++] = frame;
    }

    /** Keeps the first frames only, those of one half at most if the middle was left out. */
    public void keepFirst(int most) {
        count = Math.min(most, beyond > 0 ? half : count);
        beyond = 0;
        gap = -1;
    }

    /** How many frames are left out because there were too many. */
    public long omitted() {
        return beyond;
    }

    /** Puts the frames in order, and one that stands for those left out between them, once no more are added. */
    public void close(T forOmitted) {
        if (gap >= 0) {
            int at = gap;
            add(forOmitted);
            System.arraycopy(frames, at, frames, at + 1, count - at - 1);
            frames[at] = forOmitted;
            return;
        }
        if (beyond == 0) {
            return;
        }
        int oldest = (int) (beyond % half);
        T[] ordered = Arrays.copyOf(frames, 2 * half + 1);
        ordered[half] = forOmitted;
        for (int i = 0; i < half; i++) {
            ordered[half + 1 + i] = frames[half + (oldest + i) % half];
        }
        frames = ordered;
        count = ordered.length;
    }

    /** The frames; only the first {@link #size()} count. */
    public T[] frames() {
        return frames;
    }

    public int size() {
        return count;
    }
}
